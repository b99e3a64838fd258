// Linear attention that learns linear regression in context (Zhang, Singh, Latham and Saxe 2025).
//
// Inputs have the eigenvalues l_i of their covariance, prompts have N pairs. On an eigenvector, f is m_i times its feature, and the
// mean loss over all prompts is the floor plus sum rho_i (s_i - m_i)^2 / 2 with rho = l^3 (1 + (1 + tr/l)/N), s = l^2/rho.

import { mode, schedule } from "../math/modes.js";
import { geometric } from "../math/numbers.js";
import { statesAt } from "../math/stiff.js";

export const NAME = "context";
export const TITLE = "In context";
const VALUE = { low: 0.05, high: 5, from: 0.1, to: 2, step: 0.01 };
export const PARAMETERS = {
  heads: { value: "separate", choices: ["separate", "merged"], names: ["separate key and query", "merged key and query"], label: "heads" },
  start: { value: 0.05, low: 1e-3, high: 0.5, from: 1e-3, to: 0.5, log: true, label: "size of the start, ε" },
  context: { value: 31, low: 1, high: 1000, from: 1, to: 1000, log: true, whole: true, label: "pairs in a prompt, N" },
  inputs: { value: 4, low: 1, high: 4, from: 1, to: 4, step: 1, whole: true, label: "dimension of x" },
  l1: { ...VALUE, value: 1, label: "eigenvalue 1" },
  l2: { ...VALUE, value: 0.7, label: "eigenvalue 2" },
  l3: { ...VALUE, value: 0.4, label: "eigenvalue 3" },
  l4: { ...VALUE, value: 0.2, label: "eigenvalue 4" },
  logtime: { value: 1, choices: [1, 0], names: ["logarithmic", "linear"], label: "time axis" },
  cursor: { value: 1, low: 0, high: 1, from: 0, to: 1, step: 0.001, label: "time cursor" },
};
export const POINTS = 240;

export const eigenvalues = (state) => [state.l1, state.l2, state.l3, state.l4].slice(0, state.inputs);

// rho and s of each eigenvector, and the loss that is left when all is learned.
export function problem(state) {
  const values = eigenvalues(state), trace = values.reduce((sum, v) => sum + v, 0);
  const rho = values.map((v) => v ** 3 * (1 + (1 + trace / v) / state.context)), s = values.map((v, i) => v ** 2 / rho[i]);
  return { values, rho, s, floor: 0.5 * (trace - s.reduce((sum, v, i) => sum + rho[i] * v ** 2, 0)) };
}

// Separate heads of rank one on the eigenvectors, all weights of size eps: modes of depth three, m' = 3|m|^{4/3} rho (s - m).
function separate(state, { rho, s, floor }) {
  const modes = s.map((target) => ({ depth: 3, s: target, start: state.start ** 3 }));
  const plan = modes.map((given, i) => ({ ...schedule([given])[0], mode: i })).map((row, i) => ({ ...row, time: row.time / rho[i], width: row.width / rho[i], lost: row.lost * rho[i] }));
  plan.sort((x, y) => x.time - y.time);
  let left = floor + plan.reduce((sum, row) => sum + row.lost, 0);
  for (const row of plan) row.plateau = left -= row.lost;
  const along = modes.map((given, i) => ((f) => (t) => f(rho[i] * t).beta)(mode(given)));
  return { plan, at: (times) => times.map((t) => along.map((f) => f(t))) };
}

// One head with merged key and query, v = eps and U = eps I/sqrt(D): v' = <U, pull>, u_i' = v pull_i with pull = rho (s - v u).
function merged(state, { rho, s }) {
  const D = s.length, start = [...s.map(() => state.start / Math.sqrt(D)), state.start];
  const pull = (y, i) => rho[i] * (s[i] - y[D] * y[i]);
  const field = (y, out) => {
    out[D] = 0;
    for (let i = 0; i < D; i++) {
      out[i] = y[D] * pull(y, i);
      out[D] += y[i] * pull(y, i);
    }
  };
  const jacobian = (y, rows) => {
    for (const row of rows) row.fill(0);
    for (let i = 0; i < D; i++) {
      rows[i][i] = -rho[i] * y[D] ** 2;
      rows[i][D] = rows[D][i] = pull(y, i) - rho[i] * y[i] * y[D];
      rows[D][D] -= rho[i] * y[i] ** 2;
    }
  };
  return (times) => statesAt(field, jacobian, start, times, { tolerance: 1e-9, scale: start.map(() => state.start), relative: 1 })
    .map((y) => s.map((_, i) => y[D] * y[i]));
}

export function numbers(state, count = POINTS) {
  const own = problem(state), heads = separate(state, own), { rho, s, floor } = own;
  const last = Math.max(...heads.plan.map((row) => row.time + 2 * row.width)), end = Number((last || 1).toPrecision(2));
  const times = state.logtime ? [0, ...geometric(end * 1e-4, end, count)] : Array.from({ length: count + 1 }, (_, i) => (end * i) / count);
  const loss = (rows) => rows.map((m) => floor + 0.5 * m.reduce((sum, v, i) => sum + rho[i] * (s[i] - v) ** 2, 0));
  const apart = heads.at(times), together = merged(state, own)(times);
  return {
    ...own, times, plan: heads.plan,
    separate: { m: s.map((_, i) => apart.map((row) => row[i])), loss: loss(apart) },
    merged: { m: s.map((_, i) => together.map((row) => row[i])), loss: loss(together) },
  };
}

export function python(state) {
  const { times } = numbers(state, 2), end = times[times.length - 1], D = state.inputs;
  return [
    "import numpy as np",
    "",
    "import lazyrich as lr",
    "",
    `problem = lr.Problem.in_context([${eigenvalues(state).join(", ")}], context_length=${state.context})`,
    state.heads === "separate"
      ? `net = lr.LinearAttention(np.full(${D}, ${state.start}), ${state.start} * np.eye(${D}), ${state.start} * np.eye(${D}))`
      : `net = lr.MergedLinearAttention(${state.start} * np.eye(${D})[None] / np.sqrt(${D}), [${state.start}])`,
    "flow = lr.GradientFlow(net, problem)",
    `traj = lr.solve(flow, ${state.logtime ? `np.geomspace(${end * 1e-4}, ${end}, ${POINTS})` : `np.linspace(0, ${end}, ${POINTS + 1})`})`,
    "print(traj.by, traj.loss[-1])",
    state.heads === "separate" ? "print(lr.mode_schedule(flow))" : `print(np.diag(traj.beta[-1].reshape(${D}, ${D})))`,
    "",
  ].join("\n");
}
