"""The small parts of both networks, the same for NumPy arrays and torch tensors.

A network is a tree of named arrays and functions of it. The package runs it with NumPy; `studies`
trains it with torch. `library(x)` is the module with the functions of x: most have one name and
one meaning in both. What differs, or is slow in one of them, is here.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnri.errors import CheckpointError, RecipeError

Array: TypeAlias = Any
"""A NumPy array or a torch tensor."""

Shapes = dict[str, tuple[int, ...]]
"""The shape of each array of a network by its name, in the order in which they are drawn."""

PAIRS = 2**26  # pairs of literals held at once on a GPU
GRID = 1 << 20  # what is compared is rounded to this grid, far above rounding noise


class Weights:
    """Arrays by name: that of `"query.weight"` is `weights.query.weight`; a number is an index."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        parts: dict[str, dict[str, Array]] = {}
        for name, array in arrays.items():
            first, _, rest = name.partition(".")
            parts.setdefault(first, {})[rest] = array
        for first, part in parts.items():
            setattr(self, first, part[""] if "" in part else Weights(part))

    def __getitem__(self, number: int) -> Any:
        return getattr(self, str(number))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def check_config(sizes: Mapping[str, Any]) -> None:
    """Raise unless the sizes of a network are whole numbers, and its heads divide its width."""
    for name, size in sizes.items():
        if type(size) is not int or size < 1:
            raise RecipeError(f"model.{name} must be a whole number from 1 up, got {size!r}")
    width, heads = sizes["width"], sizes["heads"]
    if width % heads:
        raise RecipeError(f"model.width must be a multiple of model.heads, got {width} and {heads}")


def linear_shapes(name: str, inputs: int, outputs: int, *, bias: bool = True) -> Shapes:
    """Return the shapes of a linear map."""
    weight: Shapes = {f"{name}.weight": (outputs, inputs)}
    return weight | {f"{name}.bias": (outputs,)} if bias else weight


def norm_shapes(name: str, width: int) -> Shapes:
    """Return the shapes of a layer norm."""
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def perceptron_shapes(name: str, *sizes: int) -> Shapes:
    """Return the shapes of linear maps with an activation, which has a number too, between them."""
    found: Shapes = {}
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        found |= linear_shapes(f"{name}.{2 * number}", inputs, outputs)
    return found


def library(array: Array) -> Any:
    """Return numpy or torch, whichever the array is of."""
    if isinstance(array, np.ndarray | np.generic):
        return np
    import torch

    return torch


def cast(array: Array, dtype: Any) -> Array:
    """Return the array in a dtype of its library."""
    return array.astype(dtype, copy=False) if library(array) is np else array.to(dtype)


def at_least_single(array: Array) -> Array:
    """Return half precision as float32; float32 and float64 as they are."""
    xp = library(array)
    return cast(array, xp.promote_types(array.dtype, xp.float32))


def linear(weights: Weights, inputs: Array) -> Array:
    """Return the image of the last axis under a linear map, with a bias if it has one."""
    bias = getattr(weights, "bias", None)
    if library(inputs) is not np:
        return library(inputs).nn.functional.linear(inputs, weights.weight, bias)
    shape = inputs.shape
    if inputs.ndim > 3:
        inputs = inputs.reshape(shape[0], math.prod(shape[1:-1]), shape[-1])
    outputs = inputs @ weights.weight.T
    if bias is not None:
        outputs += bias
    return outputs.reshape(*shape[:-1], outputs.shape[-1])


def layer_norm(weights: Weights, inputs: Array) -> Array:
    """Return the last axis with mean 0 and variance 1, then scaled and shifted."""
    if library(inputs) is not np:
        found = inputs.shape[-1:], weights.weight, weights.bias
        return library(inputs).nn.functional.layer_norm(inputs, *found)
    outputs = inputs - inputs.mean(-1, keepdims=True)
    variance = np.vecdot(outputs, outputs)[..., None] / inputs.shape[-1]
    outputs /= np.sqrt(variance + 1e-5)
    outputs *= weights.weight
    outputs += weights.bias
    return outputs


def relu(inputs: Array) -> Array:
    """Return each number, or 0 where it is negative."""
    return np.maximum(inputs, 0, out=inputs) if library(inputs) is np else inputs.relu()


