// Active sets: least squares over coordinates of given signs, the Lasso, and the staircase of a diagonal network whose
// initialization vanishes.

import { dot } from "./numbers.js";
import { cholesky, solve } from "./linalg.js";

const NOISE = 1e-12;

// The minimum of |y - sum_j b_j a_j|^2 / 2 + penalty sum_j b_j over b >= 0, by Lawson and Hanson's method from the columns in
// `support`: {support, values, rest}.
export function nonnegative(columns, y, penalty = 0, support = []) {
  const size = Math.hypot(...y) || 1;
  let inside = support.slice(), values = inside.map(() => 0);
  const restOf = () => y.map((v, i) => v - inside.reduce((sum, j, n) => sum + values[n] * columns[j][i], 0));
  // The minimum over the columns inside, whatever the signs; refined once, since the normal equations square the condition.
  function free() {
    const own = inside.map((j) => columns[j]), L = cholesky(own.map((a) => own.map((b) => dot(a, b))));
    if (!L) return null;
    let b = Array.from(solve(L, own.map((a) => dot(a, y) - penalty)));
    for (let round = 0; round < 2; round++) {
      const rest = y.map((v, i) => v - own.reduce((sum, a, n) => sum + b[n] * a[i], 0)), more = solve(L, own.map((a) => dot(a, rest) - penalty));
      b = b.map((v, n) => v + more[n]);
    }
    return b;
  }
  for (let round = 0; round < 10 * columns.length + 10; round++) {
    while (inside.length) {
      const wanted = free();
      if (!wanted) {
        // The column that came last depends on the others.
        inside.pop();
        values.pop();
        break;
      }
      let share = 1, out = -1;
      wanted.forEach((v, n) => {
        if (v > 0) return;
        const own = values[n] / (values[n] - v);
        if (!(own >= share)) [share, out] = [own || 0, n];
      });
      values = values.map((v, n) => v + share * (wanted[n] - v));
      if (out < 0) break;
      inside.splice(out, 1);
      values.splice(out, 1);
    }
    const rest = restOf();
    let best = -1, most = NOISE * size;
    columns.forEach((a, j) => {
      const pull = (dot(a, rest) - penalty) / (Math.hypot(...a) || 1);
      if (pull > most && !inside.includes(j)) [best, most] = [j, pull];
    });
    if (best < 0) break;
    inside.push(best);
    values.push(0);
  }
  return { support: inside, values, rest: restOf() };
}

const columnsOf = (X) => Array.from({ length: X[0].length }, (_, j) => X.map((row) => row[j]));

// argmin |X beta - y|^2 / 2 + penalty |beta|_1.
export function lasso(X, y, penalty) {
  const up = columnsOf(X), d = up.length, beta = up.map(() => 0);
  const { support, values } = nonnegative([...up, ...up.map((a) => a.map((v) => -v))], y, penalty);
  support.forEach((j, n) => (beta[j % d] += j < d ? values[n] : -values[n]));
  return beta;
}

// The plateaus of the vanishing start, on the slow clock: [{time, beta, loss}]. q' = X'(y - X beta) moves in the box |q| <= 1;
// when a coordinate reaches its bound, beta jumps to the minimum over the signs of the coordinates that are at theirs.
export function staircase(X, y) {
  const columns = columnsOf(X), d = columns.length, q = new Float64Array(d), bound = new Int8Array(d);
  const size = Math.hypot(...y), plateaus = [];
  let time = 0, beta = new Array(d).fill(0), rest = Array.from(y);
  const tell = () => plateaus.push({ time, beta, loss: 0.5 * dot(rest, rest) });
  tell();
  for (let jump = 0; jump < 20 * d; jump++) {
    const pull = columns.map((a, j) => (beta[j] ? 0 : dot(a, rest)));
    let next = -1, wait = Infinity;
    columns.forEach((a, j) => {
      if (Math.abs(pull[j]) <= NOISE * size * Math.hypot(...a) || bound[j] * pull[j] > 0) return;
      const own = (Math.sign(pull[j]) - q[j]) / pull[j];
      if (own < wait) [next, wait] = [j, own];
    });
    if (next < 0) break;
    for (let j = 0; j < d; j++) {
      q[j] += wait * pull[j];
      if (bound[j] * pull[j] < 0) bound[j] = 0;
    }
    q[next] = bound[next] = Math.sign(pull[next]);
    time += wait;
    const at = [];
    bound.forEach((side, j) => side && at.push(j));
    const support = at.map((_, n) => n).filter((n) => beta[at[n]]);
    const found = nonnegative(at.map((j) => columns[j].map((v) => bound[j] * v)), y, 0, support);
    beta = new Array(d).fill(0);
    found.support.forEach((n, k) => (beta[at[n]] = bound[at[n]] * found.values[k]));
    rest = found.rest;
    tell();
  }
  return plateaus;
}
