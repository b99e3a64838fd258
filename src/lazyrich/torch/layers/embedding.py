"""Tables that are looked up."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from lazyrich.torch.layers.kind import Kind, per_sample
from lazyrich.torch.layers.operand import Stored, Use, own

NO_TOKEN = -1  # padding: looked up, but not trained


class Embedding(Kind):
    """A matrix (tokens, features) on one-hot vectors, which are never formed: its columns are the tokens themselves."""

    modules = (nn.Embedding,)
    calls = ("embedding(input, weight, padding_idx, max_norm)",)
    read_at = ()

    def axes(self, view: str) -> tuple[int, Sequence[int]]:
        return 1, (0,)

    def untrained(self, use: Use) -> int | None:
        return use.bound.get("padding_idx")

    def exact(self, use: Use, shape: Sequence[int]) -> bool:
        return use.bound.get("max_norm") is None

    def pick(self, use: Use) -> Stored | None:
        """Rows of a parameter, picked by something that is not an activation, such as the embeddings of positions."""
        weight, read = use.bound.get("weight"), use.bound.get("input")
        if (
            not (isinstance(weight, Stored) and own(weight))
            or not self.exact(use, ())
            or (isinstance(read, Stored) and read.learned)
        ):
            return None
        return Stored(weight.name, True, "?")

    def columns(self, module: Any, args: Sequence[Tensor], m: int) -> Tensor | None:
        tokens, padding = args[0], module.padding_idx
        return per_sample(tokens if padding is None else tokens.masked_fill(tokens == padding, NO_TOKEN), m)

    def outputs(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return per_sample(value, m, 1, module.embedding_dim)
