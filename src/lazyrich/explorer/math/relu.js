// Two-layer ReLU networks f(x) = sum_k a_k max(w_k.x, 0) in the plane, and their gradient flow.

import { cosineDistance, hyperbola } from "./numbers.js";

// The student: `base` are unit directions with signs, in pairs (w, a), (w, -a), at overall scale tau, relative scale delta.
export function student(base, tau, delta) {
  const [a, w] = hyperbola(tau * tau, delta);
  const all = [...base, ...base.map(([x, y, s]) => [x, y, -s])];
  return all.flatMap(([x, y, s]) => [w * x, w * y, a * s]);
}

// Parameters are a flat list w1, w2, a of each neuron; data a flat list x1, x2, y of each point; the loss is the mean square.
export function loss(theta, data) {
  const n = data.length / 3;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += (output(theta, data[3 * i], data[3 * i + 1]) - data[3 * i + 2]) ** 2;
  return sum / n;
}

export function output(theta, x1, x2) {
  let f = 0;
  for (let k = 0; k < theta.length; k += 3) {
    const z = theta[k] * x1 + theta[k + 1] * x2;
    if (z > 0) f += theta[k + 2] * z;
  }
  return f;
}

// The velocity of the parameters, into `out`; returns the loss. With a band > 0 the derivative of max(z, 0) goes from 0 to 1 over
// |z| < band |x| hypot(|w|, floor), so that a neuron that slides along a kink does so evenly instead of chattering.
export function velocity(theta, data, out, band = 0, floor = 0) {
  const n = data.length / 3;
  let sum = 0;
  out.fill(0);
  for (let i = 0; i < n; i++) {
    const x1 = data[3 * i], x2 = data[3 * i + 1], rest = data[3 * i + 2] - output(theta, x1, x2);
    const push = (2 * rest) / n;
    sum += rest * rest;
    const reach2 = band * band * (x1 * x1 + x2 * x2);
    for (let k = 0; k < theta.length; k += 3) {
      const w1 = theta[k], w2 = theta[k + 1], z = w1 * x1 + w2 * x2;
      const width2 = reach2 * (w1 * w1 + w2 * w2 + floor * floor);
      const gate = z * z >= width2 ? (z > 0 ? 1 : 0) : 0.5 + z / (2 * Math.sqrt(width2));
      if (gate === 0) continue;
      const pull = push * theta[k + 2] * gate;
      out[k] += pull * x1;
      out[k + 1] += pull * x2;
      if (z > 0) out[k + 2] += push * z;
    }
  }
  return sum / n;
}

export const BAND = 0.01; // of the angle to a kink: how wide it is for a student that trains

// Follow the flow from theta (changed in place) for a time, by Bogacki and Shampine's pair of orders 3 and 2; at most `most`
// gradients. `memory` keeps the step between calls. Returns the time gone.
export function follow(theta, data, time, memory, most = 360, turn = 0.01) {
  const size = theta.length;
  memory.k ??= Array.from({ length: 4 }, () => new Float64Array(size));
  memory.next ??= new Float64Array(size);
  const [k1, k2, k3, k4] = memory.k, next = memory.next;
  if (!memory.fresh) {
    let sum = 0;
    for (let i = 0; i < size; i += 3) sum += Math.hypot(theta[i], theta[i + 1]);
    memory.floor = (3 * sum) / size; // the usual length of w: near zero it has no direction to lose
    velocity(theta, data, k1, BAND, memory.floor);
  }
  memory.fresh = true;
  let t = 0, h = memory.h ?? 1e-3, used = 0;
  while (t < time && used < most) {
    const step = Math.min(h, time - t);
    for (let i = 0; i < size; i++) next[i] = theta[i] + 0.5 * step * k1[i];
    velocity(next, data, k2, BAND, memory.floor);
    for (let i = 0; i < size; i++) next[i] = theta[i] + 0.75 * step * k2[i];
    velocity(next, data, k3, BAND, memory.floor);
    for (let i = 0; i < size; i++) next[i] = theta[i] + step * ((2 / 9) * k1[i] + (1 / 3) * k2[i] + (4 / 9) * k3[i]);
    const rest = velocity(next, data, k4, BAND, memory.floor);
    used += 3;
    // No direction may be off by more than `turn`, nor the outputs by more than a part of what is left of the loss.
    let turned = 0, total = 0;
    for (let i = 0; i < size; i += 3) {
      const e = Math.hypot(wrong(k1, k2, k3, k4, i), wrong(k1, k2, k3, k4, i + 1)), f = Math.abs(wrong(k1, k2, k3, k4, i + 2));
      const w = Math.hypot(next[i], next[i + 1]), a = Math.abs(next[i + 2]);
      turned = Math.max(turned, e / Math.max(w, 0.3 * memory.floor));
      total += a * e + w * f;
    }
    const worst = step * Math.max(turned / turn, total / (0.05 * Math.sqrt(rest) + 1e-7));
    if (worst <= 1 || step <= LEAST) {
      theta.set(next);
      k1.set(k4);
      t += step;
    }
    const wanted = step * Math.min(4, Math.max(0.3, 0.9 * Math.max(worst, 1e-9) ** (-1 / 3)));
    if (step === h || worst > 1) h = Math.max(wanted, LEAST);
  }
  memory.h = h;
  return t;
}

const LEAST = 1e-7; // of a step: what asks for less is taken as it is
const wrong = (k1, k2, k3, k4, i) => -(5 / 72) * k1[i] + (1 / 12) * k2[i] + (1 / 9) * k3[i] - (1 / 8) * k4[i];

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
