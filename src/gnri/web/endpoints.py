"""What can be asked under /api/."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gnri.web.answers import Answer
from gnri.web.asked import body_of, csv_in, json_of, one_of, only, part, settings_of
from gnri.web.exporting import export
from gnri.web.outside import own_rows, ruleset_in
from gnri.web.refusal import Refusal
from gnri.web.rule_view import explain_row, view, what_if
from gnri.web.security import Limits
from gnri.web.sent_rules import place_of, rules_of
from gnri.web.table_store import Held, Store
from gnri.web.work.files import FORMATS
from gnri.web.work.learnt import Learnt
from gnri.web.worker_pool import Progress, Workshop

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
            {"limits": self.limits.as_dict(), "datasets": sets, "formats": list(FORMATS)}
        )

    async def upload(self, request: Request) -> Answer:
        """Take in a table; text of it as the body, or {"dataset": name}."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            asked = await json_of(request, self.limits)
            only(asked, "dataset")
            job: tuple[Any, ...] = ("describe_bundled", part(asked, "dataset", str))
        elif kind in ("text/csv", "text/tab-separated-values"):
            name = request.query_params.get("name", "the table")[:200]
            job = ("describe_file", await body_of(request, self.limits), name)
        else:
            raise Refusal(415, "send the table as text/csv, or JSON that names a bundled one")

        async def work(progress: Progress) -> dict[str, Any]:
            table, found = await self.workshop.run(*job, self.limits, progress=progress)
            return {"table": self.store.keep(table), **found}

        return Answer(request, work)

    async def forget(self, request: Request) -> Response:
        """Free a table."""
        self.store.free(request.path_params["table"])
        return Response(status_code=204)

    async def induce(self, request: Request) -> Answer:
        """The rule of a table that was sent before, or comes along as `csv`."""
        asked = await json_of(request, self.limits)
        only(asked, "table", "csv", "target", "columns")
        one_of(asked, "table", "csv")

        async def work(progress: Progress) -> dict[str, Any]:
            held = await self._learn(asked, progress)
            learnt = held.need_learnt()
            return await asyncio.to_thread(view, learnt, learnt.printed)

        return Answer(request, work)

    async def score(self, request: Request) -> Response:
        """How the rules do that the page sends, perhaps edited."""
        asked, learnt = await self._about_learnt(request, "rules")
        rules = await asyncio.to_thread(rules_of, asked, learnt)
        return JSONResponse(await asyncio.to_thread(view, learnt, rules))

    async def edits(self, request: Request) -> Response:
        """What dropping or flipping one literal would do."""
        asked, learnt = await self._about_learnt(request, "rules", "rule", "clause", "literal")
        rules = await asyncio.to_thread(rules_of, asked, learnt)
        return JSONResponse(await asyncio.to_thread(what_if, learnt, rules, place_of(asked, rules)))

    async def explain(self, request: Request) -> Any:
        """Why a row of a table, or rows of one's own, get their answers."""
        asked = await json_of(request, self.limits)
        if "ruleset" in asked:
            return await self._of_own_rows(request, "explain_rows", asked)
        only(asked, "table", "learnt", "rules", "row")
        held = self._held(asked)
        learnt, row = _learnt_of(held, asked), part(asked, "row", int)
        rules = await asyncio.to_thread(rules_of, asked, learnt)
        return JSONResponse(await asyncio.to_thread(explain_row, held.table, learnt, rules, row))

    async def predict(self, request: Request) -> Answer:
        """The class of rows of one's own, by a saved ruleset."""
        asked = await json_of(request, self.limits)
        return await self._of_own_rows(request, "predict_rows", asked)

    async def compare(self, request: Request) -> Answer:
        """Other learners on the same folds."""
        _, learnt = await self._about_learnt(request)
        return self._job(request, "compare", learnt)

    async def playground(self, request: Request) -> Answer:
        """One change of the table, and what becomes of the rule."""
        asked, learnt = await self._about_learnt(request, "change", "learner", "rule", "seed")
        given = (
            learnt,
            part(asked, "rule", int, 0),
            part(asked, "change", str),
            part(asked, "learner", str, "rule"),
            _seed(asked),
        )
        return self._job(request, "play", *given)

    async def audit(self, request: Request) -> Answer:
        """Thirteen changes of the table, and whether the rule followed each of them."""
        asked = await json_of(request, self.limits)
        only(asked, "table", "learnt", "csv", "target", "columns", "learner", "seed")
        one_of(asked, "table", "csv")
        learner, seed = part(asked, "learner", str, "rule"), _seed(asked)
        anew = any(name in asked for name in ("csv", "target", "columns"))

        async def work(progress: Progress) -> dict[str, Any]:
            held = await self._learn(asked, progress) if anew else self._held(asked)
            found: dict[str, Any] = await self.workshop.run(
                "audit", _learnt_of(held, asked), learner, seed, progress=progress
            )
            return found

        return Answer(request, work)

    async def export(self, request: Request) -> Any:
        """The rules as a file: of a table that is kept, or of a saved ruleset."""
        asked = await json_of(request, self.limits)
        to = part(asked, "to", str)
        if "ruleset" in asked:
            only(asked, "ruleset", "to")
            ruleset = await asyncio.to_thread(ruleset_in, asked)
            return self._job(request, "export_ruleset", ruleset, to)
        only(asked, "table", "learnt", "rules", "to")
        held = self._held(asked)
        learnt = _learnt_of(held, asked)  # kept: by the time of the work it may be another
        rules = await asyncio.to_thread(rules_of, asked, learnt)
        given = (held.table, learnt, rules, to, self.workshop)
        return Answer(request, lambda progress: export(*given, progress))

    async def _of_own_rows(self, request: Request, job: str, asked: Mapping[str, Any]) -> Answer:
        only(asked, "ruleset", "rows", "csv")
        given = await asyncio.to_thread(own_rows, asked)
        return self._job(request, job, *given, self.limits)

    def _job(self, request: Request, job: str, *given: Any) -> Answer:
        async def work(progress: Progress) -> Any:
            return await self.workshop.run(job, *given, progress=progress)

        return Answer(request, work)

    async def _learn(self, asked: Mapping[str, Any], progress: Progress) -> Held:
        """The table of the request with the rule of its target; one that came along is not kept."""
        held = await self._inline(asked, progress) if "csv" in asked else self._held(asked)
        kinds = {name: column.decided_kind for name, column in held.table.items()}
        settings = settings_of(asked, kinds)
        held.learnt = await self.workshop.run("learn", held.table, settings, progress=progress)
        return held

    async def _inline(self, asked: Mapping[str, Any], progress: Progress) -> Held:
        job = ("describe_file", csv_in(asked), "the table", self.limits)
        table, _ = await self.workshop.run(*job, progress=progress)
        return Held(table)

    async def _about_learnt(
        self, request: Request, *names: str
    ) -> tuple[Mapping[str, Any], Learnt]:
        asked = await json_of(request, self.limits)
        only(asked, "table", "learnt", *names)
        return asked, _learnt_of(self._held(asked), asked)

    def _held(self, asked: Mapping[str, Any]) -> Held:
        return self.store.get(part(asked, "table", str))


def _learnt_of(held: Held, asked: Mapping[str, Any]) -> Learnt:
    return held.need_learnt(part(asked, "learnt", str) if "learnt" in asked else None)


def _seed(asked: Mapping[str, Any]) -> int:
    seed: int = part(asked, "seed", int, 0)
    if not 0 <= seed < 2**32:
        raise Refusal(422, "'seed' must be a whole number from 0 to 4294967295")
    return seed
