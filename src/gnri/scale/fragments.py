"""The parts of an Arrow dataset: its fragments, as they lie in files or in memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gnri.data.table import check_names
from gnri.errors import GnriError
from gnri.scale.parts import ROWS_OF_A_PART, Part, batch_rows, guarded


@dataclass(frozen=True, eq=False, slots=True)
class FragmentPart:
    """A fragment of a dataset with this schema."""

    path: str
    fragment: Any
    schema: Any

    text = False

    def types(self) -> dict[str, Any]:
        return dict(zip(self.schema.names, self.schema.types, strict=True))

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        reader = guarded(self.path, self._reader, columns)
        while (batch := guarded(self.path, next, reader, None)) is not None:
            if len(batch):
                yield batch

    def _reader(self, columns: Sequence[str]) -> Iterator[Any]:
        names = list(columns)
        batches: Iterator[Any] = iter(
            self.fragment.to_batches(
                schema=self.schema,
                columns=names,
                batch_size=batch_rows(len(names)),
                batch_readahead=2,  # more would not be bounded by what is asked for
                fragment_readahead=1,
                use_threads=False,
            )
        )
        return batches


def is_dataset(given: Any) -> bool:
    """Whether this is a dataset of Arrow; pyarrow is not loaded to find out."""
    kinds = {f"{kind.__module__}.{kind.__name__}" for kind in type(given).__mro__}
    return "pyarrow._dataset.Dataset" in kinds


def fragments_of(dataset: Any) -> list[Part]:
    """The parts of a dataset, large Parquet files cut between their row groups."""
    check_names(list(dataset.schema.names), "the dataset")
    try:
        fragments = list(dataset.get_fragments())
    except ValueError as error:  # pyarrow keeps the parts of a filtered dataset to itself
        raise GnriError(
            f"the dataset cannot be read in parts: {error} Write the rows you want to files"
        ) from None
    found: list[Part] = [
        FragmentPart(str(getattr(piece, "path", "the dataset")), piece, dataset.schema)
        for fragment in fragments
        for piece in _pieces(fragment)
    ]
    if not found:
        raise GnriError("the dataset has no files; name some with rows")
    return found


def _pieces(fragment: Any) -> list[Any]:
    if not hasattr(fragment, "split_by_row_group"):
        return [fragment]
    metadata = guarded(fragment.path, lambda: fragment.metadata)
    if metadata.num_rows <= ROWS_OF_A_PART:
        return [fragment]
    return list(fragment.split_by_row_group())
