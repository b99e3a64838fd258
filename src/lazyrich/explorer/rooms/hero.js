// The front page's neuron: one start, one target, and a run for each relative scale δ, by the closed form.

import { kernel, kernelDistance, path, weights } from "../math/neuron.js";
import { geometric, norm } from "../math/numbers.js";
import { regime, tangentGap } from "../math/regime.js";

export const FROM = [-0.5, 0];
export const TO = [0, 1];
export const FIRST = 0.008;
export const LAST = 80; // times that are drawn
const POINTS = 200, AXES = [[1, 0], [0, 1]], SETTLED = { loss: 1e-3, distance: 0.004 };
const TIMES = [0, ...geometric(FIRST / 2, LAST, POINTS)];

// The eigenvalues of a symmetric 2 × 2 matrix (a flat list), and the angle of the direction of the larger.
export function eigen([a, b, , d]) {
  const mean = (a + d) / 2, half = Math.hypot((a - d) / 2, b);
  return [mean + half, Math.max(mean - half, 0), 0.5 * Math.atan2(2 * b, a - d)];
}
export const size = (K) => norm(K.map(Math.abs));

// t -> the network at that time: its weights, its function, loss (1 at the start), kernel and kernel distance.
function follow(from) {
  const at = path(from.a, from.w, TO, 1, 1), K0 = kernel(from.a, from.w, AXES, 1, 1);
  const first = loss(from.a, from.w);
  const state = (t) => {
    const [a, forward, still] = at(t), w = [still * from.w[0], forward]; // TO is the second axis
    const K = kernel(a, w, AXES, 1, 1);
    return { t, a, w, K, beta: [a * w[0], a * w[1]], loss: loss(a, w) / first, S: kernelDistance(K, K0) };
  };
  return { K0, state };
}
const loss = (a, w) => 0.5 * ((a * w[0] - TO[0]) ** 2 + (a * w[1] - TO[1]) ** 2);

// The whole run for one δ, and its regime by the rule of all tabs.
export function run(delta) {
  const from = weights(FROM, delta, 1, 1, 1, [1, 0]), { K0, state } = follow(from);
  const points = TIMES.map(state), last = points[points.length - 1];
  const { gap, rate } = tangentGap(TIMES, points.map(({ beta }) => [beta[0] - TO[0], beta[1] - TO[1]]), K0);
  const settled = points.find((p) => p.loss < SETTLED.loss && Math.abs(p.S - last.S) < SETTLED.distance);
  return {
    delta, from, K0, state, points, gap,
    top: Math.max(...points.map((p) => p.S)),
    regime: regime(TIMES, points.map((p) => p.S), gap, rate),
    end: settled?.t ?? LAST,
    fitted: state(3 / rate), // when the kernel of the start has fitted what it fits fast
  };
}
