// Room 1: one neuron in the plane. What is computed, and the same in Python.

import { constants, crossing, kernel, kernelDistance, limit, path, potential, shrunk, weights } from "../math/neuron.js";
import { statesAt } from "../math/stiff.js";
import { dot, geometric, norm } from "../math/numbers.js";
import { regime, tangentGap } from "../math/regime.js";

export const NAME = "neuron";
export const TITLE = "One neuron";
const POINT = { low: -100, high: 100, from: -2, to: 2, step: 0.01 };
const RATE = { value: 1, low: 1e-3, high: 1e3, from: 0.0625, to: 16, log: true };
export const PARAMETERS = {
  b0x: { ...POINT, value: -0.5, label: "start β₀, horizontal" },
  b0y: { ...POINT, value: 0, label: "start β₀, vertical" },
  bx: { ...POINT, value: 0, label: "target β*, horizontal" },
  by: { ...POINT, value: 1, label: "target β*, vertical" },
  delta: { value: -2, low: -1000, high: 1000, from: -10, to: 10, step: 0.1, label: "relative scale δ" },
  eta_w: { ...RATE, label: "rate of w, η_w" },
  eta_a: { ...RATE, label: "rate of a, η_a" },
  decay: { value: 0, low: 0, high: 100, from: 1e-3, to: 1, log: true, zero: true, label: "weight decay λ" },
  sign: { value: 1, choices: [1, -1], names: ["positive", "negative"], label: "sign of a" },
  angle: { value: 0, low: -180, high: 180, from: -90, to: 90, step: 1, label: "angle of the data's first axis, °" },
  axis1: { value: 1, low: 1e-3, high: 1e3, label: "strength of the first axis", aside: false, hidden: true },
  axis2: { value: 1, low: 0, high: 1e3, from: 0, to: 1, step: 0.01, label: "strength of the second axis" },
  turn: { value: 90, low: -360, high: 360, label: "direction of w where β₀ = 0, °", hidden: true },
  logtime: { value: 1, choices: [1, 0], names: ["logarithmic", "linear"], label: "time axis" },
  cursor: { value: 0.6, low: 0, high: 1, from: 0, to: 1, step: 0.001, label: "time cursor" },
  yaw: { value: 35, low: -360, high: 360, from: -180, to: 180, step: 1, label: "rotate the hyperboloid, °" },
  pitch: { value: 22, low: -89, high: 89, from: -89, to: 89, step: 1, label: "tilt the hyperboloid, °" },
  span: { value: 1.6, low: 0.05, high: 200, label: "half width of the plane", hidden: true },
};
export const POINTS = 240;

// X, the target, and what of the plane the data see.
export function problem(state) {
  const turn = (state.angle * Math.PI) / 180, cos = Math.cos(turn), sin = Math.sin(turn);
  const axes = [[cos, sin], [-sin, cos]], strengths = [state.axis1, state.axis2];
  const seen = strengths[1] > 0 ? axes : axes.slice(0, 1);
  const X = seen.map((axis, i) => axis.map((v) => Math.sqrt(strengths[i]) * v));
  const target = [state.bx, state.by];
  const white = strengths[1] === 0 || strengths[1] === strengths[0];
  const best = seen.reduce((sum, axis) => sum.map((v, i) => v + dot(axis, target) * axis[i]), [0, 0]);
  return { X, axes: seen, target, y: X.map((x) => dot(x, target)), best, white, rho: state.axis1, strengths };
}

export function start(state, beta = [state.b0x, state.b0y], delta = state.delta) {
  const turn = (state.turn * Math.PI) / 180;
  return weights(beta, delta, state.eta_w, state.eta_a, state.sign, [Math.cos(turn), Math.sin(turn)]);
}

