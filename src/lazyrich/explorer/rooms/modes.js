// Room 2: the modes of a linear network, one after another.

import { cosineDistance, geometric } from "../math/numbers.js";
import { kernel, lazy, mode, schedule } from "../math/modes.js";
import { regime } from "../math/regime.js";

export const NAME = "modes";
export const TITLE = "Modes";
const STRENGTH = { low: 0.01, high: 100, from: 0.1, to: 5, step: 0.01 };
export const PARAMETERS = {
  depth: { value: 2, low: 1, high: 6, from: 1, to: 6, step: 1, whole: true, label: "depth L" },
  modes: { value: 3, low: 1, high: 4, from: 1, to: 4, step: 1, whole: true, label: "number of modes" },
  s1: { ...STRENGTH, value: 3, label: "strength of mode 1" },
  s2: { ...STRENGTH, value: 2, label: "strength of mode 2" },
  s3: { ...STRENGTH, value: 1, label: "strength of mode 3" },
  s4: { ...STRENGTH, value: 0.5, label: "strength of mode 4" },
  start: { value: 1e-4, low: 1e-16, high: 10, from: 1e-8, to: 2, log: true, label: "size of the start, ε" },
  lambda: { value: 0, low: -1000, high: 1000, from: -10, to: 10, step: 0.1, label: "imbalance λ (depth 2)" },
  cosine: { value: 1, low: -1, high: 1, from: -1, to: 1, step: 0.01, label: "alignment of the layers (depth 2)" },
  logtime: { value: 0, choices: [1, 0], names: ["logarithmic", "linear"], label: "time axis" },
  cursor: { value: 0.5, low: 0, high: 1, from: 0, to: 1, step: 0.001, label: "time cursor" },
};
export const POINTS = 240;

export const modesOf = (state) =>
  [state.s1, state.s2, state.s3, state.s4].slice(0, state.modes).map((s) => {
    const two = state.depth === 2;
    return { depth: state.depth, s, start: state.start, lambda: two ? state.lambda : 0, cosine: two ? state.cosine : 1 };
  });

function horizon(plan) {
  const known = plan.filter((row) => Number.isFinite(row.time + row.width));
  const last = Math.max(...known.map((row) => row.time + 1.5 * row.width), 0);
  return Number((last > 0 ? last : 10).toPrecision(2));
}

export function numbers(state, count = POINTS) {
  const modes = modesOf(state), plan = schedule(modes), end = horizon(plan);
  const times = state.logtime
    ? [0, ...geometric(end * 1e-4, end, count)]
    : Array.from({ length: count + 1 }, (_, i) => (end * i) / count);
  const along = modes.map((given) => times.map(mode(given)));
  const tangent = modes.map((given) => times.map(lazy(given)).map((now) => now.beta));
  const total = (rows) => times.map((_, t) => 0.5 * rows.reduce((sum, row) => sum + row[t].left ** 2, 0));
  const beta = along.map((row) => row.map((now) => now.beta)), loss = total(along);
  // Kernel distance and gap to the tangent model as in the first room, by the same rule.
  const kernels = times.map((_, t) => kernel(modes, beta.map((row) => row[t])));
  const distance = kernels.map((K) => cosineDistance(K, kernels[0]));
  const apart = times.map((_, t) => Math.hypot(...beta.map((row, k) => row[t] - tangent[k][t])));
  const gap = loss[0] > 0 ? Math.max(...apart) / Math.sqrt(2 * loss[0]) : 0;
  return {
    times,
    beta,
    left: along.map((row) => row.map((now) => now.left)),
    loss,
    lazy: tangent,
    lazyLoss: total(modes.map((given) => times.map(lazy(given)))),
    distance,
    gap,
    regime: regime(times, distance, gap, Math.max(...kernels[0])),
    plan,
  };
}

export function python(state) {
  const strengths = modesOf(state).map((given) => given.s), k = strengths.length;
  const lines = ["import numpy as np", "", "import lazyrich as lr", ""];
  lines.push(`target = np.diag([${strengths.join(", ")}])`, `problem = lr.Problem(np.eye(${k}), target)`);
  if (state.depth === 2) {
    lines.push(
      `w, a = lr.inits.norms_from_tau_delta(np.sqrt(${state.start}), ${state.lambda})`,
      `W1, W2 = np.zeros((${2 * k}, ${k})), np.zeros((${k}, ${2 * k}))`,
      `for i in range(${k}):  # hidden vectors of one mode: w along one axis, a in a plane of its own`,
      "    W1[2 * i, i] = w",
      `    W2[i, 2 * i : 2 * i + 2] = a * ${state.cosine}, a * np.sqrt(1 - ${state.cosine === 1 || state.cosine === -1 ? 1 : `(${state.cosine})`} ** 2)`,
      "net = lr.DeepLinear([W1, W2])",
    );
  } else lines.push(`net = lr.inits.aligned(target, ${state.start}, depth=${state.depth})`);
  lines.push("flow = lr.GradientFlow(net, problem)");
  const { times } = numbers(state, 2), end = times[times.length - 1];
  const grid = state.logtime ? `np.geomspace(${end * 1e-4}, ${end}, ${POINTS})` : `np.linspace(0, ${end}, ${POINTS + 1})`;
  lines.push(`traj = lr.exact(flow, ${grid})`, "print(np.diagonal(traj.beta[-1]))", "print(lr.mode_schedule(flow))");
  return lines.join("\n") + "\n";
}
