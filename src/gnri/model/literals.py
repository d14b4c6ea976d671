"""The embeddings of many literals, kept as a product that is never multiplied out."""

from typing import NamedTuple

from torch import Tensor


class Literals(NamedTuple):
    """Literal l has the embedding `codes[l] @ basis`.

    All that is asked of the literals is linear in them, so the narrow codes will do: their
    basis is applied to the few vectors that meet them. In training the codes are the embeddings.
    """

    codes: Tensor  # (batch, literals, rank)
    basis: Tensor | None = None  # (rank, width)

    def products(self, vectors: Tensor) -> Tensor:
        """Of vectors (..., vectors, width) with every literal, (batch, vectors, literals)."""
        folded = vectors if self.basis is None else vectors @ self.basis.mT
        return folded @ self.codes.mT

    def sums(self, shares: Tensor) -> Tensor:
        """Weighted by shares (batch, sums, literals), (batch, sums, width)."""
        return self._embedded(shares @ self.codes)

    def maps(self, weight: Tensor) -> Tensor:
        """Every literal through a map (outputs, width), (batch, literals, outputs)."""
        return self.codes @ (weight.mT if self.basis is None else self.basis @ weight.mT)

    def at(self, places: Tensor) -> Tensor:
        """The embeddings of some literals, (batch, places, width)."""
        return self._embedded(self.codes[:, places])

    def _embedded(self, codes: Tensor) -> Tensor:
        return codes if self.basis is None else codes @ self.basis
