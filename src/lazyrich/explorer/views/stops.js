// The views of room 3.

import { contour } from "../math/contour.js";
import { COARSE, height, plane, recovery } from "../rooms/stops.js";
import { axes, begin, colors, dotAt, handle, inside, legend, level, note, panel, polyline, pressed, short, star, tag, vector } from "./plot.js";

const CELLS = 49;
export const KNOBS = [
  ["The network", ["alpha", "shape", "depth"]],
  ["One equation in the plane", ["x1", "x2", "y"]],
  ["Sparse recovery in 40 dimensions", ["samples", "sparse"]],
];
export const TRY =
  "Every point of the dashed line fits the data. Decrease the scale α of the start and watch the star, where training stops: " +
  "it moves from the shortest solution to the sparsest. Drag the orange point to change the equation.";
export const ABOUT =
  "A diagonal network, β = u₊v₊ − u₋v₋ for each coordinate, starts at β = 0. Many β fit the data; the scale α of the start determines " +
  "where the flow stops: from the shortest solution (large α, lazy) to the sparsest (small α, rich).";

export function build(host, room) {
  const where = panel(host, "One equation x·β = y, two unknowns", { shape: 1, wide: true, tall: true, about: "The line of solutions, the path of limits over α, level lines of the potential" });
  const bars = panel(host, "Sparse recovery: β at the limit (bars) and the true β (marks)", { wide: true, shape: 0.44 });
  const all = panel(host, "Every coordinate of the limit, over the scale α", { wide: true, shape: 0.44 });
  const error = panel(host, "Distance to the true β, and ℓ1 norm relative to that of the true β", { full: true, shape: 0.3 });
  const point = handle(where, { label: "Data point x", color: "var(--orange)", move: (x, y) => room.change({ x1: x, x2: y }) });
  for (const each of [all, error]) pressed(each, (px) => room.change({ alpha: Number(each.scale.ofX(px).toPrecision(3)) }));

  function draw(state) {
    const found = plane(state), sparse = recovery(state, room.tables.sparse), c = colors();
    drawPlane(where, state, found);
    point.show([state.x1, state.x2]);
    drawBars(bars, sparse);
    const rows = sparse.path.map((row) => row.beta);
    const mark = (ctx, scale) => polyline(ctx, scale, [state.alpha, state.alpha], [scale.low[1], scale.high[1]], { color: c.dim, width: 1, dash: [4, 3] });
    const x = { low: 1e-8, high: 100, log: true, label: "scale α (at shape 0)" };
    {
      const [ctx, width, size] = begin(all);
      const top = 1.1 * Math.max(...rows.flat().map(Math.abs), ...sparse.truth.map(Math.abs));
      const scale = (all.scale = axes(ctx, width, size, { x, y: { low: -top, high: top } }));
      inside(ctx, scale, () => {
        sparse.truth.forEach((v, j) => polyline(ctx, scale, COARSE, rows.map((row) => row[j]), { color: v ? c.blue : c.dim, width: v ? 2 : 0.6 }));
        mark(ctx, scale);
      });
    }
    {
      const [ctx, width, size] = begin(error);
      const norm1 = (v) => v.reduce((sum, b) => sum + Math.abs(b), 0), full = norm1(sparse.truth);
      const off = rows.map((row) => Math.hypot(...row.map((b, j) => b - sparse.truth[j])) / Math.hypot(...sparse.truth));
      const taken = rows.map((row) => norm1(row) / full);
      const scale = (error.scale = axes(ctx, width, size, { x, y: { low: 0, high: 1.1 * Math.max(...taken, ...off, 1) } }));
      inside(ctx, scale, () => {
        polyline(ctx, scale, COARSE, off, { color: c.blue });
        polyline(ctx, scale, COARSE, taken, { color: c.orange, dash: [7, 3] });
        mark(ctx, scale);
      });
      legend(ctx, [["distance", c.blue, 1.8], ["ℓ1 norm", c.orange, 1.8, [7, 3]]], scale.pad.left + 8, scale.pad.top + 10);
    }
    return { found: { ...found, sparse }, facts: facts(state, found, sparse) };
  }

  return { draw, panels: [where, bars, all, error] };
}

