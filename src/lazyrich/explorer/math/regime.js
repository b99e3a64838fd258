// The word for a run of training: the same limits as `lazyrich.probe` (_core/regime_thresholds.py), on the whole path.

export const LAZY = { distance: 0.01, gap: 0.2 }; // lazy: the kernel distance S and the gap to the tangent model stay below
export const RICH = 0.05; // rich: S rises above
export const DELAY = 10; // delayed rich: half of the rise of S comes after so many time constants 1/λ of the first kernel
// What the kernel and its distance are, for the text of each tab that shows them.
export const KERNEL =
  "The tangent kernel K(x, x′) = ∇f(x)·∇f(x′) says how much a step on x′ changes f(x); S = 1 − cos(K, K₀) says how far it has rotated since the start.";
export const WORDS = {
  lazy: "lazy: the tangent kernel hardly rotates",
  "in between": "in between: neither lazy nor rich",
  rich: "rich: the tangent kernel rotates while the task is learned",
  "delayed rich": "delayed rich: the tangent kernel rotates late, after the time scale of its initial value",
};

// times, S along them, the largest gap to the tangent model relative to the distance to go, the largest eigenvalue λ of
// the first kernel. The largest S counts, not the last: S can fall again.
export function regime(times, distance, gap, rate) {
  const top = Math.max(...distance);
  if (top < LAZY.distance && !(gap >= LAZY.gap)) return "lazy";
  if (top <= RICH) return "in between";
  return times[distance.findIndex((S) => S >= top / 2)] * rate > DELAY ? "delayed rich" : "rich";
}

// The largest |r(t) − e^{−Kt} r(0)| / |r(0)| along residuals r of one or two samples, and the largest eigenvalue of K.
export function tangentGap(times, residuals, K) {
  const [first] = residuals, two = first.length === 2;
  const [a, b, d] = two ? [K[0], K[1], K[3]] : [K[0], 0, 0];
  const mean = (a + d) / 2, root = Math.hypot((a - d) / 2, b), size = Math.hypot(...first);
  const rates = two ? [mean + root, Math.max(0, a * d - b * b) / (mean + root || 1)] : [a];
  // The eigenvector of the larger eigenvalue, from the larger of the two rows of K − λ₂.
  const [x, y] = !two ? [1, 0] : a >= d ? [(a - d) / 2 + root, b] : [b, (d - a) / 2 + root];
  const length = Math.hypot(x, y) || 1, u = two && length > 0 && (x || y) ? [x / length, y / length] : [1, 0];
  const along = first[0] * u[0] + (two ? first[1] * u[1] : 0), across = two ? first[1] * u[0] - first[0] * u[1] : 0;
  const gaps = times.map((t, n) => {
    const p = along * Math.exp(-rates[0] * t), q = two ? across * Math.exp(-rates[1] * t) : 0;
    const tangent = two ? [p * u[0] - q * u[1], p * u[1] + q * u[0]] : [p];
    return Math.hypot(...residuals[n].map((r, i) => r - tangent[i]));
  });
  return { gap: size > 0 ? Math.max(...gaps) / size : 0, rate: rates[0] };
}
