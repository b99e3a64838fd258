"""Run a forward pass in higher precision than the model's, even where the model casts to lower precision."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

FLOAT_DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)  # from coarse to fine
CAST_METHODS = ("half", "bfloat16", "float")
DTYPE = torch.dtype


class MinimumPrecision(TorchFunctionMode):
    """Mode in which every function returns floating-point tensors of at least this precision.

    A model in half precision that casts its inputs (`x.to(torch.bfloat16)`) would otherwise be combined with widened
    weights and raise an error. `coarsest` is the coarsest precision that some function still returned.

    >>> third = torch.ones(()) / 3
    >>> with MinimumPrecision(torch.float64) as precision:
    ...     third.double().bfloat16() - third
    tensor(0., dtype=torch.float64)
    """

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = self.coarsest = dtype

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        args, kwargs = self.widen_requested_dtypes(args), self.widen_requested_dtypes(kwargs or {})
        if (
            getattr(func, "__name__", "") in CAST_METHODS
            and isinstance(args[0], Tensor)
            and args[0].is_floating_point()
        ):  # skip the cast, which would round
            return args[0].to(self.dtype) if self.is_coarse(args[0]) else args[0]
        try:
            result = func(*args, **kwargs)
        except RuntimeError:  # mixed precisions, such as a constant of the model and an activation
            wide = self.widen(args), self.widen(kwargs)
            if not self.is_any_coarse((args, kwargs)):
                raise
            result = func(*wide[0], **wide[1])
        return self.widen(result, record_precision=True)

    def widen_requested_dtypes(self, tree: Any) -> Any:
        """Replace each requested dtype that is too coarse by the minimum precision, in nested arguments."""
        if type(tree) in (tuple, list):
            return type(tree)(self.widen_requested_dtypes(x) for x in tree)
        if type(tree) is dict:
            return {name: self.widen_requested_dtypes(x) for name, x in tree.items()}
        coarse = (
            tree in FLOAT_DTYPES and FLOAT_DTYPES.index(tree) < FLOAT_DTYPES.index(self.dtype)
            if type(tree) is DTYPE
            else False
        )
        return self.dtype if coarse else tree

    def is_coarse(self, x: object) -> bool:
        return (
            isinstance(x, Tensor)
            and x.dtype in FLOAT_DTYPES
            and FLOAT_DTYPES.index(x.dtype) < FLOAT_DTYPES.index(self.dtype)
        )

    def is_any_coarse(self, tree: Any) -> bool:
        if isinstance(tree, Mapping):
            tree = tuple(tree.values())
        return any(map(self.is_any_coarse, tree)) if isinstance(tree, (tuple, list)) else self.is_coarse(tree)

    def widen(self, tree: Any, record_precision: bool = False) -> Any:
        """Convert tensors that are too coarse to the minimum precision, in nested tuples, lists and dictionaries.

        With `record_precision`, record the coarsest precision found in `coarsest`.
        """
        if type(tree) in (tuple, list):
            return type(tree)(self.widen(x, record_precision) for x in tree)
        if type(tree) is dict:
            return {name: self.widen(x, record_precision) for name, x in tree.items()}
        if not self.is_coarse(tree):
            return tree
        if record_precision and FLOAT_DTYPES.index(tree.dtype) < FLOAT_DTYPES.index(self.coarsest):
            self.coarsest = tree.dtype
        return tree.to(self.dtype)
