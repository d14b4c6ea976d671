"""The endpoints under /api, and the responses with the result of a job."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import msgspec
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from gnri.data.table import Table
from gnri.estimator.point_tables import FORMS
from gnri.web import schemas
from gnri.web.editing import read_columns
from gnri.web.rule_view import TableFit
from gnri.web.schemas import given
from gnri.web.security import LINES, Limits, Refusal
from gnri.web.table_store import StoredTable, TableStore
from gnri.web.worker_pool import WorkerPool

BUNDLED = {
    "tic-tac-toe": "958 endgames: has x won?",
    "breast-cancer": "569 biopsies in 30 numbers",
    "iris": "150 flowers of three kinds",
    "wine": "178 wines of three growers",
    "monks-1": "A puzzle with a hidden rule",
    "clevr-hans3": "1,000 scenes of coloured things",
}
"""The tables that the page offers, with a description."""

FORM = "auto"
"""The form of rules where a request names none, as everywhere else."""

ABOUT_FIT = ("compare", "points", "alternatives", "path")
"""The endpoints that only run the job of their name, about a table and what was learnt from it."""

Run = Callable[..., Awaitable[Any]]
"""Runs a job in a worker: takes its name and its arguments, returns its result."""


@dataclass(frozen=True)
class Endpoints:
    """The endpoints, with the tables and the workers that they share."""

    limits: Limits
    store: TableStore
    pool: WorkerPool

    async def about(self, _: Request) -> Response:
        """Return the limits, the workers that are ready, tables, formats, and the default form."""
        sets = [{"name": name, "about": about} for name, about in BUNDLED.items()]
        return JSONResponse(
            {
                "limits": asdict(self.limits),
                "ready": self.pool.ready,
                "datasets": sets,
                "formats": list(schemas.FORMATS),
                "forms": list(FORMS),
                "form": FORM,
            }
        )

    async def upload(self, request: Request) -> "Answer":
        """Store a table: its text is the body, or {"dataset": name} names a bundled one."""
        kind = schemas.content_type(request)
        if kind == "application/json":
            asked = await schemas.read_request(request, schemas.UploadRequest, self.limits)
            upload: tuple[bytes | None, str] = None, asked.dataset
        elif kind in schemas.TABLE_TYPES:
            body = await schemas.read_body(request, self.limits)
            upload = body, request.query_params.get("name", "the table")[:200]
        else:
            raise Refusal(415, "send the table as text/csv, or JSON that names a bundled one")

        async def work(run: Run) -> dict[str, Any]:
            table, found = await run("describe_upload", *upload, self.limits)
            return {"table": self.store.add(table), **found}

        return Answer(self.pool, work)

    async def forget(self, request: Request) -> Response:
        """Delete a stored table."""
        self.store.remove(request.path_params["table"])
        return Response(status_code=204)

    async def induce(self, asked: schemas.InduceRequest, run: Run) -> Any:
        """Return the rules of a stored table, or of `csv`."""
        return (await self._learn(asked, run))[1]

    async def score(self, asked: schemas.ScoreRequest, run: Run) -> Any:
        """Return the statistics of rules that may be edited."""
        return await run("view", (await self._read_rules(asked))[1])

    async def edits(self, asked: schemas.EditsRequest, run: Run) -> Any:
        """Return the accuracy after dropping or negating one literal."""
        _, fit = await self._read_rules(asked)
        return await run("score_edits", fit, asked.rule, asked.clause, asked.literal)

    async def thresholds(self, asked: schemas.ThresholdsRequest, run: Run) -> Any:
        """Return the rows wrong at each place of a threshold, of those learnt from and held out."""
        found = self.store.get(asked.table).validation
        table, fit = await self._read_rules(asked)
        table = table.select(read_columns(fit, found))
        place = asked.rule, asked.clause, asked.literal
        return await run("try_thresholds", table, fit, found, *place)

    async def suggest(self, asked: schemas.SuggestRequest, run: Run) -> Any:
        """Return the literals to add to a clause, or new clauses, the best first."""
        _, fit = await self._read_rules(asked)
        return await run("suggest", fit, asked.rule, given(asked.clause))

    async def explain(self, asked: schemas.ExplainRequest, run: Run) -> Any:
        """Return why a row of a table, or sent rows, get their predictions."""
        row = given(asked.row)
        if row is None:
            return await self._answer_rows("explain", asked, run)
        table, fit = await self._read_rules(asked)
        found = await run("explain_row", fit.at_row(row))
        rows = fit.labelled(table)
        cells = {name: one.categories[one.values[row]] for name, one in rows.items()}
        del cells[fit.fitted.target.name]
        return {"row": row, **found, "cells": cells}

    async def predict(self, asked: schemas.PredictRequest, run: Run) -> Any:
        """Return the classes of sent rows, by a saved rule list."""
        return await self._answer_rows("predict", asked, run)

    async def validate(self, asked: schemas.ValidateRequest, run: Run) -> Any:
        """Return how often the rules are right on unseen rows, by cross-validation."""
        stored = self.store.get(asked.table)
        fit = stored.need_fit(asked.learnt)
        found, view = await run("validate", stored.table, fit)
        if stored.fit is fit:
            stored.validation = found
        return view

    async def playground(self, asked: schemas.PlaygroundRequest, run: Run) -> Any:
        """Return the rule before and after one change of the table."""
        fitted = self.store.get(asked.table).need_fit(asked.learnt).fitted
        return await run("play", fitted, asked.rule, asked.change, asked.learner, asked.seed)

    async def audit(self, asked: schemas.AuditRequest, run: Run) -> Any:
        """Return whether the rules follow each of thirteen changes of the table."""
        if given(asked.target) is None:
            stored = self.store.get(asked.table)
        else:
            stored, _ = await self._learn(asked, run)
        fitted = stored.need_fit(asked.learnt).fitted
        return await run("run_audit", fitted, asked.learner, asked.seed)

    async def export(self, asked: schemas.ExportRequest, run: Run) -> Any:
        """Return the rules of a stored table, or a saved rule list, as a file."""
        rule_list = given(asked.rule_list)
        if rule_list is not None:
            return await run("export_rules", bytes(rule_list), asked.format)
        found = self.store.get(asked.table).validation
        table, fit = await self._read_rules(asked)
        if asked.format == "html":
            return await run("html_report", table, fit, found)
        return await run("export_rules", fit.rules, asked.format)

    async def ask_about_fit(self, job: str, asked: schemas.TableRequest, run: Run) -> Any:
        """Return the answer of a job that takes a table and the rules that were learnt from it."""
        stored = self.store.get(asked.table)
        return await run(job, stored.table, stored.need_fit(asked.learnt))

    async def _read_rules(
        self, asked: schemas.ScoreRequest | schemas.RulesRequest
    ) -> tuple[Table, TableFit]:
        """Return the table, and the rules of the request or, if it has none, those of the fit."""
        stored = self.store.get(asked.table)
        fit = stored.need_fit(asked.learnt)
        table, sent = stored.table, given(asked.rules)
        return table, await asyncio.to_thread(fit.with_sent, table, sent)

    async def _learn(
        self, asked: schemas.InduceRequest | schemas.AuditRequest, run: Run
    ) -> tuple[StoredTable, Any]:
        """Learn the rules of the table of the request; return the table and their view."""
        columns = msgspec.to_builtins(given(asked.columns) or {})
        thresholds = sum(len(one.get("thresholds", ())) for one in columns.values())
        if thresholds > self.limits.thresholds:
            most = f"{self.limits.thresholds:,} thresholds can be given in all"
            raise Refusal(422, f"at most {most}, got {thresholds:,}; leave some out")
        csv = given(asked.csv)
        if csv is None:
            stored = self.store.get(asked.table)
        else:
            table, _ = await run("describe_upload", csv.encode(), "the table", self.limits)
            stored = StoredTable(table)
        form = FORM if asked.form is msgspec.UNSET else asked.form
        weight, settings = None, dict[str, Any](form=form)
        if isinstance(asked, schemas.InduceRequest):
            weight, keep = given(asked.weight), given(asked.keep)
            names = ("class_weight", "min_precision", "min_recall")
            settings |= {name: given(getattr(asked, name)) for name in names}
            settings["keep"] = None if keep is None else bytes(keep)
        task = stored.table, given(asked.target), columns, weight, settings
        stored.fit, view = await run("learn_and_view", *task)
        stored.validation = None
        return stored, view

    async def _answer_rows(
        self, how: str, asked: schemas.ExplainRequest | schemas.PredictRequest, run: Run
    ) -> msgspec.Raw:
        rows, csv = given(asked.rows), given(asked.csv)
        came = (bytes(rows), "rows") if rows is not None else ((csv or "").encode(), "csv")
        rule_list = bytes(given(asked.rule_list) or b"")
        return msgspec.Raw(await run("answer_rows", how, rule_list, *came, self.limits))


class Answer:
    """The response with the result of some work: one JSON object, or lines with the progress."""

    def __init__(self, pool: WorkerPool, work: Callable[[Run], Coroutine[Any, Any, Any]]) -> None:
        self.pool, self.work = pool, work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Do the work and send its result."""
        steps = asyncio.Queue[dict[str, Any] | None]()  # None at the end

        def report(share: float, note: str) -> None:
            steps.put_nowait({"progress": share, "note": note})

        work = asyncio.ensure_future(self.work(partial(self.pool.run, progress=report)))
        gone = asyncio.ensure_future(_wait_for_disconnect(receive))
        for end in (work, gone):
            end.add_done_callback(lambda _: steps.put_nowait(None))
        begun, lines = False, LINES in Headers(scope=scope).get("accept", "")

        async def write(line: dict[str, Any], *, more: bool = True) -> None:
            nonlocal begun
            body = await asyncio.to_thread(msgspec.json.encode, line)
            if not begun:
                begun, headers = True, [(b"content-type", LINES.encode())]
                await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body + b"\n", "more_body": more})

        try:
            while (step := await steps.get()) is not None:
                if lines:
                    await write(step)
            if work.done() and lines:
                await write({"result": work.result()}, more=False)
            elif work.done():
                body = await asyncio.to_thread(msgspec.json.encode, work.result())
                await Response(body, media_type="application/json")(scope, receive, send)
        finally:
            gone.cancel()
            work.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
            # An error of the work refers to this frame. Without the reference back, the table of
            # a refused request is freed at once.
            del work, end


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
