// Fully connected networks with one output, f(x) = a.s(W2 s(W1 x)) or a.s(W1 x), x = (x1, x2, 1), their gradients and Jacobians.
// Parameters are one flat list, layer by layer, each layer by rows.

import { cosineDistance } from "./numbers.js";

const relu = { value: (z) => (z > 0 ? z : 0), slope: (_, z) => (z > 0 ? 1 : 0) };
const tanh = { value: Math.tanh, slope: (s) => 1 - s * s };
export const ACTIVATIONS = { relu, tanh };

// A number in (0, 1) for each whole number: the same in Python.
export function uniform(i) {
  let x = Math.imul(i + 1, 0x9e3779b1);
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (((x ^ (x >>> 16)) >>> 0) + 0.5) / 4294967296;
}
export const normal = (i) => Math.sqrt(-2 * Math.log(uniform(2 * i))) * Math.cos(2 * Math.PI * uniform(2 * i + 1));

// [rows, columns, place of the first entry] of each layer.
export function layersOf(width, depth) {
  const shapes = depth === 3 ? [[width, 3], [width, width], [1, width]] : [[width, 3], [1, width]];
  let at = 0;
  return shapes.map(([rows, columns]) => {
    const layer = { rows, columns, at };
    at += rows * columns;
    return layer;
  });
}
export const sizeOf = (layers) => layers.reduce((sum, { rows, columns }) => sum + rows * columns, 0);

// The start: Gaussian, units of the last hidden layer in pairs with opposite outgoing weights, so that the function is zero; then
// all weights times tau, the first layer divided by alpha and the last multiplied by it.
export function initial(layers, { seed = 0, tau = 1, alpha = 1 }) {
  const theta = new Float64Array(sizeOf(layers)), last = layers.length - 1, half = layers[last].columns / 2;
  layers.forEach(({ rows, columns, at }, l) => {
    const scale = Math.sqrt((l === last ? 1 : 2) / columns) * tau * (l === 0 ? 1 / alpha : l === last ? alpha : 1);
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        const [row, column] = l === last ? [r, c % half] : l === last - 1 ? [r % half, c] : [r, c];
        const sign = l === last && c >= half ? -1 : 1;
        theta[at + r * columns + c] = sign * scale * normal(1e6 * seed + at + row * columns + column);
      }
    }
  });
  return theta;
}

// A network with room for its activations: `output(theta, x1, x2)`, and `slope(theta, x1, x2, weight, out)`, which adds weight times
// the gradient of the output to `out` and returns the output.
export function network(layers, activation) {
  const { value, slope } = ACTIVATIONS[activation], last = layers.length - 1;
  const inputs = [new Float64Array(3), ...layers.slice(0, last).map(({ rows }) => new Float64Array(rows))];
  const sums = layers.map(({ rows }) => new Float64Array(rows)), back = layers.map(({ columns }) => new Float64Array(columns));
  function output(theta, x1, x2) {
    inputs[0][0] = x1;
    inputs[0][1] = x2;
    inputs[0][2] = 1;
    for (let l = 0; l <= last; l++) {
      const { rows, columns, at } = layers[l], x = inputs[l];
      for (let r = 0; r < rows; r++) {
        let sum = 0;
        for (let c = 0, w = at + r * columns; c < columns; c++) sum += theta[w + c] * x[c];
        sums[l][r] = sum;
        if (l < last) inputs[l + 1][r] = value(sum);
      }
    }
    return sums[last][0];
  }
  function backward(theta, weight, out, from) {
    let signal = [weight];
    for (let l = last; l >= 0; l--) {
      const { rows, columns, at } = layers[l], x = inputs[l], next = back[l];
      next.fill(0);
      for (let r = 0; r < rows; r++) {
        const s = l < last ? signal[r] * slope(inputs[l + 1][r], sums[l][r]) : signal[r];
        if (s === 0) continue;
        for (let c = 0, w = at + r * columns; c < columns; c++) {
          out[from + w + c] += s * x[c];
          if (l) next[c] += s * theta[w + c];
        }
      }
      signal = next;
    }
  }
  // Rows of the Jacobian of the outputs on some points, in one flat list.
  function jacobian(theta, points) {
    const size = theta.length, J = new Float64Array(points.length * size);
    points.forEach(([x1, x2], i) => {
      output(theta, x1, x2);
      backward(theta, 1, J, i * size);
    });
    return J;
  }
  return { output, backward, jacobian };
}

