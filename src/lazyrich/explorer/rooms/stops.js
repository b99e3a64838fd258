// Room 3: where diagonal networks stop, from the shortest solution to the sparsest.

import { curve, entropy, kappa, limits } from "../math/diagonal.js";
import { train } from "../math/mirror.js";
import { geometric } from "../math/numbers.js";
import { lasso, staircase } from "../math/staircase.js";

export const NAME = "stops";
export const TITLE = "Where it stops";
const POINT = { low: -100, high: 100, from: -2, to: 2, step: 0.01 };
export const PARAMETERS = {
  x1: { ...POINT, value: 1, label: "data point x, horizontal" },
  x2: { ...POINT, value: 0.6, label: "data point x, vertical" },
  y: { ...POINT, value: 1, label: "its label y" },
  alpha: { value: 0.01, low: 1e-30, high: 100, from: 1e-30, to: 100, log: true, label: "scale α" },
  decay: { value: 0, low: 0, high: 10, from: 1e-4, to: 1, log: true, zero: true, label: "weight decay λ (depth 2)" },
  shape: { value: 0, low: -0.99, high: 0.99, from: -0.95, to: 0.95, step: 0.01, label: "shape s (depth 2)" },
  depth: { value: 2, low: 2, high: 5, from: 2, to: 5, step: 1, whole: true, label: "depth D" },
  samples: { value: 20, low: 4, high: 30, from: 4, to: 30, step: 1, whole: true, label: "samples n (sparse recovery)" },
  sparse: { value: 4, low: 1, high: 8, from: 1, to: 8, step: 1, whole: true, label: "nonzero coordinates" },
  cursor: { value: 1, low: 0, high: 1, from: 0, to: 1, step: 0.001, label: "time cursor" },
  logtime: { value: 1, choices: [1, 0], names: ["logarithmic", "linear"], label: "time axis" },
  span: { value: 1.8, low: 0.05, high: 200, label: "half width of the plane", hidden: true },
};
export const GRID = geometric(1e-8, 100, 51).reverse();
export const COARSE = geometric(1e-8, 100, 26).reverse();
const SHORTEST = 0.05;
// At depth above 2 the mirror variable of smaller scales is too near to its bounds for double precision.
export const FLOOR = 1e-8;
export const decayOf = ({ decay, depth }) => (depth > 2 ? 0 : decay);
export const alphaOf = ({ alpha, depth }) => (depth > 2 ? Math.max(alpha, FLOOR) : alpha);

// The data point; too near to zero it asks for nothing, and is taken at a distance.
export function sample({ x1, x2 }) {
  const size = Math.hypot(x1, x2);
  if (size >= SHORTEST) return [x1, x2];
  return size === 0 ? [SHORTEST, 0] : [(x1 * SHORTEST) / size, (x2 * SHORTEST) / size];
}

// The scales in kappa of the grid and of the knob, from large to small, and which is the knob's.
function scales(state) {
  const all = [...GRID.map((alpha) => kappa(alpha, 0, state.depth)), kappa(alphaOf(state), state.shape, state.depth)];
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
  const path = limits([x], [state.y], all, state.depth), decayed = decayOf(state) > 0 ? decayedEnd([x], [state.y], state) : null;
  const size = x[0] ** 2 + x[1] ** 2;
  const first = Math.abs(x[0]) >= Math.abs(x[1]);
  return {
    x,
    kappa: own,
    limit: decayed ? decayed.limit : path[at].beta,
    path,
    flow: decayed ? decayed.flow : curve(x, path[at].mu[0], own, state.depth),
    shortest: x.map((v) => (v * state.y) / size),
    sparsest: first ? [state.y / x[0], 0] : [0, state.y / x[1]],
  };
}

// Under weight decay: the path, and its end, the Lasso.
const decayedEnd = (X, y, state) => ({ flow: follow(X, y, state).beta, limit: lasso(X, y, state.decay) });

