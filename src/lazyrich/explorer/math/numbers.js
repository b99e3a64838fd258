// Stable kernels that every room uses.

export function dot(x, y) {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
export const norm = (x) => (x.length === 2 ? Math.hypot(x[0], x[1]) : Math.hypot(...x));

// The point (p, q), p, q >= 0, with pq = |product| and p^2 - q^2 = delta: the smaller is the product over the larger.
export function hyperbola(product, delta) {
  const size = Math.abs(product);
  if (size === 0 && delta === 0) return [0, 0];
  const large = Math.sqrt((Math.hypot(delta, 2 * size) + Math.abs(delta)) / 2);
  return delta >= 0 ? [large, size / large] : [size / large, large];
}

// e^{-rate t} and its integral from 0 to t, for rate >= 0.
export function decay(rate, t) {
  const x = rate * t;
  return [Math.exp(-x), rate > 0 && x > 0 ? -Math.expm1(-x) / rate : t];
}

// 1 - <K, K0>/(|K||K0|) of two matrices as flat lists, without cancellation where they are nearly parallel.
export function cosineDistance(K, K0) {
  const top = largest(K), top0 = largest(K0);
  if (top === 0 && top0 === 0) return 0;
  if (top === 0 || top0 === 0) return 1;
  let inner = 0, square = 0, square0 = 0;
  for (let i = 0; i < K.length; i++) {
    const k = K[i] / top, k0 = K0[i] / top0;
    inner += k * k0;
    square += k * k;
    square0 += k0 * k0;
  }
  if (inner <= 0) return 1 - inner / Math.sqrt(square * square0);
  let rest = 0;
  for (let i = 0; i < K.length; i++) rest += (K[i] / top - (inner / square0) * (K0[i] / top0)) ** 2;
  const sine2 = Math.min(rest / square, 1);
  return sine2 / (1 + Math.sqrt(1 - sine2));
}

function largest(x) {
  let top = 0;
  for (let i = 0; i < x.length; i++) top = Math.max(top, Math.abs(x[i]));
  return top;
}

// n numbers from low to high in equal ratios.
export function geometric(low, high, n) {
  const step = Math.log(high / low) / (n - 1);
  return Array.from({ length: n }, (_, i) => (i === n - 1 ? high : low * Math.exp(i * step)));
}

// The first t at which a curve that rises reaches a level; Infinity if it has not at `longest`.
export function risesTo(curve, level, unit, longest = 1e12) {
  if (curve(0) >= level) return 0;
  let low = 0, high = unit;
  while (curve(high) < level) {
    low = high;
    high *= 4;
    if (high > longest * unit) return Infinity;
  }
  for (let i = 0; i < 200 && high - low > 2e-16 * high; i++) {
    const middle = low === 0 ? high / 1e3 : low > 0 && high > 4 * low ? Math.sqrt(low * high) : (low + high) / 2;
    if (curve(middle) >= level) high = middle;
    else low = middle;
    if (low === 0 && high < 1e-300) return high;
  }
  return high;
}