function drawPlane(where, state, found) {
  const c = colors(), [ctx, width, size] = begin(where), span = state.span;
  const scale = (where.scale = axes(ctx, width, size, { x: { low: -span, high: span, label: "β₁" }, y: { low: -span, high: span }, equal: true }));
  const { low, high } = scale, f = height(state);
  const place = (i, j) => [low[0] + ((high[0] - low[0]) * i) / (CELLS - 1), low[1] + ((high[1] - low[1]) * j) / (CELLS - 1)];
  inside(ctx, scale, () => {
    // The potential is a sum over coordinates: one value per row and per column.
    const across = Float64Array.from({ length: CELLS }, (_, i) => f(place(i, 0)[0]));
    const up = Float64Array.from({ length: CELLS }, (_, j) => f(place(0, j)[1]));
    const values = Array.from(up, (v) => across.map((u) => u + v));
    const at = f(found.limit[0]) + f(found.limit[1]);
    for (const n of [0.15, 0.4, 0.7, 1, 1.4, 1.9, 2.5]) {
      ctx.strokeStyle = n === 1 ? c.sky : c.line;
      ctx.lineWidth = n === 1 ? 1.6 : 1.1;
      level(ctx, scale, contour(values, n * at), CELLS, CELLS);
    }
    const [x1, x2] = found.x, far = 5 * span, away = Math.hypot(x1, x2);
    const ends = [-far, far].map((r) => [found.shortest[0] - (r * x2) / away, found.shortest[1] + (r * x1) / away]);
    polyline(ctx, scale, ends.map((p) => p[0]), ends.map((p) => p[1]), { color: c.orange, width: 1.2, dash: [6, 4] });
    polyline(ctx, scale, [0, state.x1], [0, state.x2], { color: c.orange, width: 1 });
    const limits = found.path.map((row) => row.beta);
    polyline(ctx, scale, limits.map((p) => p[0]), limits.map((p) => p[1]), { color: c.purple, width: 5 });
    polyline(ctx, scale, found.flow.map((p) => p[0]), found.flow.map((p) => p[1]), { color: c.blue, width: 2.6 });
    dotAt(ctx, scale.x(state.x1), scale.y(state.x2), c.orange, 5);
    dotAt(ctx, scale.x(0), scale.y(0), c.ink, 4);
    dotAt(ctx, scale.x(found.shortest[0]), scale.y(found.shortest[1]), c.paper, 4, c.purple);
    dotAt(ctx, scale.x(found.sparsest[0]), scale.y(found.sparsest[1]), c.paper, 4, c.purple);
    star(ctx, scale.x(found.limit[0]), scale.y(found.limit[1]), c.blue, 9);
  });
  note(ctx, "β₂", 6, 14, c.dim);
  const rows = [["the flow, and its limit", c.blue, 2.6], ["limits for all α", c.purple, 5], ["all solutions", c.orange, 1.2, [6, 4]], ["level of the potential at the limit", c.sky, 1.6]];
  legend(ctx, rows, scale.pad.left + 8, scale.pad.top + 12);
  tag(ctx, scale, "data point x", [state.x1, state.x2], c.orange);
}

function drawBars(where, { beta, truth }) {
  const c = colors(), [ctx, width, size] = begin(where);
  const top = 1.15 * Math.max(...beta.map(Math.abs), ...truth.map(Math.abs));
  const scale = (where.scale = axes(ctx, width, size, { x: { low: 0.2, high: beta.length + 0.8, label: "coordinate" }, y: { low: -top, high: top } }));
  const w = Math.max((scale.inner.w / beta.length) * 0.65, 2);
  beta.forEach((b, j) => {
    ctx.fillStyle = truth[j] ? c.blue : c.dim;
    const from = scale.y(0), to = scale.y(b);
    ctx.fillRect(scale.x(j + 1) - w / 2, Math.min(from, to), w, Math.max(Math.abs(to - from), 0.5));
    if (truth[j]) polyline(ctx, scale, [j + 0.5, j + 1.5], [truth[j], truth[j]], { color: c.ink, width: 2 });
  });
}

function facts(state, found, sparse) {
  const between = (found.limit[0] - found.sparsest[0]) / (found.shortest[0] - found.sparsest[0]);
  const off = Math.hypot(...sparse.beta.map((b, j) => b - sparse.truth[j])) / Math.hypot(...sparse.truth);
  const one = !Number.isFinite(between);
  const lean = between < 0.1 ? "near the sparsest solution" : between > 0.9 ? "near the shortest solution" : "between the sparsest and the shortest solution";
  return [
    ["regime", state.y === 0 ? "the label is zero: the flow does not move" : one ? "the shortest solution is the sparsest: the flow stops there" : between < 0.1 ? `rich: it stops ${lean}` : between > 0.9 ? `lazy: it stops ${lean}` : `it stops ${lean}`],
    ["stops at", vector(found.limit)],
    ["from the sparsest (0) to the shortest (1)", one ? "they coincide" : short(between)],
    ["sparse recovery", `relative error ${short(100 * off)} %`],
    ["κ of the potential", short(found.kappa)],
    ["computed", "as the solution of least potential (dual Newton method), without training"],
  ];
}

export function table({ sparse }) {
  return [["alpha", ...sparse.truth.map((_, j) => `beta${j + 1}`)], ["truth", ...sparse.truth], ...sparse.path.map((row, i) => [COARSE[i], ...row.beta])];
}
