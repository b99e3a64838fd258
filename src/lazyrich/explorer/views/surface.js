// The hyperboloid eta_w a^2 - eta_a |w|^2 = delta in three dimensions, with the path on it.

import { basin } from "../rooms/neuron.js";
import { begin, colours, dotAt, note, star } from "./plot.js";

const ROUND = 36, RINGS = 9;

export function surface(where, state, found, now) {
  const c = colours(), [ctx, width, height] = begin(where);
  const largest = Math.max(...found.w.map((w) => Math.hypot(...w)), 0.2), tallest = Math.max(...found.a.map(Math.abs), 0.2);
  const reach = 1.35 * Math.max(largest, tallest, Math.sqrt(Math.abs(state.delta)) * 1.05);
  const yaw = (state.yaw * Math.PI) / 180, pitch = (state.pitch * Math.PI) / 180;
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const unit = Math.min(width, height) / (2.55 * reach);
  // w1 to the right, a up, w2 into the depth.
  const view = ([w1, w2, a]) => {
    const x = cy * w1 + sy * w2, depth = -sy * w1 + cy * w2;
    return [width / 2 + unit * x, height / 2 - unit * (cp * a + sp * depth), cp * depth - sp * a];
  };
  const line = (points, colour, thick, alpha = 1, dash = []) => {
    ctx.strokeStyle = colour;
    ctx.lineWidth = thick;
    ctx.globalAlpha = alpha;
    ctx.setLineDash(dash);
    ctx.beginPath();
    points.forEach((p, i) => ctx[i ? "lineTo" : "moveTo"](...view(p).slice(0, 2)));
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.setLineDash([]);
  };
  for (const sheet of sheets(state, reach)) {
    for (const { points, side } of sheet) line(points, side === null ? c.dim : side > 0 ? c.sky : c.orange, 0.9, 0.55);
  }
  for (const [end, name] of [[[reach, 0, 0], "w₁"], [[0, reach, 0], "w₂"], [[0, 0, reach], "a"]]) {
    line([[0, 0, 0], end], c.dim, 1, 0.9);
    const [px, py] = view(end);
    note(ctx, name, px + 4, py - 6, c.dim);
  }
  const path = found.times.map((_, i) => [...found.w[i], found.a[i]]);
  line(path, c.ink, 2.6);
  const at = (p) => view(p).slice(0, 2);
  dotAt(ctx, ...at(path[0]), c.ink, 5);
  star(ctx, ...at(path[path.length - 1]), c.ink, 8);
  dotAt(ctx, ...at([...now.w, now.a]), c.paper, 5, c.ink);
}

// Rings and meridians as pieces {points, side}: the side is the sign of a at the end from there, null if not known.
function sheets(state, reach) {
  const { delta, eta_w, eta_a } = state;
  const point = (r, angle, sheet) => {
    // Of one sheet (delta < 0) r is the height a; of two (delta >= 0) it is the length of w.
    const [w, a] = delta < 0 ? [Math.sqrt((eta_w * r * r - delta) / eta_a), r] : [r, sheet * Math.sqrt((eta_a * r * r + delta) / eta_w)];
    return [w * Math.cos(angle), w * Math.sin(angle), a];
  };
  const fits = ([w1, w2, a]) => Math.hypot(w1, w2) <= reach * 1.02 && Math.abs(a) <= reach * 1.02;
  const sideOf = ([w1, w2, a]) => basin(state, null, undefined, { a, w: [w1, w2] });
  const steps = Array.from({ length: 2 * RINGS + 1 }, (_, i) => (reach * (i - RINGS)) / RINGS);
  const found = [];
  for (const sheet of delta < 0 ? [1] : [1, -1]) {
    const heights = delta < 0 ? steps : steps.filter((r) => r >= 0), pieces = [];
    const add = (points) => {
      const middle = points[Math.floor(points.length / 2)];
      if (points.every(fits)) pieces.push({ points, side: sideOf(middle) });
    };
    for (const r of heights) {
      for (let i = 0; i < ROUND; i++) {
        const t = (2 * Math.PI) / ROUND;
        add([point(r, i * t, sheet), point(r, (i + 0.5) * t, sheet), point(r, (i + 1) * t, sheet)]);
      }
    }
    for (let i = 0; i < ROUND; i += 3) {
      for (let n = 0; n + 1 < heights.length; n++) {
        const t = (2 * Math.PI * i) / ROUND, middle = (heights[n] + heights[n + 1]) / 2;
        add([point(heights[n], t, sheet), point(middle, t, sheet), point(heights[n + 1], t, sheet)]);
      }
    }
    found.push(pieces);
  }
  return found;
}
