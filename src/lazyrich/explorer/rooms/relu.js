// Room 4: ReLU students in the plane, trained in the browser.

import { hamming, kernel, kernelDistance, loss, pattern, student, velocity } from "../math/relu.js";

export const NAME = "relu";
export const TITLE = "ReLU in the plane";
const TAU = { low: 0.02, high: 20, from: 0.1, to: 2, log: true };
const DELTA = { low: -100, high: 100, from: -1, to: 1, step: 0.01 };
export const PARAMETERS = {
  tau: { ...TAU, value: 0.1, label: "overall scale τ" },
  delta: { ...DELTA, value: 0, label: "relative scale δ" },
  second: { value: 1, choices: [1, 0], names: ["shown", "hidden"], label: "second student" },
  tau2: { ...TAU, value: 0.1, label: "overall scale τ of the second student" },
  delta2: { ...DELTA, value: -1, label: "relative scale δ of the second student" },
  speed: { value: 1, low: 0.05, high: 4, from: 0.1, to: 4, log: true, label: "speed" },
  map: {
    value: "kernel_distance",
    choices: ["kernel_distance", "hamming_distance", "test_error"],
    names: ["kernel distance", "Hamming distance", "test error"],
    label: "the map shows",
  },
  when: { value: 100, low: 0.1, high: 100, from: 0.1, to: 100, log: true, label: "time of the map" },
  moved: { value: {}, places: 64, low: -100, high: 100, label: "points that were moved", hidden: true },
};

// The points, moved ones in their new places, as a flat list x1, x2, y.
export const points = (state, table) =>
  table.points.flatMap((point, i) => (Object.hasOwn(state.moved, i) ? [...state.moved[i], point[2]] : point));

// The parameters at the start: of the table's student at (tau, delta), or of the user's own network.
export const begin = (table, tau, delta) => Float64Array.from(table.theta ?? student(table.base, tau, delta));

// The times of training: of a network of the user's own in units of its loss.
export const END = 300;
export function clock(table) {
  const unit = table.kappa ? 2 / (table.kappa * table.points.length) : 1;
  return { first: 0.01 * unit, end: END * unit };
}

// What a student is compared with: its start, on the data.
export const reference = (from, data) => ({ pattern: pattern(from, data), kernel: kernel(from, data) });

export function measured(theta, start, data, kappa) {
  return {
    loss: loss(theta, data, kappa),
    hamming: hamming(pattern(theta, data), start.pattern),
    distance: kernelDistance(kernel(theta, data), start.kernel),
  };
}

// What the tests compare: the velocity at the start, and what is measured after one step along it.
export function numbers(state, table, step = 0.1) {
  const data = points(state, table), theta = begin(table, state.tau, state.delta), speed = new Float64Array(theta.length);
  velocity(theta, data, speed, table.kappa);
  const later = theta.map((v, i) => v + step * speed[i]);
  return { theta: Array.from(theta), speed: Array.from(speed), later: Array.from(later), ...measured(later, reference(theta, data), data, table.kappa) };
}

export function python(state, table) {
  const lines = [...(table.theta ? [] : ["import jax"]), "import numpy as np", "", "import lazyrich as lr", ""];
  if (table.theta) {
    const each = (at) => table.theta.filter((_, i) => i % 3 === at);
    const W = each(0).map((v, k) => `[${v}, ${each(1)[k]}]`);
    lines.push(`X = np.array([${table.points.map(([x, y]) => `[${x}, ${y}]`).join(", ")}], float)`);
    lines.push(`y = np.array([${table.points.map((point) => point[2]).join(", ")}])`);
    lines.push(`student = lr.TwoLayer([${W.join(", ")}], [${each(2).join(", ")}])`);
  } else {
    lines.push(
      `student, problem, teacher = lr.inits.teacher_student(jax.random.key(${table.seed}), 2, 50, 3, 20, ${state.tau}, ${state.delta})`,
      "X, y = np.array(problem.X), problem.y",
    );
  }
  for (const [which, [x, y]] of Object.entries(state.moved)) lines.push(`X[${which}] = ${x}, ${y}`);
  const { first, end } = clock(table);
  lines.push(`flow = lr.GradientFlow(student, lr.Problem(X, y, kappa=${table.kappa ?? "2 / len(y)"}))${table.kappa ? "" : "  # the mean square"}`);
  lines.push(`traj = lr.integrate(flow, np.geomspace(${first}, ${end / 3}, 100))`);
  lines.push("print(traj.loss[-1], lr.metrics.hamming_distance(traj)[-1], lr.metrics.kernel_distance(traj)[-1])");
  return lines.join("\n") + "\n";
}
