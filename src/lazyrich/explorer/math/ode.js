// Dormand and Prince's pair of orders 5 and 4 with step control, for what has no closed form.

const NODES = [
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];

function mix(weights, slopes, i) {
  let sum = 0;
  for (let s = 0; s < weights.length; s++) sum += weights[s] * slopes[s][i];
  return sum;
}

// y at each of the times (ascending, >= 0) from y(0) = start, y' = field(y); at the first of them only, if more than `most`
// steps would be needed for all.
export function integrate(field, start, times, rtol = 1e-11, atol = 1e-13, most = 8000) {
  let y = start.slice(), t = 0, k1 = field(y);
  let h = 1e-3 / (1e-3 + Math.max(...k1.map(Math.abs)));
  const out = [];
  let steps = 0;
  for (const end of times) {
    while (t < end) {
      if (steps++ > most) return out;
      const last = t + h >= end;
      const step = last ? end - t : h;
      const slopes = [k1];
      let next = y;
      for (let r = 0; r < NODES.length; r++) {
        next = y.slice();
        for (let i = 0; i < y.length; i++) next[i] += step * mix(NODES[r], slopes, i);
        slopes.push(field(next));
      }
      let worst = 0;
      for (let i = 0; i < y.length; i++) {
        const error = step * mix(ERROR, slopes, i);
        worst = Math.max(worst, Math.abs(error) / (atol + rtol * Math.max(Math.abs(y[i]), Math.abs(next[i]))));
      }
      if (worst <= 1) {
        t = last ? end : t + step;
        y = next;
        k1 = slopes[6];
      }
      const factor = Math.min(5, Math.max(0.2, 0.9 * Math.max(worst, 1e-10) ** -0.2));
      if (!last || worst > 1) h = step * factor;
    }
    out.push(y);
  }
  return out;
}
