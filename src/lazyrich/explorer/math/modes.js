// Modes of a linear network that learn alone: depth 1, depth 2 with any imbalance, depth 3 and more balanced.

import { decay, hyperbola, risesTo } from "./numbers.js";

// Depth 2. beta = a.w of two hidden vectors with |a||w| = scale, |a|^2 - |w|^2 = lambda and cosine c between them:
// |a + w| and |a - w|, of which products and sums alone matter.
export function sides(scale, lambda, c) {
  const sum = Math.hypot(lambda, 2 * scale);
  const gap = sum + 2 * scale > 0 ? lambda ** 2 / (sum + 2 * scale) + 2 * scale * (1 - Math.abs(c)) : 0;
  const near = Math.sqrt(sum + 2 * scale * Math.abs(c)), far = Math.sqrt(gap);
  return c >= 0 ? [near, far] : [far, near];
}

// t -> {beta, left = s - beta} of beta' = sqrt(kappa^2 + 4 beta^2)(s - beta), kappa = pm.
export function pair(p, m, beta0, s) {
  const kappa = p * m, twice = 2 * Math.abs(s);
  const S = Math.hypot(kappa, twice), more = S + twice;
  const less = more > 0 ? kappa ** 2 / more : 0;
  const [up, down] = s >= 0 ? [less, more] : [more, less];
  const apart = p + m > 0 ? (4 * beta0) / (p + m) : 0; // p - m
  const opposite = apart * s < 0;
  const share = S + kappa > 0 ? (2 * s) / (S + kappa) : 0;
  const gap = S + kappa > 0 ? (kappa + less) / (S + kappa) : 0;
  const bracket = opposite ? 2 * (apart >= 0 ? m : p) + gap * Math.abs(apart) : p + m + share * apart;
  return (t) => {
    const [E, tau] = decay(S, t);
    const Dp = (p * p + up) * tau + 2 * E, Dm = (m * m + down) * tau + 2 * E;
    const safeP = Dp > 0 ? Dp : 1, safeM = Dm > 0 ? Dm : 1;
    let beta = (((2 * s * tau * bracket + 2 * E * apart) / safeM) * (p * (Dm / safeP) + m)) / 4;
    if (p === 0) beta = -((m * m * Dp) / safeM) / 4;
    else if (m === 0) beta = (p * p * Dm) / safeP / 4;
    const fading = s >= 0 ? (Dp > 0 ? (2 * E) / safeP : 1) * (2 / safeM) : (Dm > 0 ? (2 * E) / safeM : 1) * (2 / safeP);
    return { beta, left: (s - beta0) * fading };
  };
}

// Depth L >= 3, x = a/s > 0. The time in units of s^{2/L - 2}, as a function of z: logit x below the target,
// log(x - 1) above it. With y = x^{1/L} it is y^{2-L}/(2-L) - (1/L) sum over the L-th roots of one w of
// Re w^2 log(1 - y/w).
const roots = Array.from({ length: 7 }, (_, L) =>
  Array.from({ length: Math.max(L - 1, 0) }, (_, k) => {
    const angle = (2 * Math.PI * (k + 1)) / L;
    return [Math.cos(angle), Math.sin(angle), Math.cos(2 * angle), Math.sin(2 * angle)];
  }),
);

function clock(z, above, L) {
  const logX = above ? softplus(z) : -softplus(-z);
  const y = Math.exp(logX / L);
  let sum = Math.abs(logX) > 1e-8 ? Math.log(Math.abs(Math.expm1(logX / L))) : (above ? z : -softplus(z)) - Math.log(L);
  for (const [cos, sin, cos2, sin2] of roots[L]) {
    const modulus = 0.5 * Math.log((1 - y * cos) ** 2 + (y * sin) ** 2);
    sum += cos2 * modulus - sin2 * Math.atan2(y * sin, 1 - y * cos);
  }
  return Math.exp((logX * (2 - L)) / L) / (2 - L) - sum / L;
}

const softplus = (z) => (z > 0 ? z + Math.log1p(Math.exp(-z)) : Math.log1p(Math.exp(z)));

// dz/dT.
function pace(z, above, L) {
  const logX = above ? softplus(z) : -softplus(-z);
  const slow = L * Math.exp(logX * (1 - 2 / L));
  return above ? -slow * Math.exp(logX) : slow;
}

const coordinate = (x) => (x > 1 ? Math.log(x - 1) : Math.log(x) - Math.log1p(-x));

