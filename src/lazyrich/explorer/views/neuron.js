// The views of room 1.

import { below, contour, grid } from "../math/contour.js";
import { geometric, norm } from "../math/numbers.js";
import { KERNEL, LAZY, RICH, WORDS } from "../math/regime.js";
import { height, margin, numbers, sibling, solver, start } from "../rooms/neuron.js";
import { axes, begin, colors, dotAt, handle, inside, legend, level, note, panel, polyline, pressed, short, star, tag, vector } from "./plot.js";
import { player, timeAt } from "./player.js";
import { surface } from "./surface.js";

const OTHERS = [-8, -4, -2, -1, 0, 1, 2, 4, 8];
const CELLS = 37;

export const KNOBS = [
  ["The neuron", ["delta", "decay", "sign", "eta_w", "eta_a"]],
  ["Start and target", ["b0x", "b0y", "bx", "by"]],
  ["The data", ["angle", "axis2"]],
  ["The view", ["cursor", "logtime", "yaw", "pitch"]],
];
export const TRY =
  "A network of one neuron learns a direction. Drag its start or its target, then vary the relative scale δ: the start and the task stay the " +
  "same, but the path changes. A straight path with kernel distance S near zero is lazy; a curved path with growing S is rich.";
export const ABOUT =
  "f(x) = a w·x, β = a w, trained by gradient flow. The relative scale δ = η_w a² − η_a|w|² is conserved, does not affect the function, and determines which layer learns " +
  "faster. Far above zero the tangent kernel stays constant (lazy), near zero it rotates (rich), far below zero it rotates late (delayed rich). " + KERNEL;

export function build(host, room) {
  const plane = panel(host, "The function β = a w in the plane", {
    shape: 1, wide: true,
    about: "The path of the function from the start to the limit, with level lines of the potential; other δ in gray",
  });
  const shape = panel(host, "The weights on their hyperboloid", { shape: 1, wide: true, about: "The path of the weights (w, a) on the surface η_w a² − η_a|w|² = δ" });
  let times = [0, 1, 1];
  const play = player(host, room, (state) => `t = ${short(timeAt(state.cursor, state.logtime, times[1], times[times.length - 1]))}`);
  const panels = {
    loss: panel(host, "Loss", { third: true }),
    logLoss: panel(host, "Loss, logarithmic", { third: true }),
    distance: panel(host, "Kernel distance S", { third: true, about: "Distance S of the tangent kernel from its initial value, over time" }),
    mu: panel(host, "Magnitude μ = a|w|", { wide: true, shape: 0.4 }),
    phi: panel(host, "Direction φ = cos∠(w, β*)", { wide: true, shape: 0.4 }),
  };
  const first = handle(plane, { label: "Start β₀", color: "var(--ink)", move: (x, y) => room.change({ b0x: x, b0y: y }) });
  const goal = handle(plane, { label: "Target β*", color: "var(--orange)", move: (x, y) => room.change({ bx: x, by: y }) });
  for (const each of Object.values(panels)) pressed(each, (px) => room.change({ cursor: each.scale.share(px) }));
  let held = null;
  pressed(shape, (px, py, event) => {
    if (event.type === "pointerdown") held = [px, py, room.state.yaw, room.state.pitch];
    const yaw = ((held[2] + (px - held[0]) * 0.6 + 540) % 360) - 180;
    room.change({ yaw: Math.round(yaw), pitch: Math.round(held[3] + (py - held[1]) * 0.6) });
  }, "none");

  function draw(state) {
    const found = numbers(state);
    times = found.times;
    const end = times[times.length - 1], t = timeAt(state.cursor, state.logtime, times[1], end);
    const [now = { a: found.a[found.a.length - 1], w: found.w[found.w.length - 1] }] = solver(state, start(state))([t]);
    drawPlane(plane, state, found, now);
    // Under weight decay the hyperboloid shrinks: the one on which the weights are now is shown.
    const delta = state.decay > 0 ? state.eta_w * now.a ** 2 - state.eta_a * norm(now.w) ** 2 : state.delta;
    surface(shape, { ...state, delta }, found, now);
    const c = colors();
    const curves = { loss: [c.blue, false], logLoss: [c.blue, true], distance: [c.purple, false], mu: [c.green, false], phi: [c.orange, false] };
    for (const [name, [color, log]] of Object.entries(curves)) {
      const curve = found[name === "logLoss" ? "loss" : name], values = curve.filter(Number.isFinite);
      const top = Math.max(...values, name === "phi" ? 1 : log ? 1e-12 : name === "distance" ? 2 * RICH : 0), low = Math.min(...values, name === "phi" ? -1 : log ? Infinity : 0);
      const [ctx, width, size] = begin(panels[name]);
      const room = 0.06 * (top - low || 1);
      const scale = (panels[name].scale = axes(ctx, width, size, {
        x: { low: state.logtime ? times[1] : 0, high: end, log: Boolean(state.logtime), label: "time t" },
        y: log ? { low: Math.max(low, top * 1e-10) / 2, high: top * 2, log } : { low: low - room, high: top + room },
      }));
      inside(ctx, scale, () => {
        polyline(ctx, scale, times, curve, { color });
        polyline(ctx, scale, [t, t], [scale.low[1], scale.high[1]], { color: c.dim, width: 1, dash: [4, 3] });
      });
    }
    play.show(state);
    first.show([state.b0x, state.b0y]);
    goal.show([state.bx, state.by]);
    return { found, facts: facts(state, found, t, now) };
  }

  return { draw, panels: [plane, shape, ...Object.values(panels)] };
}

