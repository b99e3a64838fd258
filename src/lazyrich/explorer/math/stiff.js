// A stiff integrator: the Rosenbrock method Rodas5P of order 5 (Steinebach, BIT 63:27, 2023), with error control.

const GAMMA = 0.21193756319429014;
const A = [
  [],
  [3],
  [2.849394379747939, 0.45842242204463923],
  [-6.954028509809101, 2.489845061869568, -10.358996098473584],
  [2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641],
  [-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946],
  [-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1],
  [-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1, 1],
];
const C = [
  [],
  [-14.155112264123755],
  [-17.97296035885952, -2.859693295451294],
  [147.12150275711716, -1.41221402718213, 71.68940251302358],
  [165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306],
  [24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471],
  [30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623, -28.087943162872662],
  [37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002, -54.66780262877968, -9.48861652309627],
];

// Factor M in place into L and U with partial pivoting; returns the order of the rows.
function factor(M, n) {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(M[i][k]) > Math.abs(M[best][k])) best = i;
    [M[k], M[best]] = [M[best], M[k]];
    [order[k], order[best]] = [order[best], order[k]];
    const top = M[k], pivot = top[k];
    for (let i = k + 1; i < n; i++) {
      const row = M[i], share = (row[k] /= pivot);
      if (share !== 0) for (let j = k + 1; j < n; j++) row[j] -= share * top[j];
    }
  }
  return order;
}

function solve(M, order, b, out) {
  const n = order.length;
  for (let i = 0; i < n; i++) {
    const row = M[i];
    let sum = b[order[i]];
    for (let j = 0; j < i; j++) sum -= row[j] * out[j];
    out[i] = sum;
  }
  for (let i = n - 1; i >= 0; i--) {
    const row = M[i];
    let sum = out[i];
    for (let j = i + 1; j < n; j++) sum -= row[j] * out[j];
    out[i] = sum / row[i];
  }
}

// Follow y' = field(y, out) from `start` until `end`. `jacobian(y, rows)` fills a matrix of rows. Each accepted step is told
// to `step(t, y)`, which ends the integration by returning false. The error of a step in entry i is at most
// tolerance * (scale[i] + |y_i| * relative). Steps are no longer than `longest(t)` and end at each of `stops` (ascending).
export function stiff(field, jacobian, start, end, step, options = {}) {
  const { tolerance = 1e-8, scale = null, relative = 1, longest = () => Infinity, first = 0, most = 20000, stops = [] } = options;
  const n = start.length, stages = A.length, room = () => new Float64Array(n);
  const U = Array.from({ length: stages }, room), M = Array.from({ length: n }, room), Y = room(), F = room(), next = room();
  let slope = room(), ahead = room(); // the field at y, and at `next`
  let y = Float64Array.from(start), t = 0, stop = 0;
  field(y, slope);
  // A first step in which nothing changes by more than a hundredth of its allowance in a hundred such steps.
  let h = first || 1e-4 / (1e-300 + Math.max(...slope.map((f, i) => Math.abs(f) / ((scale ? scale[i] : 1) + Math.abs(y[i])))));
  for (let count = 0; t < end && count < most; count++) {
    while (stop < stops.length && stops[stop] <= t) stop++;
    const target = stop < stops.length ? Math.min(stops[stop], end) : end, capped = Math.min(h, longest(t));
    const last = t + capped >= target * (1 - 1e-12), now = last ? target - t : capped;
    const rows = M.slice();
    jacobian(y, rows);
    for (let i = 0; i < n; i++) {
      const row = rows[i];
      for (let j = 0; j < n; j++) row[j] = -row[j];
      row[i] += 1 / (now * GAMMA);
    }
    const order = factor(rows, n);
    for (let s = 0; s < stages; s++) {
      const a = A[s], c = C[s];
      if (s === 0) F.set(slope);
      for (let i = 0; i < n; i++) {
        let sum = y[i];
        for (let k = 0; k < s; k++) sum += a[k] * U[k][i];
        Y[i] = sum;
      }
      if (s > 0) field(Y, F);
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let k = 0; k < s; k++) sum += c[k] * U[k][i];
        F[i] += sum / now;
      }
      solve(rows, order, F, U[s]);
    }
    const error = U[stages - 1];
    let worst = 0;
    for (let i = 0; i < n && !Number.isNaN(worst); i++) {
      next[i] = Y[i] + error[i];
      const allowed = tolerance * ((scale ? scale[i] : 1) + relative * Math.max(Math.abs(y[i]), Math.abs(next[i])));
      worst = Math.max(worst, Math.abs(error[i]) / allowed); // NaN, of a step that has left the domain, stays
    }
    let fine = worst <= 1;
    if (fine) {
      field(next, ahead);
      fine = ahead.every(Number.isFinite);
    }
    if (fine) {
      t = last ? target : t + now;
      y.set(next);
      [slope, ahead] = [ahead, slope];
      if (step(t, y) === false) return t;
    }
    const grown = now * Math.min(6, Math.max(0.1, (fine || worst > 1 ? 0.9 * Math.max(worst, 1e-12) ** -0.2 : 0.1) || 0.1));
    h = fine && now < h ? Math.max(h, grown) : grown;
  }
  return t;
}

// y at each of the times (ascending, >= 0); at the first of them only, if more than `most` steps would be needed for all.
export function statesAt(field, jacobian, start, times, options = {}) {
  const stops = times.filter((t) => t > 0), found = times.filter((t) => !(t > 0)).map(() => Array.from(start));
  let next = 0;
  stiff(field, jacobian, start, stops[stops.length - 1] ?? 0, (t, y) => {
    while (next < stops.length && stops[next] <= t) {
      found.push(Array.from(y));
      next++;
    }
  }, { ...options, stops });
  return found;
}
