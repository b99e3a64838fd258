"""Find the bias that is added to the result of a weight operation and to nothing else; it adds a column of ones."""

from collections.abc import Sequence

import numpy as np
from jax.extend import core
from jaxtyping import PyTree

from lazyrich.jax._jacobian.index_ops import apply_to_indices, is_index_op
from lazyrich.jax._jacobian.parameter_flow import ParameterFlow
from lazyrich.jax._jacobian.program import Program
from lazyrich.jax.weight_rules.rule import Bias, WeightRule


def find_bias(use: WeightRule, program: Program, flow: ParameterFlow) -> Bias | None:
    """Return the bias of this use of a weight, or None."""
    var, index = use.eqn.outvars[0], np.arange(use.eqn.outvars[0].aval.size).reshape(use.eqn.outvars[0].aval.shape)
    while var not in flow.ends and len(flow.readers.get(var, ())) == 1:
        position = flow.readers[var][0]
        eqn = program.jaxpr.eqns[position]
        if is_index_op(eqn) and len(eqn.outvars) == 1 and eqn.outvars[0].aval.size == index.size:
            (index,) = apply_to_indices(index, eqn)
            var = eqn.outvars[0]
            continue
        if eqn.primitive.name not in ("add", "add_any") or eqn.outvars[0].aval.shape != index.shape:
            return None
        operand = 1 if eqn.invars[0] is var else 0
        summand = eqn.invars[operand]
        if summand is var or isinstance(summand, core.Literal) or summand not in flow.views:
            return None
        view = flow.views[summand]
        entries = _bias_entries(
            use, index, np.broadcast_to(view.entry_indices(_parameter_shape(program, view.leaf)), index.shape)
        )
        return None if entries is None else Bias(view, entries, (position, operand))
    return None


def _parameter_shape(program: Program, leaf: int) -> Sequence[int]:
    return program.parameters[leaf].aval.shape


def _bias_entries(use: WeightRule, index: np.ndarray, entries: np.ndarray) -> np.ndarray | None:
    """Return the bias entry of each (g, o), or None unless it is the same at all positions and different for each."""
    back = np.empty(index.size, np.int64)
    back[index.reshape(-1)] = entries.reshape(-1)
    g_t_o: PyTree = use.signals(back.reshape(use.eqn.outvars[0].aval.shape))
    first = g_t_o[:, 0]
    same = (g_t_o == first[:, None]).all()
    return first if same and len(np.unique(first)) == first.size else None
