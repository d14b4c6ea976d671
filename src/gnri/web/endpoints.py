"""What can be asked under /api/."""

import asyncio
from dataclasses import asdict, dataclass
from typing import Any

from msgspec import UnsetType
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gnri.web import schemas
from gnri.web.answers import Answer
from gnri.web.learnt import Learnt, Report, Rules, Settings
from gnri.web.rule_view import explain_row, file_of, rules_file, view, what_if
from gnri.web.schemas import given
from gnri.web.security import Limits, Refusal
from gnri.web.table_store import Held, Store
from gnri.web.worker_pool import Workshop

BUNDLED = {
    "tic-tac-toe": "958 endgames: has x won?",
    "breast-cancer": "569 biopsies in 30 numbers",
    "iris": "150 flowers of three kinds",
    "wine": "178 wines of three growers",
    "monks-1": "A puzzle with a hidden rule",
    "clevr-hans3": "1,000 scenes of coloured things",
}
"""What the page offers to those who have no file at hand."""


@dataclass(frozen=True)
class Endpoints:
    """The endpoints, on one store of tables and one workshop."""

    limits: Limits
    store: Store
    workshop: Workshop

    async def about(self, request: Request) -> Response:  # noqa: ARG002
        """The limits, and the tables and formats there are."""
        sets = [{"name": name, "about": about} for name, about in BUNDLED.items()]
        return JSONResponse(
            {"limits": asdict(self.limits), "datasets": sets, "formats": list(schemas.FORMATS)}
        )

    async def upload(self, request: Request) -> Answer:
        """Take in a table; text of it as the body, or {"dataset": name}."""
        kind = schemas.content_type(request)
        if kind == "application/json":
            asked = await schemas.read_request(request, schemas.UploadRequest, self.limits)
            job: tuple[Any, ...] = ("describe_bundled", asked.dataset)
        elif kind in ("text/csv", "text/tab-separated-values"):
            name = request.query_params.get("name", "the table")[:200]
            job = ("describe_file", await schemas.read_body(request, self.limits), name)
        else:
            raise Refusal(415, "send the table as text/csv, or JSON that names a bundled one")

        async def work(progress: Report) -> dict[str, Any]:
            table, found = await self.workshop.run(*job, self.limits, progress=progress)
            return {"table": self.store.keep(table), **found}

        return Answer(work)

    async def forget(self, request: Request) -> Response:
        """Free a table."""
        self.store.free(request.path_params["table"])
        return Response(status_code=204)

    async def induce(self, asked: schemas.InduceRequest) -> Answer:
        """The rule of a table that was sent before, or comes along as `csv`."""

        async def work(progress: Report) -> dict[str, Any]:
            learnt = (await self._learn(asked, progress)).need_learnt()
            return await asyncio.to_thread(view, learnt, learnt.printed)

        return Answer(work)

    async def score(self, asked: schemas.ScoreRequest) -> Response:
        """How the rules do that the page sends, perhaps edited."""
        _, learnt, rules = await self._rules(asked)
        return JSONResponse(await asyncio.to_thread(view, learnt, rules))

    async def edits(self, asked: schemas.EditsRequest) -> Response:
        """What dropping or flipping one literal would do."""
        _, learnt, rules = await self._rules(asked)
        place = (asked.rule, asked.clause, asked.literal)
        return JSONResponse(await asyncio.to_thread(what_if, learnt, rules, place))

    async def explain(self, asked: schemas.ExplainRequest) -> Any:
        """Why a row of a table, or rows of one's own, get their answers."""
        row = given(asked.row)
        if row is None:
            return self._answer_rows("explain", asked)
        held, learnt, rules = await self._rules(asked)
        return JSONResponse(await asyncio.to_thread(explain_row, held.table, learnt, rules, row))

    async def predict(self, asked: schemas.PredictRequest) -> Answer:
        """The class of rows of one's own, by a saved ruleset."""
        return self._answer_rows("predict", asked)

    async def compare(self, asked: schemas.CompareRequest) -> Answer:
        """Other learners on the same folds."""
        held = self._held(asked.table)
        return self._job("compare", held.table, held.need_learnt(given(asked.learnt)))

    async def playground(self, asked: schemas.PlaygroundRequest) -> Answer:
        """One change of the table, and what becomes of the rule."""
        how = (asked.rule, asked.change, asked.learner, asked.seed)
        return self._job("play", self._held(asked.table).need_learnt(given(asked.learnt)), *how)

    async def audit(self, asked: schemas.AuditRequest) -> Answer:
        """Thirteen changes of the table, and whether the rule followed each of them."""

        async def work(progress: Report) -> Any:
            anew = given(asked.target) is not None
            held = await self._learn(asked, progress) if anew else self._held(asked.table)
            job = ("run_audit", held.need_learnt(given(asked.learnt)), asked.learner, asked.seed)
            return await self.workshop.run(*job, progress=progress)

        return Answer(work)

    async def export(self, asked: schemas.ExportRequest) -> Any:
        """The rules as a file: of a table that is kept, or of a saved ruleset."""
        ruleset = given(asked.ruleset)
        if ruleset is not None:
            return self._job("export_ruleset", bytes(ruleset), asked.to)
        # Kept here: by the time of the work another may have been learnt.
        held, learnt, rules = await self._rules(asked)

        async def work(progress: Report) -> dict[str, Any]:
            if asked.to != "html":
                return await asyncio.to_thread(rules_file, learnt.ruleset(rules), asked.to)
            job = ("html_report", held.table, learnt, rules)
            return file_of(asked.to, await self.workshop.run(*job, progress=progress))

        return Answer(work)

    async def _rules(
        self, asked: schemas.ScoreRequest | schemas.ExplainRequest | schemas.ExportRequest
    ) -> tuple[Held, Learnt, Rules]:
        """The table, what was learnt from it, and the rules that came, or the learnt ones."""
        held = self._held(asked.table)
        learnt = held.need_learnt(given(asked.learnt))
        return held, learnt, await asyncio.to_thread(learnt.read_rules, given(asked.rules))

    def _answer_rows(
        self, how: str, asked: schemas.ExplainRequest | schemas.PredictRequest
    ) -> Answer:
        rows, csv = given(asked.rows), given(asked.csv)
        came = (bytes(rows), "rows") if rows is not None else ((csv or "").encode(), "csv")
        ruleset = bytes(given(asked.ruleset) or b"")
        return self._job("answer_rows", how, ruleset, *came, self.limits)

    def _job(self, job: str, *arguments: Any) -> Answer:
        async def work(progress: Report) -> Any:
            return await self.workshop.run(job, *arguments, progress=progress)

        return Answer(work)

    async def _learn(
        self, asked: schemas.InduceRequest | schemas.AuditRequest, progress: Report
    ) -> Held:
        """The table of the request with the rule of its target; one that came along is not kept."""
        csv = given(asked.csv)
        if csv is None:
            held = self._held(asked.table)
        else:
            job = ("describe_file", csv.encode(), "the table", self.limits)
            held = Held((await self.workshop.run(*job, progress=progress))[0])
        kinds = {name: column.decided_kind for name, column in held.table.items()}
        settings = Settings.of(given(asked.target) or "", given(asked.columns) or {}, kinds)
        held.learnt = await self.workshop.run("learn", held.table, settings, progress=progress)
        return held

    def _held(self, table: str | UnsetType) -> Held:
        return self.store.get(given(table) or "")
