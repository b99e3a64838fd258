// Two-layer ReLU networks f(x) = sum_k a_k max(w_k.x, 0) in the plane, and their gradient flow.

import { cosineDistance, hyperbola } from "./numbers.js";

// The student: `base` are unit directions with signs, in pairs (w, a), (w, -a), at overall scale tau, relative scale delta.
export function student(base, tau, delta) {
  const [a, w] = hyperbola(tau * tau, delta);
  const all = [...base, ...base.map(([x, y, s]) => [x, y, -s])];
  return all.flatMap(([x, y, s]) => [w * x, w * y, a * s]);
}

// Parameters are a flat list w1, w2, a of each neuron; data a flat list x1, x2, y of each point; the loss is half of kappa times
// the sum of squares: their mean, if nothing else is said.
export const mean = (data) => 6 / data.length;

export function loss(theta, data, kappa = mean(data)) {
  const n = data.length / 3;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += (output(theta, data[3 * i], data[3 * i + 1]) - data[3 * i + 2]) ** 2;
  return (kappa / 2) * sum;
}

export function output(theta, x1, x2) {
  let f = 0;
  for (let k = 0; k < theta.length; k += 3) {
    const z = theta[k] * x1 + theta[k + 1] * x2;
    if (z > 0) f += theta[k + 2] * z;
  }
  return f;
}

// The velocity of the parameters, into `out`; returns the loss.
export function velocity(theta, data, out, kappa = mean(data)) {
  const n = data.length / 3;
  let sum = 0;
  out.fill(0);
  for (let i = 0; i < n; i++) {
    const x1 = data[3 * i], x2 = data[3 * i + 1], rest = data[3 * i + 2] - output(theta, x1, x2);
    const push = kappa * rest;
    sum += rest * rest;
    for (let k = 0; k < theta.length; k += 3) {
      const z = theta[k] * x1 + theta[k + 1] * x2;
      if (z <= 0) continue;
      out[k] += push * theta[k + 2] * x1;
      out[k + 1] += push * theta[k + 2] * x2;
      out[k + 2] += push * z;
    }
  }
  return (kappa / 2) * sum;
}

// Which (neuron, point) pairs are active.
export function pattern(theta, data) {
  const out = [];
  for (let k = 0; k < theta.length; k += 3) {
    for (let i = 0; i < data.length; i += 3) out.push(theta[k] * data[i] + theta[k + 1] * data[i + 1] > 0 ? 1 : 0);
  }
  return out;
}

export const hamming = (p, q) => p.reduce((sum, v, i) => sum + (v !== q[i] ? 1 : 0), 0) / p.length;

// The tangent kernel on the data, as a flat list.
export function kernel(theta, data) {
  const n = data.length / 3, K = new Float64Array(n * n), active = new Float64Array(n);
  for (let k = 0; k < theta.length; k += 3) {
    const a2 = theta[k + 2] ** 2;
    for (let i = 0; i < n; i++) active[i] = theta[k] * data[3 * i] + theta[k + 1] * data[3 * i + 1];
    for (let i = 0; i < n; i++) {
      if (active[i] <= 0) continue;
      for (let j = 0; j <= i; j++) {
        if (active[j] <= 0) continue;
        const inner = data[3 * i] * data[3 * j] + data[3 * i + 1] * data[3 * j + 1];
        K[i * n + j] += a2 * inner + active[i] * active[j];
      }
    }
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) K[j * n + i] = K[i * n + j];
  return Array.from(K);
}

export const kernelDistance = cosineDistance;

// The angles at which the plane is cut by lines w.x = 0, ascending in [0, pi); lines that are one are listed once.
export function cuts(theta, same = 1e-9) {
  const angles = [];
  for (let k = 0; k < theta.length; k += 3) {
    if (theta[k] === 0 && theta[k + 1] === 0) continue;
    let angle = Math.atan2(theta[k], -theta[k + 1]) % Math.PI;
    if (angle < 0) angle += Math.PI;
    angles.push(angle);
  }
  angles.sort((x, y) => x - y);
  const found = angles.filter((angle, i) => i === 0 || angle - angles[i - 1] > same);
  if (found.length > 1 && found[0] + Math.PI - found[found.length - 1] <= same) found.pop();
  return found;
}
