"""The endpoints under /api."""

import asyncio
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gnri.data.table import Table
from gnri.estimator.fitting import FitSettings
from gnri.estimator.point_tables import FORMS
from gnri.web import Report, schemas
from gnri.web.answers import Answer
from gnri.web.rule_view import ShownRules, read_rules
from gnri.web.schemas import given
from gnri.web.security import Limits, Refusal
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

FORM = FitSettings().form
"""The form of rules where a request names none."""


@dataclass(frozen=True)
class Endpoints:
    """The endpoints, with the tables and the workers that they share."""

    limits: Limits
    store: TableStore
    pool: WorkerPool

    async def about(self, _: Request) -> Response:
        """Return the limits, the workers that are ready, tables, formats, and the default form."""
        limits, sets = (
            asdict(self.limits),
            [{"name": name, "about": about} for name, about in BUNDLED.items()],
        )
        answer = {"limits": limits, "ready": self.pool.ready, "datasets": sets}
        return JSONResponse(
            {**answer, "formats": list(schemas.FORMATS), "forms": list(FORMS), "form": FORM}
        )

    async def upload(self, request: Request) -> Answer:
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

        async def work(progress: Report) -> dict[str, Any]:
            job = "describe_upload", *upload, self.limits
            table, found = await self.pool.run(*job, progress=progress)
            return {"table": self.store.add(table), **found}

        return Answer(work)

    async def forget(self, request: Request) -> Response:
        """Delete a stored table."""
        self.store.remove(request.path_params["table"])
        return Response(status_code=204)

    async def induce(self, asked: schemas.InduceRequest, progress: Report) -> Any:
        """Return the rules of a stored table, or of `csv`."""
        stored, task = await self._read_task(asked, progress)
        stored.fit, view = await self.pool.run("learn_and_view", *task, progress=progress)
        return view

    async def score(self, asked: schemas.ScoreRequest, progress: Report) -> Any:
        """Return the statistics of rules that may be edited."""
        return await self.pool.run("view", (await self._read_rules(asked))[1], progress=progress)

    async def edits(self, asked: schemas.EditsRequest, progress: Report) -> Any:
        """Return the accuracy after dropping or negating one literal."""
        shown, place = (await self._read_rules(asked))[1], (asked.rule, asked.clause, asked.literal)
        return await self.pool.run("score_edits", shown, *place, progress=progress)

    async def explain(self, asked: schemas.ExplainRequest, progress: Report) -> Any:
        """Return why a row of a table, or sent rows, get their predictions."""
        row = given(asked.row)
        if row is None:
            return await self._answer_rows("explain", asked, progress)
        table, shown = await self._read_rules(asked)
        found = await self.pool.run("explain_row", shown.at_row(row), progress=progress)
        target = shown.fit.fitted.target.name
        cells = {name: one.categories[one.values[row]] for name, one in table.items()}
        return {"row": row, **found, "cells": {n: cells[n] for n in cells if n != target}}

    async def predict(self, asked: schemas.PredictRequest, progress: Report) -> Any:
        """Return the classes of sent rows, by a saved rule list."""
        return await self._answer_rows("predict", asked, progress)

    async def compare(self, asked: schemas.CompareRequest, progress: Report) -> Any:
        """Return the cross-validated accuracy of ours and other learners."""
        stored = self.store.get(asked.table)
        job = "compare", stored.table, stored.need_fit(given(asked.learnt))
        return await self.pool.run(*job, progress=progress)

    async def playground(self, asked: schemas.PlaygroundRequest, progress: Report) -> Any:
        """Return the rule before and after one change of the table."""
        fitted = self.store.get(asked.table).need_fit(given(asked.learnt)).fitted
        job = "play", fitted, asked.rule, asked.change, asked.learner, asked.seed
        return await self.pool.run(*job, progress=progress)

    async def audit(self, asked: schemas.AuditRequest, progress: Report) -> Any:
        """Return whether the rules follow each of thirteen changes of the table."""
        if given(asked.target) is None:
            stored = self.store.get(given(asked.table) or "")
        else:
            stored, task = await self._read_task(asked, progress)
            stored.fit = await self.pool.run("learn", *task, progress=progress)
        fitted = stored.need_fit(given(asked.learnt)).fitted
        job = "run_audit", fitted, asked.learner, asked.seed
        return await self.pool.run(*job, progress=progress)

    async def export(self, asked: schemas.ExportRequest, progress: Report) -> Any:
        """Return the rules of a stored table, or a saved rule list, as a file."""
        rule_list = given(asked.rule_list)
        if rule_list is not None:
            job: tuple[Any, ...] = "export_rules", bytes(rule_list), asked.format
        else:
            table, shown = await self._read_rules(asked)
            job = "export_rules", shown.rules, asked.format
            if asked.format == "html":
                job = "html_report", table, shown
        return await self.pool.run(*job, progress=progress)

    async def _read_rules(
        self, asked: schemas.ScoreRequest | schemas.RulesRequest
    ) -> tuple[Table, ShownRules]:
        """Return the table, and the rules of the request or, if it has none, those of the fit."""
        stored = self.store.get(given(asked.table) or "")
        fit = stored.need_fit(given(asked.learnt))
        rules = await asyncio.to_thread(read_rules, fit.fitted, given(asked.rules))
        return stored.table, ShownRules(fit, rules)

    async def _read_task(
        self, asked: schemas.InduceRequest | schemas.AuditRequest, progress: Report
    ) -> tuple[StoredTable, tuple[Any, ...]]:
        """Return the table of the request, and what is to be learnt from it."""
        csv = given(asked.csv)
        if csv is None:
            stored = self.store.get(given(asked.table) or "")
        else:
            job = "describe_upload", csv.encode(), "the table", self.limits
            stored = StoredTable((await self.pool.run(*job, progress=progress))[0])
        columns = msgspec.to_builtins(given(asked.columns) or {})
        return stored, (stored.table, given(asked.target) or "", columns, given(asked.form))

    async def _answer_rows(
        self, how: str, asked: schemas.ExplainRequest | schemas.PredictRequest, progress: Report
    ) -> msgspec.Raw:
        rows, csv = given(asked.rows), given(asked.csv)
        came = (bytes(rows), "rows") if rows is not None else ((csv or "").encode(), "csv")
        job = "answer_rows", how, bytes(given(asked.rule_list) or b""), *came, self.limits
        return msgspec.Raw(await self.pool.run(*job, progress=progress))