// times -> [{a, w}]: by the closed form if the data are whitened on what they see and nothing decays, else integrated.
export function solver(state, { a, w }, data = problem(state)) {
  const { axes, best, white, rho } = data;
  if (white && state.decay === 0) {
    const inner = path(a, axes.map((u) => dot(u, w)), axes.map((u) => dot(u, best)), state.eta_w, state.eta_a);
    const never = unseen(axes, w), B = norm(best), along = best.map((v) => (B > 0 ? v / B : 0));
    const seen = w.map((v, i) => v - never[i]), share = dot(seen, along), across = seen.map((v, i) => v - share * along[i]);
    return (times) =>
      times.map((t) => {
        const [outer, forward, still] = inner(rho * t);
        return { a: outer, w: [0, 1].map((i) => never[i] + forward * along[i] + still * across[i]) };
      });
  }
  const { field, jacobian } = equation(state, data), size = Math.max(Math.abs(a), norm(w), Math.sqrt(norm(data.target)));
  return (times) =>
    statesAt(field, jacobian, [a, ...w], times, { tolerance: 1e-9, scale: [size, size, size], relative: 0 })
      .map(([outer, ...inner]) => ({ a: outer, w: inner }));
}

// a' = eta_a (g.w - lambda a), w' = eta_w (a g - lambda w) with g = G (best - a w), G = X'X; and its derivatives.
function equation({ eta_w, eta_a, decay }, { X, y }) {
  const [[p, q], [, r]] = gram(X), h1 = X.reduce((sum, x, i) => sum + x[0] * y[i], 0), h2 = X.reduce((sum, x, i) => sum + x[1] * y[i], 0);
  return {
    field: ([a, w1, w2], out) => {
      const g1 = h1 - a * (p * w1 + q * w2), g2 = h2 - a * (q * w1 + r * w2);
      out[0] = eta_a * (g1 * w1 + g2 * w2 - decay * a);
      out[1] = eta_w * (a * g1 - decay * w1);
      out[2] = eta_w * (a * g2 - decay * w2);
    },
    jacobian: ([a, w1, w2], rows) => {
      const u = p * w1 + q * w2, v = q * w1 + r * w2, g1 = h1 - a * u, g2 = h2 - a * v;
      rows[0].set([-eta_a * (u * w1 + v * w2 + decay), eta_a * (g1 - a * u), eta_a * (g2 - a * v)]);
      rows[1].set([eta_w * (g1 - a * u), -eta_w * (a * a * p + decay), -eta_w * a * a * q]);
      rows[2].set([eta_w * (g2 - a * v), -eta_w * a * a * q, -eta_w * (a * a * r + decay)]);
    },
  };
}

const gram = (X) => [0, 1].map((i) => [0, 1].map((j) => X.reduce((sum, x) => sum + x[i] * x[j], 0)));

const unseen = (axes, w) => axes.reduce((rest, u) => rest.map((v, i) => v - dot(u, w) * u[i]), w);

export function lossOf({ X, y }, { a, w }) {
  return 0.5 * X.reduce((sum, x, i) => sum + (a * dot(x, w) - y[i]) ** 2, 0);
}

// The first and the last time that are shown. Under weight decay the last is when the imbalance has decayed, too.
function span(state, from, data) {
  const fitted = horizon({ ...state, decay: 0 }, from, data), rate = Math.min(state.eta_w, state.eta_a) * state.decay;
  const end = rate > 0 ? Number((fitted + (4 + Math.log1p(Math.abs(state.delta)) / 2) / rate).toPrecision(2)) : fitted;
  return [fitted * 1e-4, end];
}

// A round time at which nothing is left to see: the loss is at 1e-8 of its start, or has stopped falling.
function horizon(state, from, data) {
  const inner = data.white ? data : { ...data, white: true, axes: [[1, 0], [0, 1]], rho: Math.min(...data.strengths) };
  const at = solver(state, from, inner);
  const first = lossOf(data, from);
  const rate = state.eta_w * from.a ** 2 + state.eta_a * dot(from.w, from.w);
  let t = 0.5 / ((rate + Math.sqrt(state.eta_a * state.eta_w) * norm(data.best) + 1e-12) * inner.rho);
  const longest = t * 3e5;
  while (t < longest) {
    const [now, later] = at([t, 2 * t]);
    const left = lossOf(data, now);
    if (left <= 1e-8 * first && Math.abs(lossOf(data, later) - left) <= 1e-3 * first) break;
    t *= 1.5;
  }
  return Number(t.toPrecision(2));
}

