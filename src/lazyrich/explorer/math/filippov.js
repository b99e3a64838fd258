// The flow of a two-layer ReLU network in the plane, from kink to kink: steps of order 3 while the gates stand still, each cut
// short at the first switch in it.

import { FREE, kinks } from "./kinks.js";
import { mean } from "./relu.js";

const TURN = 1e-5, ROUNDS = 12, IDLE = 400;

// The flow from theta (changed in place, w1, w2, a of each neuron) on the data (x1, x2, y of each point): `advance(time, most)`
// follows it for a time, with at most so many gradients, and returns the time gone; `seen` counts what happened.
export function flow(theta, data, kappa = mean(data), turn = TURN) {
  const { velocity, margins, change, put, mode, side, normals, seen } = kinks(theta, data, kappa);
  const size = theta.length, h = size / 3, L = normals.length;
  const least = (1e-20 * mean(data)) / kappa; // of a step: what asks for less is taken as it is
  const [k1, k2, k3, k4, next] = Array.from({ length: 5 }, () => new Float64Array(size));
  let usual = 0; // length of w
  for (let k = 0; k < size; k += 3) usual += Math.hypot(theta[k], theta[k + 1]) / h;

  // One step of Bogacki and Shampine's pair of orders 3 and 2, from theta to `next`; how wrong it is beside what is allowed.
  function stride(step) {
    for (let i = 0; i < size; i++) next[i] = theta[i] + 0.5 * step * k1[i];
    velocity(next, k2);
    for (let i = 0; i < size; i++) next[i] = theta[i] + 0.75 * step * k2[i];
    velocity(next, k3);
    for (let i = 0; i < size; i++) next[i] = theta[i] + step * ((2 / 9) * k1[i] + (1 / 3) * k2[i] + (4 / 9) * k3[i]);
    const rest = velocity(next, k4);
    // No direction may be off by more than `turn`, nor the outputs by more than a part of what is left of the loss.
    let turned = 0, total = 0;
    for (let i = 0; i < size; i += 3) {
      const e = Math.hypot(wrong(i), wrong(i + 1)), w = Math.hypot(next[i], next[i + 1]), a = Math.abs(next[i + 2]);
      turned = Math.max(turned, e / Math.max(w, 0.3 * usual));
      total += a * e + w * Math.abs(wrong(i + 2));
    }
    return step * Math.max(turned / turn, total / (5 * turn * Math.sqrt(rest) + 1e-7));
  }
  const wrong = (i) => -(5 / 72) * k1[i] + (1 / 12) * k2[i] + (1 / 9) * k3[i] - (1 / 8) * k4[i];

  const before = new Float64Array(h * Math.max(L, 3)), now = new Float64Array(Math.max(L, 3)), width = Math.max(L, 3);
  function remember() {
    for (let k = 0; k < h; k++) {
      const count = margins(k, theta, now);
      for (let j = 0; j < count; j++) before[k * width + j] = now[j];
    }
  }

  // The first margin to run out within the stride that was just made: {k, which, share of the stride}.
  function firstEvent(step) {
    let first = null;
    for (let k = 0; k < h; k++) {
      const count = margins(k, next, now);
      for (let j = 0; j < count; j++) {
        const from = before[k * width + j], to = now[j];
        if (!(to < 0 && to < from)) continue;
        const share = from <= 0 ? 0 : mode[k] === FREE ? root(k, j, from, to, step) : from / (from - to);
        if (!first || share < first.share) first = { k, which: j, share };
      }
    }
    return first;
  }

  // Where the cubic through values and slopes of side times w.n is zero.
  function root(k, line, from, to, step) {
    const [n1, n2] = normals[line], s = side[k * L + line] * step;
    const down = s * (n1 * k1[3 * k] + n2 * k1[3 * k + 1]), up = s * (n1 * k4[3 * k] + n2 * k4[3 * k + 1]);
    let low = 0, high = 1;
    for (let r = 0; r < 40; r++) {
      const x = (low + high) / 2, rest = 1 - x;
      const value = (1 + 2 * x) * rest * rest * from + x * rest * rest * down + x * x * (3 - 2 * x) * to - x * x * rest * up;
      if (value > 0) low = x;
      else high = x;
    }
    return high;
  }

  // Make the stride end at the event: margins of sliding and resting neurons are followed to their root. Returns its length.
  function shortened(step, { k, which, share }) {
    if (share === 0) return 0;
    let low = 0, high = 1, from = before[k * width + which], to = 0;
    margins(k, next, now);
    to = now[which];
    if (mode[k] === FREE) {
      stride(share * step);
      return share * step;
    }
    for (let r = 0; r < ROUNDS && high - low > 1e-9; r++) {
      const x = low + ((high - low) * from) / (from - to);
      stride(x * step);
      margins(k, next, now);
      if (now[which] > 0) {
        [low, from, to] = [x, now[which], r % 2 ? to / 2 : to];
      } else {
        [high, to, from] = [x, now[which] || -1e-300, r % 2 ? from / 2 : from];
        if (-now[which] <= 1e-12) break;
      }
    }
    stride(high * step);
    return high * step;
  }

  velocity(theta, k1);
  let length = least + 1e-3 * turn / (1e-300 + Math.max(...k1.map(Math.abs))), idle = 0;

  function advance(time, most = 360) {
    let t = 0, used = 0;
    while (t < time && used < most) {
      const step = Math.min(length, time - t);
      remember();
      const worst = stride(step);
      used += 3;
      if (!(worst <= 1) && step > least) {
        length = Math.max(step * Math.max(0.3, 0.9 * worst ** (-1 / 3) || 0), least);
        velocity(theta, k1); // `push` and `pull` are those of theta again
        continue;
      }
      const event = idle < IDLE ? firstEvent(step) : null;
      if (event === null) {
        theta.set(next);
        k1.set(k4);
        for (let k = 0; k < h; k++) put(k);
        t += step;
        idle = 0;
        const wanted = step * Math.min(4, Math.max(0.3, 0.9 * Math.max(worst, 1e-9) ** (-1 / 3)));
        if (step === length) length = Math.max(wanted, least);
        continue;
      }
      const came = [theta[3 * event.k], theta[3 * event.k + 1]], gone = shortened(step, event);
      if (gone > 0) theta.set(next);
      else velocity(theta, k1);
      idle = gone > 1e-14 ? 0 : idle + 1;
      t += gone;
      change(event.k, event.which, came);
      velocity(theta, k1);
      used += 4;
    }
    return t;
  }
  return { theta, advance, seen };
}
