// Where a diagonal network stops: beta = kappa h(X'mu) with X beta = y, h = sinh at depth 2, and
// h(z) = (1 - z)^-q - (1 + z)^-q, q = D/(D - 2), at depth D > 2.

import { cholesky, solve } from "./linalg.js";

// kappa of a start with scale alpha (u v = alpha, v/u = (1+s)/(1-s) at depth 2; r^D = alpha deeper).
export const kappa = (alpha, shape, depth) => (depth > 2 ? alpha : (2 * alpha * (1 + shape ** 2)) / (1 - shape ** 2));

export function mirror(depth) {
  if (depth === 2) return { h: Math.sinh, slope: Math.cosh, inside: (z) => Math.abs(z) < 700 };
  const q = depth / (depth - 2);
  return {
    h: (z) => Math.expm1(-q * Math.log1p(-z)) - Math.expm1(-q * Math.log1p(z)),
    slope: (z) => q * (Math.exp(-(q + 1) * Math.log1p(-z)) + Math.exp(-(q + 1) * Math.log1p(z))),
    inside: (z) => Math.abs(z) < 1,
  };
}

// h(z) = x, by Newton inside a bracket.
export function inverse(x, depth) {
  if (depth === 2) return Math.asinh(x);
  if (x === 0) return 0;
  const { h, slope } = mirror(depth), q = depth / (depth - 2), size = Math.abs(x);
  let low = 0, high = -Math.expm1(-Math.log1p(size + 1) / q), z = -Math.expm1(-Math.log1p(size) / q);
  for (let i = 0; i < 100; i++) {
    const error = h(z) - size;
    if (error > 0) high = z;
    else low = z;
    let next = z - error / slope(z);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (Math.abs(next - z) <= 2e-16) break;
    z = next;
  }
  return Math.sign(x) * z;
}

// The potential of one coordinate, x z - its conjugate; zero at zero.
export function entropy(x, scale, depth) {
  const u = Math.abs(x) / scale, z = inverse(u, depth);
  if (depth === 2) return scale * u * (z - u / (1 + Math.hypot(1, u)));
  const q = depth / (depth - 2);
  const conjugate = (Math.expm1((1 - q) * Math.log1p(-z)) + Math.expm1((1 - q) * Math.log1p(z))) / (q - 1);
  return scale * (u * z - conjugate);
}

// The limits for each kappa (descending), one from the other: [{kappa, mu, beta}]. `from` is a limit at a larger kappa; with
// `rough` they are right to 1e-5 only.
export function limits(X, y, kappas, depth, from = null, rough = false) {
  const out = [];
  let { mu, kappa: scale } = from ?? lazyStart(X, y, kappas[0], depth);
  for (const wanted of kappas) {
    // d mu / d log kappa = -H^{-1} y: small strides, each corrected by Newton's method.
    while (scale > wanted) {
      let factor = Math.max(wanted / scale, 0.2);
      const { change } = direction(X, y, mu, scale, depth);
      for (;;) {
        const guess = mu.map((v, i) => v - Math.log(factor) * change[i]);
        const next = newton(X, y, guess, scale * factor, depth, true);
        if (next) {
          mu = next.mu;
          scale = scale * factor <= wanted * (1 + 1e-14) ? wanted : scale * factor;
          break;
        }
        factor = Math.sqrt(factor);
        if (factor > 1 - 1e-9) throw new Error("no way to this scale");
      }
    }
    out.push({ kappa: wanted, ...newton(X, y, mu, wanted, depth, rough) });
    mu = out[out.length - 1].mu;
  }
  return out;
}

// A scale so large that the mirror variables are of order one, and the solution there.
function lazyStart(X, y, first, depth) {
  const size = Math.max(...y.map(Math.abs), 1e-300);
  let scale = Math.max(first, 10 * size);
  for (;;) {
    const found = newton(X, y, y.map(() => 0), scale, depth);
    if (found) return { mu: found.mu, kappa: scale };
    scale *= 10;
  }
}

// X'mu, and y - X v.
function images(X, mu) {
  const out = new Float64Array(X[0].length);
  for (let i = 0; i < X.length; i++) {
    const row = X[i], m = mu[i];
    for (let j = 0; j < out.length; j++) out[j] += row[j] * m;
  }
  return out;
}

function missing(X, y, v) {
  const out = new Float64Array(X.length);
  for (let i = 0; i < X.length; i++) {
    let sum = y[i];
    for (let j = 0; j < v.length; j++) sum -= X[i][j] * v[j];
    out[i] = sum;
  }
  return out;
}

function length(v) {
  let sum = 0;
  for (let i = 0; i < v.length; i++) sum += v[i] * v[i];
  return Math.sqrt(sum);
}

function factor(X, weights) {
  const n = X.length;
  const H = Array.from({ length: n }, () => new Float64Array(n)), scaled = new Float64Array(weights.length);
  for (let i = 0; i < n; i++) {
    const row = X[i], into = H[i];
    for (let j = 0; j < scaled.length; j++) scaled[j] = row[j] * weights[j];
    for (let k = 0; k <= i; k++) {
      const other = X[k];
      let sum = 0;
      for (let j = 0; j < scaled.length; j++) sum += scaled[j] * other[j];
      into[k] = sum;
    }
  }
  return cholesky(H);
}

function direction(X, y, mu, scale, depth) {
  const { slope } = mirror(depth);
  const L = factor(X, images(X, mu).map((z) => scale * slope(z)));
  return { change: solve(L, y) };
}

// Newton's method from a guess: {mu, beta}; null if it leaves the domain or does not close in. A rough answer, right to
// 1e-5, is good enough for the way to another scale and for a picture.
function newton(X, y, guess, scale, depth, rough = false) {
  const { h, slope, inside } = mirror(depth);
  const size = length(y);
  let mu = guess, z = images(X, mu);
  if (!z.every(inside)) return null;
  let beta = z.map((v) => scale * h(v)), rest = missing(X, y, beta), error = length(rest), L = null;
  for (let round = 0; round < 60; round++) {
    if (rough && error <= 1e-5 * size) return { mu, beta: Array.from(beta) };
    L = factor(X, z.map((v) => scale * slope(v)));
    if (!L) return null;
    if (error <= 1e-14 * size) break;
    const step = solve(L, rest);
    let damp = 1, better = false;
    for (let halvings = 0; halvings < 30; halvings++, damp /= 2) {
      const tried = mu.map((v, i) => v + damp * step[i]), zt = images(X, tried);
      if (!zt.every(inside)) continue;
      const bt = zt.map((v) => scale * h(v)), rt = missing(X, y, bt), et = length(rt);
      if (et < error) {
        [mu, z, beta, rest, error, better] = [tried, zt, bt, rt, et, true];
        break;
      }
    }
    if (!better) {
      if (error > 1e-6 * size) return null;
      break;
    }
  }
  if (error > 1e-6 * size) return null;
  // What rounding of the mirror variables leaves over is taken off where it does not round.
  for (let i = 0; i < 2; i++) {
    const change = solve(L, rest), moved = images(X, change);
    beta = beta.map((b, j) => b + scale * slope(z[j]) * moved[j]);
    rest = missing(X, y, beta);
  }
  return { mu, beta: Array.from(beta) };
}

// The curve along which the flow from zero runs to its limit, for one sample x: kappa h(x g), g from 0 to mu.
export function curve(x, mu, scale, depth, count = 120) {
  const { h } = mirror(depth);
  return Array.from({ length: count + 1 }, (_, i) => x.map((v) => scale * h((v * mu * i) / count)));
}