def gelu(inputs: Array) -> Array:
    """Return x times the normal distribution's share below x.

    NumPy has no erf: this is a Taylor series at the nearest point of a grid, to 2e-14.
    """
    if library(inputs) is not np:
        return library(inputs).nn.functional.gelu(inputs)
    outputs = np.empty(inputs.shape, inputs.dtype)
    given, found = inputs.reshape(-1), outputs.reshape(-1)
    for start in range(0, len(given), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        np.multiply(given[part], _share_below(given[part]), out=found[part])
    return outputs


_AT_ONCE, _ROWS = 1 << 13, 1 << 11  # numbers and tokens, so that steps on them stay in the cache
_STEPS, _FAR = 512, 9  # points for each unit; beyond -9 and 9 the share is 0 and 1


def _share_below(numbers: NDArray[np.floating]) -> NDArray[np.float64]:
    distance = numbers * _STEPS
    np.rint(distance, out=distance)
    places = distance.astype(np.intp)
    places += _FAR * _STEPS
    distance *= -1 / _STEPS
    distance += numbers
    first, *others = _taylor().take(places, axis=0, mode="clip").T
    share = first * distance
    for coefficients in others[:-1]:
        share += coefficients
        share *= distance
    share += others[-1]
    return share


@cache
def _taylor() -> NDArray[np.float64]:
    """Return the coefficients of the Taylor series at each point, of the third power first."""
    x = np.arange(-_FAR * _STEPS, _FAR * _STEPS + 1) / _STEPS
    share = np.array([math.erfc(-point / math.sqrt(2)) / 2 for point in x])
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    density[[0, -1]], share[[0, -1]] = 0, (0, 1)
    return np.stack([density * (x * x - 1) / 6, -density * x / 2, density, share], axis=-1)


def perceptron(
    weights: Weights, inputs: Array, activation: Callable[[Array], Array] = gelu, layers: int = 2
) -> Array:
    """Return what linear maps with an activation between them make of the last axis."""
    if library(inputs) is np and inputs.ndim > 3:  # of pairs, which are many
        rows = inputs.reshape(math.prod(inputs.shape[:-1]), inputs.shape[-1])
        pieces = np.split(rows, range(_ROWS, len(rows), _ROWS))
        found = np.concatenate([perceptron(weights, one, activation, layers) for one in pieces])
        return found.reshape(*inputs.shape[:-1], found.shape[-1])
    outputs = linear(weights[0], inputs)
    for number in range(1, layers):
        outputs = linear(weights[2 * number], activation(outputs))
    return outputs


def sigmoid(inputs: Array) -> Array:
    """Return 1 / (1 + e^-x)."""
    if library(inputs) is not np:
        return inputs.sigmoid()
    small = np.exp(-np.abs(inputs))
    return np.where(inputs < 0, small, 1) / (1 + small)


def softplus(inputs: Array) -> Array:
    """Return log(1 + e^x)."""
    if library(inputs) is not np:
        return library(inputs).nn.functional.softplus(inputs)
    return np.log1p(np.exp(-np.abs(inputs))) + np.maximum(inputs, 0)


def softmax(inputs: Array) -> Array:
    """Return shares that add up to 1 over the last axis."""
    if library(inputs) is not np:
        return inputs.softmax(-1)
    shares = inputs - inputs.max(-1, keepdims=True, initial=-np.inf)
    np.exp(shares, out=shares)
    shares /= shares.sum(-1, keepdims=True)
    return shares


def log_gamma(inputs: Array) -> Array:
    """Return the logarithm of the gamma function of each of a few numbers."""
    if library(inputs) is not np:
        return inputs.lgamma()
    return np.array([math.lgamma(number) for number in inputs.flat]).reshape(inputs.shape)


def split_heads(tokens: Array, heads: int) -> Array:
    """Return (batch, tokens, width) as (batch, heads, tokens, width of a head)."""
    batch, count, width = tokens.shape
    return tokens.reshape(batch, count, heads, width // heads).swapaxes(1, 2)


def attend(query: Array, key: Array, value: Array, bias: Array = 0.0) -> Array:
    """Return what each token takes from the others, (batch, tokens, width), given by heads."""
    weights = query @ key.mT / math.sqrt(query.shape[-1]) + bias
    mixed = (softmax(weights) @ value).swapaxes(1, 2)
    return mixed.reshape(*mixed.shape[:2], -1)


def fits_gpu(array: Array, batch: int, literals: int) -> bool:
    """Return whether to compute all pairs of literals: on a GPU, where they fit.

    To find out what could be left out would mean to wait for the GPU, which takes longer.
    """
    return getattr(array.device, "type", "cpu") == "cuda" and batch * literals**2 <= PAIRS


def full_precision(array: Array) -> AbstractContextManager[object]:
    """Return a context in which torch computes products in the precision of their factors."""
    if library(array) is np:
        return nullcontext()
    return library(array).autocast(array.device.type, enabled=False)


@contextmanager
def one_thread() -> Iterator[None]:
    """Multiply on one thread: threads that wait for each other at many small steps are slow.

    NumPy does not warn of NaN and infinity; `require_finite` refuses them.
    """
    with _controller().limit(limits=1, user_api="blas"), np.errstate(all="ignore"):
        yield


def require_finite(answers: NDArray[Any]) -> NDArray[Any]:
    """Return the answers of a network; raise on NaN and infinity, which finite weights can give."""
    if not np.isfinite(answers).all():
        raise CheckpointError(
            "the weights of the model give NaN or infinity on this table; use another model"
        )
    return answers


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
