// The views of room 3.

import { contour, grid } from "../math/contour.js";
import { COARSE, decayOf, height, learning, plane, recovery } from "../rooms/stops.js";
import { player, timeAt } from "./player.js";
import { axes, begin, colors, dotAt, handle, inside, legend, level, note, panel, polyline, pressed, short, star, tag, vector } from "./plot.js";

const CELLS = 49;
export const KNOBS = [
  ["The network", ["alpha", "decay", "shape", "depth"]],
  ["One equation in the plane", ["x1", "x2", "y"]],
  ["Sparse recovery in 40 dimensions", ["samples", "sparse"]],
  ["The view", ["cursor", "logtime"]],
];
export const TRY =
  "Every point of the dashed line fits the data. Decrease the scale α of the start and watch the star, where training stops: " +
  "it moves from the shortest solution to the sparsest, and the curves over time become a staircase. Then start large (α = 10) and add weight decay: it fits early and generalizes late.";
export const ABOUT =
  "A diagonal network, β = u₊v₊ − u₋v₋ for each coordinate, starts at β = 0. Many β fit the data; the scale α of the start determines " +
  "where the flow stops: from the shortest solution (large α, lazy) to the sparsest (small α, rich). As α → 0 the flow becomes a staircase: it rests at plateaus and jumps " +
  "between them. Weight decay shrinks the scale in time, to α·exp(−2λt), and walks the network from the lazy end to the rich one (grokking).";

export function build(host, room) {
  const where = panel(host, "One equation x·β = y, two unknowns", { shape: 1, wide: true, tall: true, about: "The line of solutions, the path of limits over α, level lines of the potential" });
  const bars = panel(host, "Sparse recovery: β (bars) and the true β (marks)", { wide: true, shape: 0.44 });
  const errors = panel(host, "Training error and test error over time", { wide: true, shape: 0.44, about: "Relative squared errors on the samples and of the coefficients, over time" });
  const play = player(host, room, (state) => `t = ${short(shownTime(state, found?.learned))}`);
  const steps = panel(host, "Every coordinate over time, and the staircase of α → 0", { wide: true, shape: 0.5 });
  const all = panel(host, "Every coordinate of the limit, over the scale α", { wide: true, shape: 0.5 });
  const error = panel(host, "Distance to the true β, and ℓ1 norm relative to that of the true β", { full: true, shape: 0.26 });
  const point = handle(where, { label: "Data point x", color: "var(--orange)", move: (x, y) => room.change({ x1: x, x2: y }) });
  for (const each of [all, error]) pressed(each, (px) => room.change({ alpha: Number(each.scale.ofX(px).toPrecision(3)) }));
  for (const each of [steps, errors]) pressed(each, (px) => room.change({ cursor: Number(each.scale.share(px).toFixed(3)) }));
  let found = null;

  function draw(state) {
    const sparse = recovery(state, room.tables.sparse), learned = learning(state, sparse), c = colors();
    found = { ...plane(state), sparse, learned };
    drawPlane(where, state, found);
    point.show([state.x1, state.x2]);
    const t = shownTime(state, learned), now = state.cursor < 1 ? at(learned, t) : null;
    bars.caption.textContent = `Sparse recovery: β ${now ? `at t = ${short(t)}` : "at the limit"} (bars) and the true β (marks)`;
    drawBars(bars, now ?? sparse.beta, sparse.truth);
    drawErrors(errors, state, learned, t);
    drawSteps(steps, state, learned, sparse.truth, t);
    const rows = sparse.path.map((row) => row.beta);
    const mark = (ctx, scale) => polyline(ctx, scale, [state.alpha, state.alpha], [scale.low[1], scale.high[1]], { color: c.dim, width: 1, dash: [4, 3] });
    const x = { low: 1e-8, high: 100, log: true, label: decayOf(state) > 0 ? "scale α (at shape 0), without weight decay" : "scale α (at shape 0)" };
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
    play.show(state);
    return { found, facts: facts(state, found, sparse) };
  }

  return { draw, panels: [where, bars, errors, steps, all, error] };
}

