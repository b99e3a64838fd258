"""Plan how the Jacobian of a model is formed, layer by layer, and test the factors against automatic
differentiation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import Array, PyTree

from lazyrich.jax._jacobian.factors import JacobianFactors, nbytes
from lazyrich.jax._jacobian.program import Program, evaluate, evaluate_equation
from lazyrich.jax._jacobian.weight_layers import WeightLayer, WeightLayout, find_layers

CHUNK_BYTES = 2**25  # activations and signals held while factors are formed
FAST_COMPILE_OPTIONS: dict[str, Any] = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
}  # for programs that run once
N_TEST_SAMPLES = 2  # samples on which factors are compared with automatic differentiation


@dataclass(frozen=True, eq=False)
class JacobianPlan:
    """How the Jacobian factors of samples are computed for one program."""

    layout: WeightLayout

    @property
    def program(self) -> Program:
        return self.layout.program

    @cached_property
    def outputs(self) -> int:
        return prod(self.program.jaxpr.outvars[0].aval.shape)

    @cached_property
    def dtype(self) -> PyTree:
        """The dtype of the kernel: that of the outputs, but at least float32."""
        dtype = self.program.jaxpr.outvars[0].aval.dtype
        return dtype if dtype.itemsize >= 4 else np.dtype(np.float32)

    def is_factored(self, layer: WeightLayer) -> bool:
        """Return whether a layer is kept as two factors, rather than as columns of the Jacobian."""
        return layer.gram_cost(self.outputs) < layer.dense_cost(self.outputs)

    @cached_property
    def pair_cost(self) -> float:
        """Number of multiplications for a pair of samples."""
        c = self.outputs
        rest = sum(prod(self.program.parameters[leaf].aval.shape) for leaf in self.layout.rest)
        return sum(min(layer.gram_cost(c), layer.dense_cost(c)) for layer in self.layout.layers) + c * c * rest

    @property
    def method(self) -> str:
        """Summary of which method handles how many layers and parameters."""
        grams = sum(self.is_factored(layer) for layer in self.layout.layers)
        parts = [(grams, "layer(s) as products of Gram matrices")]
        parts.append((len(self.layout.layers) - grams, "by per-sample Jacobians"))
        parts.append((len(self.layout.rest), "other parameter(s) by automatic differentiation"))
        return ", ".join(f"{number} {words}" for number, words in parts if number)

    def columns_and_signals(
        self,
        values: Sequence[PyTree],
        consts: Sequence[PyTree],
        roots: Sequence[PyTree],
        sample: Sequence[PyTree],
        pulls: Array,
    ) -> tuple[list[tuple[Array, Array]], list[Array]]:
        """Return, for one sample and k cotangents (k, c), columns and signals (k, g, t, o) of the layers, and
        gradients of the rest."""
        uses = [use for layer in self.layout.layers for use in layer.uses]
        # without duplicates: both operands may be weights
        taps = list(dict.fromkeys(use.eqn.outvars[0] for use in uses))
        keep = [use.input_variable for use in uses] + [
            atom for layer in self.layout.layers for atom in _scalar_factors(layer)
        ]

        def outputs(moved: Sequence[PyTree], rest: Sequence[PyTree]) -> tuple[Array, list[Array]]:
            inputs = list(values)
            for leaf, value in zip(self.layout.rest, rest, strict=True):
                inputs[leaf] = value
            out, recorded = evaluate(
                self.program, consts, [*inputs, *sample], dict(zip(taps, moved, strict=True)), keep
            )
            return out.reshape(-1), recorded

        zeros = [jnp.zeros(var.aval.shape, var.aval.dtype) for var in taps]
        rest = [values[leaf] for leaf in self.layout.rest]
        out, pull, recorded = jax.vjp(outputs, zeros, rest, has_aux=True)
        pulled, slopes = jax.vmap(pull)(pulls.astype(out.dtype))
        signals = dict(zip(taps, pulled, strict=True))
        factors_of_layers, others, scalars = [], iter(recorded), iter(recorded[len(uses) :])
        for layer in self.layout.layers:
            here = [(next(others), signals[use.eqn.outvars[0]]) for use in layer.uses]
            factors = [next(scalars) for _ in _scalar_factors(layer)]
            factors_of_layers.append(_join_uses(layer, here, factors, roots, self.dtype))
        slopes = [roots[leaf] * s.astype(self.dtype) for leaf, s in zip(self.layout.rest, slopes, strict=True)]
        return factors_of_layers, slopes

    def single_sample(self, values: PyTree, consts: PyTree, roots: Sequence[PyTree], sample: PyTree) -> JacobianFactors:
        """Return the factors of one sample, without a sample axis."""
        c = self.outputs
        parts, slopes = self.columns_and_signals(values, consts, roots, sample, jnp.eye(c, dtype=self.dtype))
        factored = tuple(pair for layer, pair in zip(self.layout.layers, parts, strict=True) if self.is_factored(layer))
        dense = [
            jnp.einsum("gti,cgto->cgio", *pair).reshape(c, -1)
            for layer, pair in zip(self.layout.layers, parts, strict=True)
            if not self.is_factored(layer)
        ]
        dense += [slope.reshape(c, -1) for slope in slopes]
        return JacobianFactors(jnp.concatenate([*dense, jnp.zeros((c, 0), self.dtype)], 1), factored)

    @cached_property
    def factors(self) -> PyTree:
        """Compiled function (values, consts, roots, samples) → `JacobianFactors`."""

        def of(values: PyTree, consts: PyTree, roots: Sequence[PyTree], samples: PyTree) -> JacobianFactors:
            count = len(samples[0])
            many = jax.vmap(lambda sample: self.single_sample(values, consts, roots, sample))
            pieces = math.ceil(count / self.chunk_size)
            if pieces == 1:
                return many(samples)
            # Pieces have one size, the last one padded, since another size would be compiled again.
            index = jnp.minimum(jnp.arange(pieces * math.ceil(count / pieces)), count - 1).reshape(pieces, -1)
            chunks = jax.lax.map(many, [part[index] for part in samples])
            return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:])[:count], chunks)

        return jax.jit(of)

    @cached_property
    def chunk_size(self) -> int:
        """Number of samples processed at once while factors are formed."""
        uses = [use for layer in self.layout.layers for use in layer.uses]
        recorded_bytes = sum(
            use.input_variable.aval.size * 2 + use.eqn.outvars[0].aval.size * 3 * self.outputs for use in uses
        )
        recorded_bytes += sum(
            layer.sizes[0] * layer.sizes[1] * layer.sizes[2] for layer in self.layout.layers if not layer.is_embedding
        )
        rest = sum(prod(self.program.parameters[leaf].aval.shape) for leaf in self.layout.rest)
        return max(1, int(CHUNK_BYTES / 4 / (recorded_bytes + 2 * self.outputs * rest + 1)))

    @cached_property
    def sample_bytes(self) -> int:
        """Size in bytes of the Jacobian factors of one sample."""
        values, consts, sample = self._shapes()
        return nbytes(
            jax.eval_shape(
                self.single_sample, values, consts, [jax.ShapeDtypeStruct((), self.dtype)] * len(values), sample
            )
        )

    def gradient_errors(self, many: int) -> PyTree:
        """Compile a function that compares each layer's factors with the gradient of a random combination of outputs,
        per sample.

        It is compiled ahead of its call, so that it runs on values even inside of a transformation.
        """

        def gaps(values: PyTree, consts: PyTree, sample: PyTree, pull: Array) -> list[tuple[Array, Array]]:
            def along(values: PyTree) -> Array:
                return evaluate(self.program, consts, [*values, *sample])[0].reshape(-1).astype(self.dtype) @ pull

            ones, truth = [jnp.ones((), self.dtype)] * len(values), jax.grad(along)(values)
            parts, _ = self.columns_and_signals(values, consts, ones, sample, pull[None])
            return [_gradient_error(layer, *pair, truth) for layer, pair in zip(self.layout.layers, parts, strict=True)]

        values, consts, sample = self._shapes()
        samples = [jax.ShapeDtypeStruct((many, *part.shape), part.dtype) for part in sample]
        pulls = jax.ShapeDtypeStruct((many, self.outputs), self.dtype)
        whole = jax.jit(jax.vmap(gaps, (None, None, 0, 0))).lower(values, consts, samples, pulls)
        return whole.compile(compiler_options=FAST_COMPILE_OPTIONS)

    def _shapes(self) -> tuple[list[PyTree], list[PyTree], list[PyTree]]:
        """Return the shapes of the parameters, of the arrays that the function closes over, and of one sample."""
        n, jaxpr = self.program.leaves, self.program.jaxpr
        arguments, consts = (
            [jax.ShapeDtypeStruct(var.aval.shape, var.aval.dtype) for var in variables]
            for variables in (jaxpr.invars, jaxpr.constvars)
        )
        return arguments[:n], consts, arguments[n:]

    def disagreeing_parameters(self, values: PyTree, consts: PyTree, samples: PyTree) -> list[int] | None:
        """Return the parameters of layers whose factors disagree with automatic differentiation, or None if there
        are NaNs."""
        if not self.layout.layers:
            return []
        pulls = np.random.default_rng(0).normal(size=(len(samples[0]), self.outputs)).astype(self.dtype)
        errors = [np.asarray(pair) for pair in _gradient_errors(self, len(pulls))(values, consts, samples, pulls)]
        if not all(np.isfinite(pair).all() for pair in errors):
            return None
        slack = max(1e-8, 1e4 * self.program.machine_epsilon)
        bad = [
            layer
            for layer, (gap, large) in zip(self.layout.layers, errors, strict=True)
            if not (gap <= slack * large.max()).all()
        ]
        return list(dict.fromkeys(leaf for layer in bad for leaf in layer.leaves))


@lru_cache(maxsize=32)
def plan_of(program: Program) -> JacobianPlan:
    """Return the plan of a program, cached so that equal programs are compiled once."""
    return JacobianPlan(find_layers(program))


@lru_cache(maxsize=32)
def _gradient_errors(plan: JacobianPlan, many: int) -> PyTree:
    return plan.gradient_errors(many)


def _scalar_factors(layer: WeightLayer) -> list[PyTree]:
    views = [layer.view] if layer.bias is None else [layer.view, layer.bias.view]
    return [atom for view in views for atom, _ in view.scales if not isinstance(atom, float)]


def _join_uses(
    layer: WeightLayer, here: PyTree, scalars: Sequence[PyTree], roots: Sequence[PyTree], dtype: DTypeLike
) -> tuple[Array, Array]:
    """Concatenate the uses of one layer along its positions."""
    rest = iter(scalars)

    def factor(view: PyTree) -> PyTree:
        root = roots[view.leaf]
        for atom, power in view.scales:
            scalar = atom if isinstance(atom, float) else next(rest)
            root = root * scalar if power == 1 else root / scalar
        return root.astype(dtype)

    weight = factor(layer.view)
    G = jnp.concatenate([jax.vmap(u.signals)(s) for u, (_, s) in zip(layer.uses, here, strict=True)], 2).astype(dtype)
    columns = [use.columns(value) for use, (value, _) in zip(layer.uses, here, strict=True)]
    if layer.is_embedding:
        return jnp.concatenate(columns), weight * G
    A = weight * jnp.concatenate(columns, 1).astype(dtype)
    if layer.bias is not None:
        A = jnp.concatenate([A, jnp.broadcast_to(factor(layer.bias.view), (*A.shape[:2], 1))], 2)
    return A, G


def _gradient_error(layer: WeightLayer, A: Array, G: Array, truth: Sequence[Array]) -> tuple[Array, Array]:
    """Return the largest difference between the gradient from the factors and the true one, and the largest entry of
    the true one."""
    by_autodiff = truth[layer.view.leaf]
    for eqn, which in layer.view.path:
        by_autodiff = evaluate_equation(eqn, [by_autodiff])[which]
    by_autodiff = layer.uses[0].weight(by_autodiff).astype(G.dtype)
    if layer.is_embedding:
        rows = by_autodiff.shape[1]
        # index −1 is the additional last row
        from_factors = jnp.zeros((rows + 1, by_autodiff.shape[2]), G.dtype).at[A].add(G[0, 0])[None, :rows]
    else:
        from_factors = jnp.einsum("gti,gto->gio", A, G[0])
    if layer.bias is not None:
        bias = truth[layer.bias.view.leaf].reshape(-1)[layer.bias.entries]
        by_autodiff = jnp.concatenate([by_autodiff, bias[:, None].astype(G.dtype)], 1)
    return jnp.max(jnp.abs(from_factors - by_autodiff), initial=0.0), jnp.max(jnp.abs(by_autodiff), initial=0.0)