// Everything that the views show and the tests compare.
export function numbers(state, count = POINTS) {
  const data = problem(state), from = start(state);
  let times = [0, ...geometric(...span(state, from, data), count)];
  const along = solver(state, from, data)(times);
  times = times.slice(0, along.length);
  const K0 = kernel(from.a, from.w, data.X, state.eta_w, state.eta_a);
  const B = norm(data.target);
  const curves = {
    loss: along.map((now) => lossOf(data, now)),
    distance: along.map(({ a, w }) => kernelDistance(kernel(a, w, data.X, state.eta_w, state.eta_a), K0)),
    mu: along.map(({ a, w }) => a * norm(w)),
    phi: along.map(({ w }) => dot(w, data.target) / (norm(w) * B)),
  };
  // Where there is no closed form, the sign of a at the end is known once most of the loss is gone.
  const last = along[along.length - 1], exact = data.white && state.decay === 0;
  const cut = !data.white && state.decay === 0 && curves.loss[along.length - 1] > 1e-3 * curves.loss[0];
  const side = basin(state, [state.b0x, state.b0y], data) ?? sideOf(state, data, last);
  const stop = state.decay > 0
    ? decayedLimit(state, data, side)
    : limit(from.a, from.w, data.best, unseen(data.axes, from.w), state.eta_w, state.eta_a, side);
  const known = exact ? closedConstants(state, from, data) : null;
  const residuals = along.map(({ a, w }) => data.X.map((x, i) => a * dot(x, w) - data.y[i]));
  const tangent = tangentGap(times, residuals, K0), gap = state.decay > 0 ? decayedGap(state, from, data, times, residuals) : tangent.gap;
  return {
    times,
    a: along.map((now) => now.a),
    w: along.map((now) => now.w),
    beta: along.map(({ a, w }) => w.map((v) => a * v)),
    ...curves,
    gap,
    regime: regime(times, curves.distance, gap, tangent.rate),
    side,
    limit: side === 0 ? [0, 0] : stop.beta,
    end: side === 0 ? 0 : stop.a,
    crossing: known ? crossing(known, from.a) / data.rho : null,
    exact,
    cut,
    data,
  };
}

const closedConstants = (state, { a, w }, { axes, best }) =>
  constants(a, axes.map((u) => dot(u, w)), axes.map((u) => dot(u, best)), state.eta_w, state.eta_a);

// Under weight decay, where the penalized loss is least; the two layers end balanced.
function decayedLimit(state, { axes, best, strengths }, side) {
  const inner = shrunk(strengths.slice(0, axes.length), axes.map((u) => dot(u, best)), state.decay);
  return { a: side * Math.sqrt(norm(inner)), beta: axes.reduce((sum, u, i) => sum.map((v, k) => v + inner[i] * u[k]), [0, 0]) };
}

// The sign of a at the end of a path; 0 if it has stayed in the saddle, from where another limit is known.
function sideOf(state, data, last) {
  const stays = state.decay > 0 && Math.abs(last.a) * norm(last.w) < 1e-3 * norm(decayedLimit(state, data, 1).beta);
  return stays ? 0 : Math.sign(last.a);
}

// The largest distance to the tangent model under the same decay, relative to the distance to go: a linear equation.
function decayedGap(state, { a, w }, { X, y }, times, residuals) {
  const rows = X.map((x) => [dot(x, w), a * x[0], a * x[1]]), start = [a, ...w], rates = [state.eta_a, state.eta_w, state.eta_w];
  const outputs = (theta) => rows.map((row, i) => a * dot(X[i], w) + row.reduce((sum, v, k) => sum + v * (theta[k] - start[k]), 0));
  const field = (theta, out) => {
    const f = outputs(theta);
    for (let k = 0; k < 3; k++) out[k] = rates[k] * (rows.reduce((sum, row, i) => sum + row[k] * (y[i] - f[i]), 0) - state.decay * theta[k]);
  };
  const jacobian = (_, out) => {
    for (let k = 0; k < 3; k++) {
      for (let l = 0; l < 3; l++) out[k][l] = -rates[k] * (rows.reduce((sum, row) => sum + row[k] * row[l], 0) + (k === l ? state.decay : 0));
    }
  };
  const apart = statesAt(field, jacobian, start, times, { tolerance: 1e-7 }).map((theta, n) => Math.hypot(...outputs(theta).map((f, i) => f - y[i] - residuals[n][i])));
  return Math.max(...apart) / (Math.hypot(...residuals[0]) || 1);
}

