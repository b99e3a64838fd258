// The hyperboloid eta_w a^2 - eta_a |w|^2 = delta in three dimensions, with the path on it.

import { basin } from "../rooms/neuron.js";
import { begin, colors, dotAt, note, star } from "./plot.js";

const ROUND = 32, RINGS = 7;

export function surface(where, state, found, now) {
  const c = colors(), [ctx, width, height] = begin(where);
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
  const line = (points, color, thick, alpha = 1) => strokes([points], color, thick, alpha);
  // Many pieces in one stroke: of one color they are drawn at once.
  const strokes = (pieces, color, thick, alpha = 1) => {
    ctx.strokeStyle = color;
    ctx.lineWidth = thick;
    ctx.globalAlpha = alpha;
    ctx.beginPath();
    for (const points of pieces) {
      for (let i = 0; i < points.length; i++) {
        const [px, py] = view(points[i]);
        if (i) ctx.lineTo(px, py);
        else ctx.moveTo(px, py);
      }
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
  };
  for (const [side, pieces] of sheets(state, reach, found.data)) strokes(pieces, side === null ? c.dim : side > 0 ? c.sky : c.orange, 0.9, 0.55);
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

// Rings and meridians as pieces, by the sign of a at the end from there (null if it is not known).
function sheets(state, reach, data) {
  const { delta, eta_w, eta_a } = state;
  const point = (r, angle, sheet) => {
    // Of one sheet (delta < 0) r is the height a; of two (delta >= 0) it is the length of w.
    const [w, a] = delta < 0 ? [Math.sqrt((eta_w * r * r - delta) / eta_a), r] : [r, sheet * Math.sqrt((eta_a * r * r + delta) / eta_w)];
    return [w * Math.cos(angle), w * Math.sin(angle), a];
  };
  const fits = ([w1, w2, a]) => Math.hypot(w1, w2) <= reach * 1.02 && Math.abs(a) <= reach * 1.02;
  const steps = Array.from({ length: 2 * RINGS + 1 }, (_, i) => (reach * (i - RINGS)) / RINGS), turn = (2 * Math.PI) / ROUND;
  const found = new Map();
  const add = (points) => {
    if (!points.every(fits)) return;
    const [w1, w2, a] = points[1], side = basin(state, null, data, { a, w: [w1, w2] });
    if (!found.has(side)) found.set(side, []);
    found.get(side).push(points);
  };
  for (const sheet of delta < 0 ? [1] : [1, -1]) {
    const heights = delta < 0 ? steps : steps.filter((r) => r >= 0);
    for (const r of heights) {
      for (let i = 0; i < ROUND; i++) add([point(r, i * turn, sheet), point(r, (i + 0.5) * turn, sheet), point(r, (i + 1) * turn, sheet)]);
    }
    for (let i = 0; i < ROUND; i += 4) {
      for (let n = 0; n + 1 < heights.length; n++) {
        const middle = (heights[n] + heights[n + 1]) / 2;
        add([point(heights[n], i * turn, sheet), point(middle, i * turn, sheet), point(heights[n + 1], i * turn, sheet)]);
      }
    }
  }
  return found;
}
