// The flow of a diagonal network of any depth on any data, in its mirror variable mu: beta = kappa h(X'mu), mu' = c(y - X beta), with
// c = 2 at depth 2 and D(D - 2) r^{D-2} from weights r at depth D > 2. Weight decay (at depth 2) leaves the mirror variable as it is
// and lets its scale run down: kappa(t) = kappa e^{-2 lambda t}.

import { kappa as scaleOf } from "./diagonal.js";
import { stiff } from "./stiff.js";

// beta and its derivative in z = X'mu, for logarithms of kappa: at depth 2 neither kappa nor sinh has to be a number.
function coordinate(depth) {
  if (depth === 2) {
    return (z, log, out, j) => {
      const up = Math.exp(z + log), down = Math.exp(log - z);
      out[j] = Math.abs(z) < 1e-3 ? Math.exp(log) * Math.sinh(z) : (up - down) / 2;
      return (up + down) / 2;
    };
  }
  const q = depth / (depth - 2);
  return (z, log, out, j) => {
    if (!(Math.abs(z) < 1)) return (out[j] = NaN);
    const size = Math.exp(log), up = (1 - z) ** -q, down = (1 + z) ** -q;
    out[j] = size * (Math.abs(z) < 1e-3 ? Math.expm1(-q * Math.log1p(-z)) - Math.expm1(-q * Math.log1p(z)) : up - down);
    return size * q * (up / (1 - z) + down / (1 + z));
  };
}

// Follow the flow: {times, beta (a row for each time), loss}. It ends at the time `end`, or where the loss is at `until` of its
// start. `stops` are times that are met exactly.
export function train(X, y, { alpha, shape = 0, depth = 2, decay = 0 }, { end = Infinity, until = 0, tolerance = 1e-7, stops = [], fine = 30 } = {}) {
  const n = X.length, d = X[0].length, at = coordinate(depth);
  const log0 = Math.log(scaleOf(alpha, shape, depth)), speed = depth === 2 ? 2 : depth * (depth - 2) * alpha ** (1 - 2 / depth);
  const z = new Float64Array(d), beta = new Float64Array(d), slope = new Float64Array(d), rest = new Float64Array(n);
  // The state is mu, and the time beside it where the equation depends on it.
  function look(state) {
    const log = decay ? log0 - 2 * decay * state[n] : log0;
    z.fill(0);
    for (let i = 0; i < n; i++) {
      const row = X[i], m = state[i];
      for (let j = 0; j < d; j++) z[j] += row[j] * m;
    }
    for (let j = 0; j < d; j++) slope[j] = at(z[j], log, beta, j);
    for (let i = 0; i < n; i++) {
      const row = X[i];
      let sum = y[i];
      for (let j = 0; j < d; j++) sum -= row[j] * beta[j];
      rest[i] = sum;
    }
  }
  const field = (state, out) => {
    look(state);
    for (let i = 0; i < n; i++) out[i] = speed * rest[i];
    if (decay) out[n] = 1;
  };
  const weighted = new Float64Array(d);
  const jacobian = (state, rows) => {
    look(state);
    for (let i = 0; i < n; i++) {
      const row = X[i];
      for (let j = 0; j < d; j++) weighted[j] = speed * row[j] * slope[j];
      for (let k = 0; k <= i; k++) {
        const other = X[k];
        let sum = 0;
        for (let j = 0; j < d; j++) sum += weighted[j] * other[j];
        rows[i][k] = rows[k][i] = -sum;
      }
      if (!decay) continue;
      let sum = 0;
      for (let j = 0; j < d; j++) sum += 2 * decay * speed * row[j] * beta[j];
      rows[i][n] = sum;
    }
    if (decay) rows[n].fill(0);
  };
  const times = [0], betas = [Array.from({ length: d }, () => 0)], loss = [0.5 * y.reduce((sum, v) => sum + v * v, 0)];
  // What beta depends on is how far z is from +-1, at depth D > 2: at least as far as the (D - 2)th power of the weights.
  const size = Math.max(...X.map((row) => Math.hypot(...row))) || 1, unit = depth > 2 ? Math.min(1, alpha ** (1 - 2 / depth)) : 1;
  const scale = Array.from({ length: n }, () => unit / size);
  if (decay) scale.push(Infinity);
  const step = (t, state) => {
    look(state);
    times.push(t);
    betas.push(Array.from(beta));
    loss.push(0.5 * rest.reduce((sum, v) => sum + v * v, 0));
    return loss[loss.length - 1] > until * loss[0];
  };
  const start = new Float64Array(decay ? n + 1 : n);
  if (loss[0] > 0) stiff(field, jacobian, start, end, step, { tolerance, scale, relative: 0, longest: (t) => (t > 0 ? t / fine : Infinity), stops });
  return { times, beta: betas, loss };
}
