// Room 3: where diagonal networks stop, from the shortest solution to the sparsest.

import { curve, entropy, kappa, limits } from "../math/diagonal.js";
import { geometric } from "../math/numbers.js";

export const NAME = "stops";
export const TITLE = "Where it stops";
const POINT = { low: -100, high: 100, from: -2, to: 2, step: 0.01 };
export const PARAMETERS = {
  x1: { ...POINT, value: 1, label: "data point x, horizontal" },
  x2: { ...POINT, value: 0.6, label: "data point x, vertical" },
  y: { ...POINT, value: 1, label: "its label y" },
  alpha: { value: 0.01, low: 1e-8, high: 100, from: 1e-8, to: 100, log: true, label: "scale α" },
  shape: { value: 0, low: -0.99, high: 0.99, from: -0.95, to: 0.95, step: 0.01, label: "shape s (depth 2)" },
  depth: { value: 2, low: 2, high: 5, from: 2, to: 5, step: 1, whole: true, label: "depth D" },
  samples: { value: 20, low: 4, high: 30, from: 4, to: 30, step: 1, whole: true, label: "samples n (sparse recovery)" },
  sparse: { value: 4, low: 1, high: 8, from: 1, to: 8, step: 1, whole: true, label: "nonzero coordinates" },
  span: { value: 1.8, low: 0.05, high: 200, label: "half width of the plane", hidden: true },
};
export const GRID = geometric(1e-8, 100, 51).reverse();
export const COARSE = geometric(1e-8, 100, 26).reverse();
const SHORTEST = 0.05;

// The data point; too near to zero it asks for nothing, and is taken at a distance.
export function sample({ x1, x2 }) {
  const size = Math.hypot(x1, x2);
  if (size >= SHORTEST) return [x1, x2];
  return size === 0 ? [SHORTEST, 0] : [(x1 * SHORTEST) / size, (x2 * SHORTEST) / size];
}

// The scales in kappa of the grid and of the knob, from large to small, and which is the knob's.
function scales(state) {
  const all = [...GRID.map((alpha) => kappa(alpha, 0, state.depth)), kappa(state.alpha, state.shape, state.depth)];
  const own = all[all.length - 1];
  all.sort((a, b) => b - a);
  return { all, at: all.indexOf(own), own };
}

export function plane(state) {
  const x = sample(state), { all, at, own } = scales(state);
  if (state.y === 0) {
    const zero = { beta: [0, 0], mu: [0] };
    return { x, kappa: own, limit: [0, 0], path: all.map((k) => ({ kappa: k, ...zero })), flow: [[0, 0], [0, 0]], shortest: [0, 0], sparsest: [0, 0] };
  }
  const path = limits([x], [state.y], all, state.depth);
  const size = x[0] ** 2 + x[1] ** 2;
  const first = Math.abs(x[0]) >= Math.abs(x[1]);
  return {
    x,
    kappa: own,
    limit: path[at].beta,
    path,
    flow: curve(x, path[at].mu[0], own, state.depth),
    shortest: x.map((v) => (v * state.y) / size),
    sparsest: first ? [state.y / x[0], 0] : [0, state.y / x[1]],
  };
}

// Sparse recovery: the first rows of a fixed matrix, a truth with few entries. The paths over all alpha are kept.
const kept = new Map();
const MOST = 300;
export function recovery(state, table) {
  const X = table.X.slice(0, state.samples), full = table.order.map(() => 0);
  table.values.slice(0, state.sparse).forEach((v, i) => (full[table.order[i]] = v));
  const y = X.map((row) => row.reduce((sum, v, j) => sum + v * full[j], 0));
  const { own } = scales(state);
  const key = [state.samples, state.sparse, state.depth].join();
  if (!kept.has(key)) {
    if (kept.size >= MOST) kept.clear();
    kept.set(key, limits(X.map((row) => Float64Array.from(row)), y, COARSE.map((alpha) => kappa(alpha, 0, state.depth)), state.depth, null, true));
  }
  const path = kept.get(key), near = path.filter((row) => row.kappa >= own);
  const [found] = limits(X, y, [own], state.depth, near[near.length - 1] ?? null);
  return { truth: full, beta: found.beta, path, scale: own, X, y };
}

export const numbers = (state) => plane(state);
export const height = (state) => {
  const own = kappa(state.alpha, state.shape, state.depth);
  return (x) => entropy(x, own, state.depth);
};

export function python(state) {
  const [x1, x2] = sample(state);
  const net = (d) =>
    state.depth === 2
      ? `lr.inits.diagonal(${d}, ${state.alpha}, shape=${state.shape})`
      : `lr.inits.tied_diagonal(${d}, ${state.alpha} ** (1 / ${state.depth}), depth=${state.depth})`;
  return [
    "import numpy as np",
    "",
    "import lazyrich as lr",
    "",
    `problem = lr.Problem([[${x1}, ${x2}]], [${state.y}])`,
    `flow = lr.GradientFlow(${net(2)}, problem)`,
    "print(lr.limit(flow).value)",
    "",
    `rng = np.random.default_rng(0)  # sparse recovery in 40 dimensions`,
    `X = rng.normal(size=(30, 40)).round(3)[:${state.samples}]`,
    "truth = np.zeros(40)",
    `truth[rng.permutation(40)[:${state.sparse}]] = [1, -0.8, 0.6, -1.2, 0.9, -0.5, 0.7, -1][:${state.sparse}]`,
    `sparse = lr.GradientFlow(${net(40)}, lr.Problem(X, X @ truth))`,
    "print(lr.limit(sparse).value.round(3))",
    "",
  ].join("\n");
}