// t -> {beta, left} of a' = L a^{2 - 2/L}(s - a), a(0) = a0 > 0, s > 0, L >= 3.
export function deep(a0, s, L) {
  const unit = s ** (2 - 2 / L), x0 = a0 / s;
  if (x0 === 1) return () => ({ beta: s, left: 0 });
  const above = x0 > 1, z0 = coordinate(x0), origin = clock(z0, above, L);
  let last = z0, lastT = 0;
  return (t) => {
    const T = unit * t;
    if (T === 0) return { beta: a0, left: s - a0 };
    if (T < lastT) last = z0;
    // Between the start and what the fastest pace allows; Newton from the last answer, halved where it leaves.
    let low = above ? z0 - L * Math.exp(softplus(z0) * (2 - 2 / L)) * T : z0, high = above ? z0 : z0 + L * T;
    let z = Math.min(Math.max(last, low), high);
    for (let i = 0; i < 120; i++) {
      const error = clock(z, above, L) - origin - T;
      if (above ? error < 0 : error > 0) high = z;
      else low = z;
      let next = z - error * pace(z, above, L);
      if (!(next >= low && next <= high) || i % 10 === 9) next = (low + high) / 2;
      const moved = Math.abs(next - z);
      z = next;
      if (moved <= 1e-15 * (1 + Math.abs(z)) || low === high) break;
    }
    last = z;
    lastT = T;
    const gap = above ? -Math.exp(z) : 1 / (1 + Math.exp(z)); // 1 - x
    return { beta: s * (z > 0 || above ? 1 - gap : Math.exp(-softplus(-z))), left: s * gap };
  };
}

// One mode at any depth: t -> {beta, left}. `start` is |a||w| at depth 2, the mode's strength at others.
export function mode({ depth, s, start, lambda, cosine }) {
  if (depth === 1) return (t) => ({ beta: s + (start - s) * Math.exp(-t), left: (s - start) * Math.exp(-t) });
  if (depth > 2) return deep(start, s, depth);
  const [p, m] = sides(start, lambda, cosine);
  return pair(p, m, start * cosine, s);
}

// Its tangent model: s - beta falls at the rate of the kernel at the start.
export function lazy({ depth, s, start, lambda, cosine }) {
  const begin = depth === 2 ? start * cosine : start;
  const rate = depth === 2 ? Math.hypot(lambda, 2 * start) : depth * start ** (2 - 2 / depth);
  return (t) => ({ beta: s + (begin - s) * Math.exp(-rate * t), left: (s - begin) * Math.exp(-rate * t) });
}

// The tangent kernel of all modes on whitened inputs. It is diagonal, with an entry for input i and output j: at depth 2
// |w_i|^2 + |a_j|^2, where |a|^2 + |w|^2 = sqrt((pm)^2 + 4 beta^2) and lambda cancels; at other depths
// sum_l beta_i^{2(l-1)/L} beta_j^{2(L-l)/L}.
export function kernel(modes, beta) {
  const L = modes[0].depth, layers = Array.from({ length: L }, (_, l) => l);
  const sums = modes.map(({ start, lambda, cosine }, i) => {
    const [p, m] = sides(start, lambda, cosine);
    return Math.hypot(p * m, 2 * beta[i]);
  });
  const entry = (i, j) =>
    L === 2
      ? (sums[i] + sums[j]) / 2
      : layers.reduce((sum, l) => sum + beta[i] ** ((2 * l) / L) * beta[j] ** ((2 * (L - 1 - l)) / L), 0);
  return modes.flatMap((_, i) => modes.map((_, j) => entry(i, j)));
}

// When it reaches a tenth, half and nine tenths of its target: {time, width}, infinite if never, 0 if it starts beyond.
export function learned(given) {
  const at = (share) => {
    const { depth, s, start } = given;
    if (depth > 2) {
      if (start >= share * s) return 0;
      return (clock(coordinate(share), false, depth) - clock(coordinate(start / s), false, depth)) / s ** (2 - 2 / depth);
    }
    const curve = mode(given);
    return risesTo((t) => curve(t).beta, share * s, 1);
  };
  const [tenth, half, most] = [0.1, 0.5, 0.9].map(at);
  return { time: half, width: most === Infinity ? Infinity : most - tenth };
}

// The order in which modes are learned, when, how fast, and the plateaus of the loss in between.
export function schedule(modes) {
  const rows = modes.map((given, i) => {
    const start = given.depth === 2 ? given.start * given.cosine : given.start;
    return { mode: i, target: given.s, start, ...learned(given), lost: 0.5 * (given.s - start) ** 2 };
  });
  rows.sort((x, y) => x.time - y.time || y.target - x.target);
  let left = rows.reduce((sum, row) => sum + row.lost, 0);
  for (const row of rows) {
    if (row.time === Infinity) row.lost = 0;
    left = Math.max(left - row.lost, 0);
    row.plateau = left;
  }
  return rows;
}

// The two layers of a mode of depth 2, for those who want the hidden vectors: lengths of w and a.
export const lengths = (scale, lambda) => hyperbola(scale, lambda);
