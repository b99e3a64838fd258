// A single neuron f(x) = a w.x: its path in closed form on whitened inputs (one formula for every delta, sign and rate).

import { cosineDistance, decay, dot, hyperbola, norm } from "./numbers.js";

// Weights with a w = beta and eta_w a^2 - eta_a |w|^2 = delta; `direction` is that of w where beta leaves it open.
export function weights(beta, delta, etaW, etaA, sign, direction) {
  const size = norm(beta);
  const [p, q] = hyperbola(Math.sqrt(etaW * etaA) * size, delta);
  const a = (sign * p) / Math.sqrt(etaW);
  if (delta > 0) return { a, w: beta.map((b) => b / a) };
  const unit = size > 0 ? beta.map((b) => b / size) : direction;
  return { a, w: unit.map((u) => (sign * q * u) / Math.sqrt(etaA)) };
}

// delta, l+, l-, C, g, D/C of the flow towards b; C decides the basin, and C = 0 is the separating surface.
export function constants(a, w, b, etaW, etaA) {
  const scale = etaA * etaW * dot(b, b);
  const delta = etaW * a * a - etaA * dot(w, w);
  const R = Math.hypot(delta / 2, Math.sqrt(scale));
  const large = R + Math.abs(delta) / 2;
  const small = large > 0 ? scale / large : 0;
  const [up, down] = delta > 0 ? [large, -small] : [small, -large];
  const pull = etaA * dot(w, b);
  const C = R === 0 ? a : (up * a + pull) / (2 * R);
  const g = R === 0 ? 0 : -(down * a + pull) / (2 * R);
  const B = norm(b);
  const slope = B === 0 ? 0 : delta > 0 ? (etaW * B) / large : large / (etaA * B);
  return { delta, up, down, R, C, g, slope, B };
}

// The function t -> [a, forward, still]: w is forward times the direction of b, and still times its part across b at the
// start. Everything is divided by s max(1, |C| e^{l+ t}), so that exponentials only decay.
export function path(a, w, b, etaW, etaA) {
  const { delta, up, down, C, g, slope, B } = constants(a, w, b, etaW, etaA);
  const along = B > 0 ? dot(w, b) / B : 0;
  return (t) => {
    const [fadeUp, tauUp] = decay(up, t);
    const [fadeDown, tauDown] = decay(-down, t);
    const tauDelta = decay(Math.abs(delta), t)[1];
    const grown = C !== 0 && Math.abs(C) > fadeUp;
    const still = grown ? fadeUp / Math.abs(C) : 1;
    const growing = grown ? Math.sign(C) : C / Math.max(fadeUp, 1e-150);
    const falling = fadeDown * still;
    const k = up * tauUp - down * tauDown * fadeUp; // 1 - e^{-2Rt}
    const cross = (delta > 0 ? growing * falling : C * still * still) * g * tauDelta;
    const S =
      still * still +
      etaW * (growing ** 2 * tauUp * (1 + fadeUp) + (g * still) ** 2 * tauDown * (1 + fadeDown) + 4 * cross);
    const root = 1 / Math.sqrt(S);
    return [(a * falling + growing * k) * root, (along * falling + growing * slope * k) * root, still * root];
  };
}

// When a crosses zero; Infinity if it never does. At most once.
export function crossing({ C, up, down }, a) {
  return C !== 0 && a / C <= 0 ? Math.log1p(-a / C) / (up - down) : Infinity;
}

// Where the neuron stops: beta = best + a_inf P w0. `best` is the shortest solution, `unseen` is P w0.
export function limit(a, w, best, unseen, etaW, etaA, sign) {
  const seen = w.map((x, i) => x - unseen[i]);
  const v = etaW * a * a - etaA * dot(seen, seen);
  const outer = (sign * hyperbola(Math.sqrt(etaA * etaW) * norm(best), v)[0]) / Math.sqrt(etaW);
  return { a: outer, beta: best.map((x, i) => x + outer * unseen[i]) };
}

// Where a neuron with weight decay lambda in both layers stops: argmin |X beta - y|^2 / 2 + lambda |beta|, for data of the given
// strengths s_i along the axes, of which the best values are b_i. (It may also stop at zero, from where it started below it.)
export function shrunk(strengths, best, lambda) {
  const pull = strengths.map((s, i) => s * best[i]), size = norm(pull);
  if (!(size > lambda)) return best.map(() => 0);
  let low = 0, high = 2 * norm(best); // of |beta| = r, where sum (s_i b_i / (s_i r + lambda))^2 = 1
  for (let i = 0; i < 200 && high - low > 1e-16 * high; i++) {
    const r = (low + high) / 2;
    if (pull.reduce((sum, p, k) => sum + (p / (strengths[k] * r + lambda)) ** 2, 0) > 1) low = r;
    else high = r;
  }
  return pull.map((p, k) => (p * high) / (strengths[k] * high + lambda));
}

// The potential of the predictor at unit rates, as a function of its length r; its slope is |w|.
export function potential(r, delta) {
  if (r === 0) return 0;
  const large = (Math.sqrt(delta * delta + 4 * r * r) + Math.abs(delta)) / 2, small = (r * r) / large; // squares of a and |w|
  if (delta < 0) return (Math.sqrt(small) * (2 * small - 3 * delta)) / 3;
  const a = Math.sqrt(large), rest = Math.sqrt(delta);
  return (small * (2 * large + 2 * a * rest - delta)) / (3 * (a + rest));
}

// The tangent kernel X (eta_w a^2 I + eta_a w w') X', as a flat list.
export function kernel(a, w, X, etaW, etaA) {
  const K = [], image = X.map((x) => dot(x, w));
  for (let i = 0; i < X.length; i++) {
    for (let j = 0; j < X.length; j++) K.push(etaW * a * a * dot(X[i], X[j]) + etaA * image[i] * image[j]);
  }
  return K;
}

export const kernelDistance = cosineDistance;