function drawPlane(where, state, found, now) {
  const c = colors(), [ctx, width, size] = begin(where), span = state.span;
  const scale = (where.scale = axes(ctx, width, size, {
    x: { low: -span, high: span, label: "β₁" }, y: { low: -span, high: span }, equal: true,
  }));
  const { low, high } = scale;
  inside(ctx, scale, () => {
    if (found.exact && state.delta < 0) {
      // From where a ends with the other sign: the basin beyond the separating surface.
      ctx.fillStyle = c.tint2;
      ctx.beginPath();
      const { pad, inner } = scale, sx = inner.w / (CELLS - 1), sy = inner.h / (CELLS - 1);
      for (const points of below(grid(margin(state, found.data), low, high, CELLS, CELLS), 0)) {
        for (let n = 0; n < points.length; n += 2) {
          ctx[n ? "lineTo" : "moveTo"](pad.left + sx * points[n], pad.top + inner.h - sy * points[n + 1]);
        }
        ctx.closePath();
      }
      ctx.fill();
    }
    const f = height(state, found.side || state.sign), values = grid(f, low, high, CELLS, CELLS);
    const at = f(...found.limit), least = Math.min(...values.map((row) => Math.min(...row)), at);
    const most = Math.max(...values.map((row) => Math.max(...row)));
    const lines = (heights) => level(ctx, scale, heights.flatMap((own) => contour(values, own)), CELLS, CELLS);
    ctx.strokeStyle = c.line;
    ctx.lineWidth = 1.1;
    lines(Array.from({ length: 9 }, (_, n) => least + (most - least) * ((n + 1) / 9.5) ** 2));
    ctx.strokeStyle = c.sky;
    lines([at]); // the one through the limit
    if (found.data.X.length === 1) {
      const [u] = found.data.axes, across = [-u[1], u[0]];
      const far = 4 * span, ends = [-far, far].map((r) => found.data.best.map((v, i) => v + r * across[i]));
      polyline(ctx, scale, ends.map((p) => p[0]), ends.map((p) => p[1]), { color: c.orange, width: 1.2, dash: [6, 4] });
      note(ctx, "all solutions", scale.x(found.data.best[0]) + 8, scale.y(found.data.best[1]) - 10, c.orange);
    }
    const times = geometric(found.times[1], found.times[found.times.length - 1] * (state.delta < 0 ? 1 : 3), found.exact ? 80 : 110);
    if (norm([state.b0x, state.b0y]) > 0) {
      // All in one stroke: a gap, where a number is missing, parts one from the next.
      const xs = [], ys = [];
      for (const delta of OTHERS) {
        for (const [x, y] of [[state.b0x, state.b0y], ...sibling(state, delta, times, found.data), [NaN, NaN]]) {
          xs.push(x);
          ys.push(y);
        }
      }
      polyline(ctx, scale, xs, ys, { color: c.dim, width: 0.7 });
    }
    polyline(ctx, scale, found.beta.map((p) => p[0]), found.beta.map((p) => p[1]), { color: tone(state.delta), width: 2.6 });
    for (const [i, axis] of found.data.axes.entries()) {
      // The axes of the data, as long as they are strong, round the target.
      const reach = 0.12 * span * Math.sqrt(found.data.strengths[i] / found.data.strengths[0]);
      const ends = [-reach, reach].map((r) => [state.bx + r * axis[0], state.by + r * axis[1]]);
      polyline(ctx, scale, ends.map((p) => p[0]), ends.map((p) => p[1]), { color: c.orange, width: 1.2 });
    }
    dotAt(ctx, scale.x(state.b0x), scale.y(state.b0y), c.ink, 5);
    dotAt(ctx, scale.x(state.bx), scale.y(state.by), c.paper, 5, c.orange);
    star(ctx, scale.x(found.limit[0]), scale.y(found.limit[1]), tone(state.delta), 9);
    dotAt(ctx, scale.x(now.a * now.w[0]), scale.y(now.a * now.w[1]), c.paper, 5, tone(state.delta));
    tag(ctx, scale, "start", [state.b0x, state.b0y], c.ink);
    tag(ctx, scale, "target", [state.bx, state.by], c.orange);
  });
  note(ctx, "β₂", 6, 14, c.dim);
  const rows = [["this δ, and its limit", tone(state.delta), 2.6]];
  rows.push(["other δ, from −8 to 8", c.dim, 0.7]);
  rows.push([state.decay > 0 ? "levels of the penalized loss" : "level of the potential at the limit", c.sky, 1.1]);
  if (found.exact && state.delta < 0) rows.push(["starts from which a ends with the other sign", c.tint2, 10]);
  legend(ctx, rows, scale.pad.left + 8, scale.pad.top + scale.inner.h - 12 - 15 * (rows.length - 1));
}