// The times that are shown: from where the first part in a thousand of the fit is made until the last in ten thousand, or under
// weight decay until the end.
function span({ times, fit, decay }) {
  const first = times[Math.max(fit.findIndex((v) => v < 0.999) - 1, 1)] ?? 1e-4, end = times[times.length - 1];
  const last = decay > 0 ? end : Math.min(end, 1.5 * times[fit.findIndex((v) => v < 1e-4)] || end);
  return [Math.min(first, last / 10), last];
}
const shownTime = (state, learned) => (learned ? timeAt(state.cursor, state.logtime, ...span(learned)) : 0);

// beta at a time between two that are known.
function at({ times, beta }, t) {
  const n = Math.max(times.findIndex((v) => v >= t), 1), share = (t - times[n - 1]) / (times[n] - times[n - 1]);
  return beta[n].map((v, j) => v * share + beta[n - 1][j] * (1 - share));
}

function timeAxis(state, learned) {
  const [first, last] = span(learned);
  return { low: state.logtime ? first : 0, high: last, log: Boolean(state.logtime), label: "time t" };
}

const cursorLine = (ctx, scale, t) => polyline(ctx, scale, [t, t], [scale.low[1], scale.high[1]], { color: colors().dim, width: 1, dash: [4, 3] });

function drawErrors(where, state, learned, t) {
  const c = colors(), [ctx, width, size] = begin(where), { times, fit, error, walk } = learned;
  const top = 1.08 * Math.max(1, ...error, ...fit);
  const scale = (where.scale = axes(ctx, width, size, { x: timeAxis(state, learned), y: { low: 0, high: top } }));
  inside(ctx, scale, () => {
    polyline(ctx, scale, times, fit, { color: c.blue, width: 2.2 });
    polyline(ctx, scale, times, error, { color: c.orange, width: 2.2 });
    polyline(ctx, scale, walk.map((row) => row.time), walk.map((row) => row.error), { color: c.ink, width: 1.4, dash: [3, 4] });
    cursorLine(ctx, scale, t);
  });
  const rows = [["training error", c.blue, 2.2], ["test error", c.orange, 2.2]];
  if (walk.length) rows.push(["predicted: the limits at α·exp(−2λt)", c.ink, 1.4, [3, 4]]);
  const left = state.logtime ? scale.pad.left + 8 : scale.pad.left + scale.inner.w - 200;
  legend(ctx, rows, Math.max(left, scale.pad.left + 8), scale.pad.top + 0.58 * scale.inner.h);
}

function drawSteps(where, state, learned, truth, t) {
  const c = colors(), [ctx, width, size] = begin(where), { times, beta, stairs } = learned, last = times[times.length - 1];
  const top = 1.5 * Math.max(...beta.flat().map(Math.abs), ...truth.map(Math.abs));
  const scale = (where.scale = axes(ctx, width, size, { x: timeAxis(state, learned), y: { low: -top, high: top } }));
  inside(ctx, scale, () => {
    for (const { time } of stairs.slice(1)) polyline(ctx, scale, [time, time], [-top, top], { color: c.line, width: 1.5 });
    truth.forEach((_, j) => {
      // A tread for each plateau, and the riser to the next.
      if (!stairs.some((row) => row.beta[j])) return;
      const xs = [], ys = [];
      stairs.forEach((row, i) => {
        xs.push(Math.max(row.time, scale.low[0]), stairs[i + 1]?.time ?? last);
        ys.push(row.beta[j], row.beta[j]);
      });
      polyline(ctx, scale, xs, ys, { color: c.sky, width: 5 });
    });
    truth.forEach((v, j) => polyline(ctx, scale, times, beta.map((row) => row[j]), { color: v ? c.blue : c.dim, width: v ? 2 : 0.6 }));
    cursorLine(ctx, scale, t);
  });
  const rows = [["coordinates of the true β", c.blue, 2], ["others", c.dim, 0.6]];
  if (stairs.length) rows.push(["the staircase of α → 0, and its jump times", c.sky, 5]);
  legend(ctx, rows, scale.pad.left + 8, scale.pad.top + 12);
}

