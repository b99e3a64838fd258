"""Rule for embedding tables."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from lazyrich.torch.layer_rules.operands import LayerCall, StoredTensor, is_unmodified_parameter
from lazyrich.torch.layer_rules.rule import LayerRule, split_samples

NO_TOKEN = -1  # a padding token: looked up, but not trained


class Embedding(LayerRule):
    """A matrix (tokens, features) applied to one-hot vectors, which are never formed: the columns are the tokens
    themselves."""

    module_types = (nn.Embedding,)
    function_signatures = ("embedding(input, weight, padding_idx, max_norm)",)
    input_axes = ()

    def axes(self, view: str) -> tuple[int, Sequence[int]]:
        return 1, (0,)

    def untrained_row(self, use: LayerCall) -> int | None:
        return use.bound.get("padding_idx")

    def is_homogeneous(self, use: LayerCall, shape: Sequence[int]) -> bool:
        return use.bound.get("max_norm") is None

    def select_stored(self, use: LayerCall) -> StoredTensor | None:
        """Return the parameter from which rows are looked up by a constant index, such as position embeddings, or
        None."""
        weight, read = use.bound.get("weight"), use.bound.get("input")
        if (
            not (isinstance(weight, StoredTensor) and is_unmodified_parameter(weight))
            or not self.is_homogeneous(use, ())
            or (isinstance(read, StoredTensor) and read.learned)
        ):
            return None
        return StoredTensor(weight.name, True, "?")

    def columns(self, module: Any, args: Sequence[Tensor], m: int) -> Tensor | None:
        tokens, padding = args[0], module.padding_idx
        return split_samples(tokens if padding is None else tokens.masked_fill(tokens == padding, NO_TOKEN), m)

    def signals(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return split_samples(value, m, 1, module.embedding_dim)