export function tone(delta) {
  const c = colors();
  return delta > 0.5 ? c.blue : delta < -0.5 ? c.orange : c.green;
}

function headline(found) {
  if (found.side === 0) return "ends in the saddle";
  if (found.data.X.length === 1) return "the row space of X is one-dimensional: the limit depends on the start";
  if (found.cut) return "not integrated far enough to decide";
  return WORDS[found.regime];
}

function facts(state, found, t, now) {
  const last = found.distance.length - 1;
  const cross = found.crossing === null ? null : found.crossing === Infinity ? "never" : `at t = ${short(found.crossing)}`;
  const seen = found.data.X.length === 1 ? "one-dimensional: the kernel is one number, and S is zero" : "the plane";
  return [
    ["regime", headline(found)],
    ["kernel distance S", `at most ${short(Math.max(...found.distance))}, at the end ${short(found.distance[last])} (lazy below ${LAZY.distance}, rich above ${RICH})`],
    ["gap to the tangent model", `at most ${short(found.gap)} of the initial residual (lazy below ${LAZY.gap})`],
    ["stops at", found.cut ? "not reached: the two axes differ too much" : `${vector(found.limit)}, a = ${short(found.end)}`],
    ["basin", found.side === 0 ? "on the separating surface" : `a ends ${found.side > 0 ? "positive" : "negative"}`],
    ...(cross ? [["a crosses zero", cross]] : []),
    ["row space of X", seen],
    ["at the cursor", `t = ${short(t)}: β = ${vector(now.w.map((v) => now.a * v))}`],
    ["computed", found.exact ? "by the closed form" : `by integration: ${state.decay > 0 ? "with weight decay there is no elementary closed form" : "with unequal axes there is no closed form"}`],
  ];
}

export function table(found) {
  const rows = found.times.map((t, i) => [t, ...found.beta[i], found.a[i], ...found.w[i], found.loss[i], found.distance[i], found.mu[i], found.phi[i]]);
  return [["t", "beta1", "beta2", "a", "w1", "w2", "loss", "kernel_distance", "mu", "phi"], ...rows];
}