// The tangent kernel from rows of the Jacobian.
export function kernelOf(J, count) {
  const size = J.length / count, K = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k <= i; k++) {
      let sum = 0;
      for (let c = 0; c < size; c++) sum += J[i * size + c] * J[k * size + c];
      K[i * count + k] = K[k * count + i] = sum;
    }
  }
  return K;
}

// The largest eigenvalue of a symmetric matrix, by power iteration.
export function largestEigenvalue(K, n) {
  let v = new Float64Array(n).fill(1), size = 0;
  v[0] = 2; // not in the null space of kernels of paired points
  for (let round = 0; round < 60; round++) {
    const next = new Float64Array(n);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) next[i] += K[i * n + j] * v[j];
    size = Math.hypot(...next);
    if (!(size > 0)) return 0;
    v = next.map((x) => x / size);
  }
  return size;
}

// A network and its tangent twin on points [x1, x2, y], trained alongside on L = mean (f - y)^2 / 2 + decay |theta|^2 / 2 by the same
// steps: v = momentum v + gradient, theta -= lr v. `batch` points for each step are drawn with replacement; all, if it is 0.
export function trainer(layers, activation, theta0, points, { lr, momentum = 0, decay = 0, batch = 0, watched = points.length }) {
  const net = network(layers, activation), size = theta0.length, n = points.length;
  const theta = Float64Array.from(theta0), twin = Float64Array.from(theta0), v = new Float64Array(size), u = new Float64Array(size), g = new Float64Array(size), h = new Float64Array(size);
  const J0 = net.jacobian(theta0, points), f0 = points.map(([x1, x2]) => net.output(theta0, x1, x2));
  const stride = Math.max(1, Math.floor(n / watched)), seen = points.filter((_, i) => i % stride === 0).slice(0, watched), K0 = kernelOf(net.jacobian(theta0, seen), seen.length);
  let steps = 0;
  const twinAt = (J, i, f) => {
    let sum = f;
    for (let c = 0, row = i * size; c < size; c++) sum += J[row + c] * (twin[c] - theta0[c]);
    return sum;
  };
  function step() {
    g.fill(0);
    h.fill(0);
    const count = batch || n;
    for (let b = 0; b < count; b++) {
      const i = batch ? Math.floor(uniform(steps * batch + b + 7e8) * n) : b, [x1, x2, y] = points[i];
      net.backward(theta, (net.output(theta, x1, x2) - y) / count, g, 0);
      const rest = (twinAt(J0, i, f0[i]) - y) / count;
      for (let c = 0, row = i * size; c < size; c++) h[c] += rest * J0[row + c];
    }
    for (let c = 0; c < size; c++) {
      v[c] = momentum * v[c] + g[c] + decay * theta[c];
      u[c] = momentum * u[c] + h[c] + decay * twin[c];
      theta[c] -= lr * v[c];
      twin[c] -= lr * u[c];
    }
    steps++;
  }
  // Losses of both, S, how far the function is from its twin's relative to the way to go, and how far each layer has moved
  // relative to its size.
  function measured() {
    let loss = 0, lossTwin = 0, apart = 0, way = 0, right = 0;
    points.forEach(([x1, x2, y], i) => {
      const f = net.output(theta, x1, x2), t = twinAt(J0, i, f0[i]);
      loss += (f - y) ** 2 / (2 * n);
      lossTwin += (t - y) ** 2 / (2 * n);
      apart += (f - t) ** 2;
      way += (f0[i] - y) ** 2;
      if (f * y > 0) right++;
    });
    const moved = layers.map(({ rows, columns, at }) => {
      let far = 0, own = 0;
      for (let c = at; c < at + rows * columns; c++) {
        far += (theta[c] - theta0[c]) ** 2;
        own += theta0[c] ** 2;
      }
      return Math.sqrt(far / own);
    });
    const distance = cosineDistance(kernelOf(net.jacobian(theta, seen), seen.length), K0);
    return { steps, loss, lossTwin, gap: Math.sqrt(apart / (way || 1)), accuracy: right / n, distance, moved };
  }
  return { net, theta, twin, theta0, step, measured, get steps() { return steps; } };
}