function drawPlane(where, state, found) {
  const c = colors(), [ctx, width, size] = begin(where), span = state.span;
  const scale = (where.scale = axes(ctx, width, size, { x: { low: -span, high: span, label: "β₁" }, y: { low: -span, high: span }, equal: true }));
  const { low, high } = scale, f = height(state);
  const place = (i, j) => [low[0] + ((high[0] - low[0]) * i) / (CELLS - 1), low[1] + ((high[1] - low[1]) * j) / (CELLS - 1)];
  inside(ctx, scale, () => {
    const decay = decayOf(state);
    let values, at, levels;
    if (decay > 0) {
      const loss = (u, v) => 0.5 * (found.x[0] * u + found.x[1] * v - state.y) ** 2 + decay * (Math.abs(u) + Math.abs(v));
      values = grid(loss, low, high, CELLS, CELLS);
      at = loss(...found.limit);
      const most = Math.max(...values.map((row) => Math.max(...row)));
      levels = Array.from({ length: 8 }, (_, n) => at + (most - at) * ((n + 1) / 9) ** 2);
    } else {
      // The potential is a sum over coordinates: one value per row and per column.
      const across = Float64Array.from({ length: CELLS }, (_, i) => f(place(i, 0)[0]));
      const up = Float64Array.from({ length: CELLS }, (_, j) => f(place(0, j)[1]));
      values = Array.from(up, (v) => across.map((u) => u + v));
      at = f(found.limit[0]) + f(found.limit[1]);
      levels = [0.15, 0.4, 0.7, 1, 1.4, 1.9, 2.5].map((n) => n * at);
    }
    for (const height of levels) {
      ctx.strokeStyle = height === at ? c.sky : c.line;
      ctx.lineWidth = height === at ? 1.6 : 1.1;
      level(ctx, scale, contour(values, height), CELLS, CELLS);
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
  const rows = [["the flow, and its limit", c.blue, 2.6], ["limits for all α", c.purple, 5], ["all solutions", c.orange, 1.2, [6, 4]]];
  rows.push(decayOf(state) > 0 ? ["levels of the penalized loss", c.line, 1.1] : ["level of the potential at the limit", c.sky, 1.6]);
  legend(ctx, rows, scale.pad.left + 8, scale.pad.top + 12);
  tag(ctx, scale, "data point x", [state.x1, state.x2], c.orange);
}

function drawBars(where, beta, truth) {
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
  const { learned } = found, decay = decayOf(state), when = (share, curve) => learned.times[curve.findIndex((v) => v <= share * curve[0])];
  const fitted = when(0.05, learned.fit), general = when(0.05, learned.error);
  return [
    ["regime", decay > 0 ? walked(learned, fitted, general) : state.y === 0 ? "the label is zero: the flow does not move" : one ? "the shortest solution is the sparsest: the flow stops there" : between < 0.1 ? `rich: it stops ${lean}` : between > 0.9 ? `lazy: it stops ${lean}` : `it stops ${lean}`],
    ["stops at", decay > 0 ? `${vector(found.limit)}, the Lasso with penalty λ` : vector(found.limit)],
    ["from the sparsest (0) to the shortest (1)", one ? "they coincide" : short(between)],
    ["sparse recovery", `relative error ${short(100 * off)} %`],
    ["fitted to 5 %", fitted === undefined ? "never" : `at t = ${short(fitted)}`],
    ["generalizes to 5 %", general === undefined ? "never" : `at t = ${short(general)}`],
    ...(learned.stairs.length ? [["staircase", `${learned.stairs.length - 1} jumps, at t = ${learned.stairs.slice(1, 7).map((row) => short(row.time)).join(", ")}${learned.stairs.length > 7 ? ", …" : ""}`]] : []),
    ["κ of the potential", short(found.kappa)],
    ["computed", decay > 0 ? "the limit as the Lasso (active set), the curves by integration in the mirror variable" : "the limit as the solution of least potential (dual Newton method), without training; the curves by integration in the mirror variable"],
  ];
}

function walked({ error }, fitted, general) {
  if (fitted === undefined) return "the penalty is too strong to fit the data";
  if (general === undefined) return `it fits, and does not generalize: the test error ends at ${short(error[error.length - 1])}`;
  return general > 5 * fitted ? `it groks: fitted at t = ${short(fitted)}, generalizes at t = ${short(general)}` : "it fits and generalizes at about the same time";
}

export function table({ sparse }) {
  return [["alpha", ...sparse.truth.map((_, j) => `beta${j + 1}`)], ["truth", ...sparse.truth], ...sparse.path.map((row, i) => [COARSE[i], ...row.beta])];
}