// The flow until nothing is left to see: the loss is at 1e-8 of its start; under weight decay, when decay has brought the scale
// below that of sparse solutions as well.
const FITTED = 1e-8, SPARSE = 1e-6;
export function follow(X, y, state, { tolerance = 1e-6, fine = 10, stops = [] } = {}) {
  const decay = decayOf(state), start = { alpha: alphaOf(state), shape: state.shape, depth: state.depth, decay };
  if (decay === 0) return train(X, y, start, { until: FITTED, tolerance, fine, stops });
  const fitted = train(X, y, { ...start, decay: 0 }, { until: FITTED, tolerance: 1e-4, fine: 2 }).times.at(-1);
  const walk = Math.max(Math.log(scales(state).own / SPARSE), 0) / (2 * decay), end = Math.min(2 * fitted, 20 / decay) + walk + 2 / decay;
  return train(X, y, start, { end: Number(end.toPrecision(2)), until: -1, tolerance, fine, stops });
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
  const beta = decayOf(state) > 0 ? lasso(X, y, state.decay) : limits(X, y, [own], state.depth, near[near.length - 1] ?? null)[0].beta;
  return { truth: full, beta, path, scale: own, X, y };
}

// How the recovery is learned: errors over time, the staircase of the vanishing start on the clock of this one, and what weight
// decay does after fitting, from the limits without it. The last one is kept, for a drag of what it does not depend on.
let learned = { key: "" };
export function learning(state, { X, y, truth, path, scale }) {
  const decay = decayOf(state), key = [state.samples, state.sparse, state.depth, alphaOf(state), state.shape, decay].join();
  if (learned.key === key) return learned;
  const { times, beta, loss } = follow(X.map((row) => Float64Array.from(row)), y, state);
  const size = truth.reduce((sum, v) => sum + v * v, 0), far = (row) => row.reduce((sum, b, j) => sum + (b - truth[j]) ** 2, 0) / size;
  learned = {
    key,
    decay,
    times,
    beta,
    fit: loss.map((v) => v / loss[0]),
    error: beta.map(far),
    stairs: stairs(state, { X, y, scale }),
    walk: decay > 0 ? path.filter((row) => row.kappa < scale).map((row) => ({ time: Math.log(scale / row.kappa) / (2 * decay), error: far(row.beta) })) : [],
  };
  return learned;
}

// The staircase in the time of this scale; none under weight decay, or at a scale so large that there are no plateaus.
const SMALL = 0.05;
export function stairs(state, { X, y, scale }) {
  if (decayOf(state) > 0 || scale > SMALL) return [];
  return staircase(X, y).map((row) => ({ ...row, time: row.time / slowness(state, scale) }));
}

// How fast the clock of the staircase runs: 1 / log(1/weight) at depth 2, D(D - 2) weight^{D-2} above.
function slowness({ depth, ...state }, scale) {
  return depth === 2 ? 2 / Math.log(2 / scale) : depth * (depth - 2) * alphaOf({ depth, ...state }) ** (1 - 2 / depth);
}

export const numbers = (state) => plane(state);
export const height = (state) => {
  const own = kappa(alphaOf(state), state.shape, state.depth);
  return (x) => entropy(x, own, state.depth);
};

export function python(state) {
  const [x1, x2] = sample(state);
  const net = (d) =>
    state.depth === 2
      ? `lr.inits.diagonal(${d}, ${state.alpha}, shape=${state.shape})`
      : `lr.inits.tied_diagonal(${d}, ${alphaOf(state)} ** (1 / ${state.depth}), depth=${state.depth})`;
  const decay = decayOf(state) > 0 ? `, decay=${state.decay}` : "";
  return [
    "import numpy as np",
    "",
    "import lazyrich as lr",
    "",
    `problem = lr.Problem([[${x1}, ${x2}]], [${state.y}])`,
    `flow = lr.GradientFlow(${net(2)}, problem${decay})`,
    "print(lr.limit(flow).value)",
    "",
    `rng = np.random.default_rng(0)  # sparse recovery in 40 dimensions`,
    `X = rng.normal(size=(30, 40)).round(3)[:${state.samples}]`,
    "truth = np.zeros(40)",
    `truth[rng.permutation(40)[:${state.sparse}]] = [1, -0.8, 0.6, -1.2, 0.9, -0.5, 0.7, -1][:${state.sparse}]`,
    `sparse = lr.GradientFlow(${net(40)}, lr.Problem(X, X @ truth)${decay})`,
    "print(lr.limit(sparse).value.round(3))",
    decay ? "print(lr.decay_curve(sparse, [1.0, 10.0, 100.0]).beta.round(3))" : "print(lr.staircase(sparse))",
    "",
  ].join("\n");
}