// The sign of a at the end, from the closed form: +1, -1, or 0 on the separating surface; null where there is none.
export function basin(state, beta, data = problem(state), from = start(state, beta)) {
  if (state.decay > 0) return null;
  if (!data.white) return state.delta >= 0 && norm(data.best) > 0 ? Math.sign(from.a) || null : null;
  const { up, C } = closedConstants(state, from, data);
  return up > 0 ? Math.sign(C) : 0;
}

// beta -> how far on its own side a start is: negative where a ends with the other sign. (Of whitened data.)
export function margin(state, { axes, best }) {
  const { delta, eta_w, eta_a } = state, root = Math.sqrt(eta_w * eta_a), scale = eta_a * eta_w * dot(best, best);
  const second = axes[1] ?? [0, 0];
  return (x, y) => {
    const r = Math.hypot(x, y);
    if (r === 0) return 1;
    const large = Math.sqrt((Math.hypot(delta, 2 * root * r) + Math.abs(delta)) / 2), small = (root * r) / large;
    const a = (delta >= 0 ? large : small) / Math.sqrt(eta_w), w = (delta >= 0 ? small : large) / (r * Math.sqrt(eta_a));
    const w1 = w * (x * axes[0][0] + y * axes[0][1]), w2 = w * (x * second[0] + y * second[1]);
    const seen = eta_w * a * a - eta_a * (w1 * w1 + w2 * w2), R = Math.sqrt((seen * seen) / 4 + scale);
    const up = seen > 0 ? R + seen / 2 : scale / (R - seen / 2);
    return up * a + eta_a * w * (x * best[0] + y * best[1]);
  };
}

// The path from the same start with another delta.
export function sibling(state, delta, times, data = problem(state)) {
  const from = start(state, [state.b0x, state.b0y], delta);
  return solver(state, from, data)(times).map(({ a, w }) => w.map((v) => a * v));
}

// beta -> the potential less its linear term, of which the limit is the least on the solutions; under weight decay the penalized
// loss, of which it is the least of all.
export function height(state, side) {
  if (state.decay > 0) {
    const { X, y } = problem(state);
    return (x1, x2) => 0.5 * X.reduce((sum, x, i) => sum + (x[0] * x1 + x[1] * x2 - y[i]) ** 2, 0) + state.decay * Math.hypot(x1, x2);
  }
  const root = Math.sqrt(state.eta_a * state.eta_w), { w } = start(state);
  const pull = w.map((v) => side * Math.sqrt(state.eta_a) * v * root);
  return (x, y) => potential(root * Math.sqrt(x * x + y * y), state.delta) - pull[0] * x - pull[1] * y;
}

export function python(state) {
  const { white } = problem(state);
  const straight = state.angle === 0 && state.axis1 === 1 && state.axis2 === 1;
  const rows = state.axis2 === 0 ? `[:1]` : "";
  const scaled = state.axis2 === 0 ? `np.sqrt(${state.axis1})` : `np.sqrt([[${state.axis1}], [${state.axis2}]])`;
  const lines = ["import numpy as np", "", "import lazyrich as lr", ""];
  if (straight) lines.push("X = np.eye(2)");
  else {
    lines.push(`t = np.deg2rad(${state.angle})`);
    lines.push(`X = ${scaled} * np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]])${rows}`);
  }
  lines.push(`problem = lr.Problem(X, X @ [${state.bx}, ${state.by}])`);
  lines.push(`rates = (${state.eta_w}, ${state.eta_a})  # of w, of a`);
  const nowhere = state.b0x === 0 && state.b0y === 0 && state.delta <= 0;
  const t = (state.turn * Math.PI) / 180;
  const open = nowhere ? `, direction=[${Math.cos(t)}, ${Math.sin(t)}]` : "";
  lines.push(`net = lr.inits.neuron([${state.b0x}, ${state.b0y}], ${state.delta}, rates, sign=${state.sign}${open})`);
  lines.push(`flow = lr.GradientFlow(net, problem, rates${state.decay > 0 ? `, decay=${state.decay}` : ""})`);
  lines.push(`traj = lr.solve(flow, np.geomspace(${span(state, start(state), problem(state)).join(", ")}, ${POINTS}))`);
  lines.push(`print(traj.by)  # ${state.decay > 0 ? "with weight decay, exact in Bessel functions for equal rates and axes" : white ? "exact" : "integrated: the two axes differ"}`, "print(traj.beta[-1], lr.metrics.kernel_distance(traj)[-1])");
  return lines.join("\n") + "\n";
}
