"""Follow each parameter through operations that only move or scale its entries, to the operation that uses it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jax.extend import core
from jaxtyping import PyTree

from lazyrich.jax._equation import Atom, Equation
from lazyrich.jax._jacobian.index_ops import apply_to_indices, is_index_op, scalar_multiple
from lazyrich.jax._jacobian.program import Program


@dataclass(frozen=True)
class View:
    """The entries of a parameter after some operations that move them, times some scalars (each to the power 1 or
    −1)."""

    leaf: int
    path: tuple[tuple[Equation, int], ...] = ()  # the operations that move entries
    scales: tuple[tuple[Atom | float, int], ...] = ()

    def apply(self, value: np.ndarray) -> np.ndarray:
        """Return the moved entries of the parameter, without the scalars."""
        for eqn, which in self.path:
            value = apply_to_indices(value, eqn)[which]
        return value

    def entry_indices(self, shape: Sequence[int]) -> np.ndarray:
        """Return the number of the parameter entry at each place of the view."""
        return self.apply(np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape))

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for views with the same entries in the same order."""
        steps = tuple((eqn.primitive.name, str(eqn.params), which) for eqn, which in self.path)
        return (
            self.leaf,
            steps,
            tuple((str(atom) if isinstance(atom, core.Literal) else id(atom), power) for atom, power in self.scales),
        )

    @property
    def is_injective(self) -> bool:
        """Whether no entry appears in two places."""
        for eqn, _ in self.path:
            if eqn.primitive.name == "broadcast_in_dim":
                (before,), (after,) = eqn.invars, eqn.outvars
                if before.aval.size != after.aval.size:
                    return False
        return True


@dataclass(frozen=True)
class ParameterFlow:
    """Views by variable, the operations (by position) that read each variable, and the results of the program."""

    views: Mapping[core.Var, View]
    readers: Mapping[core.Var, Sequence[int]]
    ends: Sequence[PyTree] = field(default_factory=tuple)


def trace_parameters(program: Program) -> ParameterFlow:
    """Follow the parameters through the equations of a program that only move, reshape or scale their entries."""
    views: dict[core.Var, View] = {var: View(i) for i, var in enumerate(program.parameters)}
    readers: dict[core.Var, list[int]] = {}
    for position, eqn in enumerate(program.jaxpr.eqns):
        for atom in eqn.invars:
            if not isinstance(atom, core.Literal):
                readers.setdefault(atom, []).append(position)
        if is_index_op(eqn) and eqn.invars[0] in views:
            before = views[eqn.invars[0]]
            for which, var in enumerate(eqn.outvars):
                views[var] = View(before.leaf, (*before.path, (eqn, which)), before.scales)
        elif (
            (multiple := scalar_multiple(eqn)) is not None
            and not isinstance(multiple[0], core.Literal)
            and multiple[0] in views
        ):
            array, scalar, power = multiple
            if scalar is not array:
                before = views[array]
                views[eqn.outvars[0]] = View(before.leaf, before.path, (*before.scales, (scalar, power)))
    return ParameterFlow(views, readers, tuple(program.jaxpr.outvars))
