// Small symmetric systems.

// The lower factor of a positive matrix (rows of its lower triangle), after scaling to a unit diagonal; null if there is none.
export function cholesky(H) {
  const n = H.length;
  const unit = Array.from({ length: n }, (_, i) => 1 / Math.sqrt(H[i][i]));
  const L = Array.from({ length: n }, () => new Float64Array(n));
  for (let i = 0; i < n; i++) {
    if (!(H[i][i] > 0) || !Number.isFinite(unit[i])) return null;
    for (let k = 0; k <= i; k++) {
      const one = L[i], other = L[k];
      let sum = unit[i] * H[i][k] * unit[k] + (i === k ? 4e-16 * n : 0);
      for (let j = 0; j < k; j++) sum -= one[j] * other[j];
      if (i === k) {
        if (!(sum > 0)) return null;
        L[i][i] = Math.sqrt(sum);
      } else L[i][k] = sum / L[k][k];
    }
  }
  return { L, unit };
}

// x with H x = b.
export function solve({ L, unit }, b) {
  const n = L.length, x = Float64Array.from(b, (v, i) => unit[i] * v);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
    x[i] /= L[i][i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) x[i] -= L[j][i] * x[j];
    x[i] /= L[i][i];
  }
  return x.map((v, i) => unit[i] * v);
}
