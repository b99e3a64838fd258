// The views of room 4: students that train while one watches.

import { flow } from "../math/filippov.js";
import { KERNEL, LAZY, RICH } from "../math/regime.js";
import { cuts, output } from "../math/relu.js";
import { begin as startOf, clock as clockOf, measured, points, reference } from "../rooms/relu.js";
import { drawAround, learnedAt, phaseMap } from "./phase.js";
import { axes, begin, channels, colors, dotAt, handle, inside, legend, note, panel, polyline, pressed, short, sizeOf } from "./plot.js";

export const KNOBS = [
  ["First student", ["tau", "delta"]],
  ["Second student", ["second", "tau2", "delta2"]],
  ["The view", ["map", "when", "speed"]],
];
const TRY =
  "Point at the map to see what a student has learned beside its teacher, and click to watch it train. With small overall scale τ and δ ≥ 0, its neurons rotate towards the task (rich). With large τ, or δ " +
  "below zero, they keep their directions (lazy). Drag the training points to change the task.";
const KINKS =
  "Training is integrated from kink to kink: a neuron crosses w·x = 0, " +
  "slides along it, or rests at w = 0 until some direction leads downhill (then the flow is not unique, and the steepest direction is taken). The steps have order 3 " +
  "and no direction is off by more than 10⁻⁵; the kernel distance S agrees with lr.integrate to 10⁻⁶.";
// Of the table's students, or of a network of the user's own.
export const words = ({ plane }) =>
  plane.theta
    ? {
        TRY: "This is your network. Press Play to see whether its neurons rotate towards the task or keep their directions. Drag the training points to change the task.",
        KNOBS: [["The view", ["speed"]]],
        ABOUT: `f(x) = Σ a_k max(w_k·x, 0): ${plane.theta.length / 3} neurons, ${plane.points.length} points. ${KINKS} ${KERNEL}`,
      }
    : { TRY, ABOUT: `f(x) = Σ a_k max(w_k·x, 0): 50 neurons, 20 points, a teacher with three neurons. ${KINKS} The map shows students that learn from infinitely many points on the circle. ${KERNEL}` };

const MOST = 4000, PATIENCE = 12, BUDGET = 5, LEARNED = 1e-13, PIXELS = 64, TURNS = 180;
let span = 1.35; // half the width of the plane
const quiet = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export function build(host, room) {
  const table = room.tables.plane, own = Boolean(table.theta), { first, end } = clockOf(table);
  span = own ? 1.35 * Math.max(...table.points.map(([x, y]) => Math.hypot(x, y)), 1e-9) : 1.35;
  const bar = document.createElement("div");
  bar.className = "player wide";
  const play = Object.assign(document.createElement("button"), { type: "button", textContent: "Play" });
  const again = Object.assign(document.createElement("button"), { type: "button", textContent: "From the start" });
  const scrub = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 0, step: 1, value: 0 });
  scrub.setAttribute("aria-label", "Time of training");
  const clock = document.createElement("output");
  bar.append(play, again, scrub, clock);
  host.append(bar);
  let hovered = null;
  const map = own ? null : phaseMap(host, (tau, delta, other) => {
    room.change(other ? { tau2: tau, delta2: delta, second: 1 } : { tau, delta });
    playing = !quiet();
  }, (place) => {
    hovered = place;
    room.repaint();
  });
  const around = panel(host, "The function around the circle", { wide: true, shape: 0.62, about: "What the students have learned, and the teacher, over the angle of the input" });
  const one = student(host, room, "first"), distance = panel(host, "Kernel distance S", { shape: 0.9, about: "Distance S of the tangent kernel from its initial value, over time" });
  const students = [one, student(host, room, "second")];
  const hamming = panel(host, "Hamming distance of the activations", { shape: 0.9 });
  const curves = { distance, loss: panel(host, "Loss", { full: true, shape: 0.26 }), hamming };
  for (const each of Object.values(curves)) {
    pressed(each, (px) => {
      const t = each.scale.ofX(px), frames = students[0].frames;
      const at = frames.findIndex((frame) => frame.t >= t);
      go(at < 0 ? frames.length - 1 : at);
    });
  }

  let playing = !quiet(), shown = null, key = "", waited = 0, mapped = "", drawnMap = null;
  const restart = (state) => {
    const data = points(state, table);
    students.forEach((each, i) => each.restart(startOf(table, i ? state.tau2 : state.tau, i ? state.delta2 : state.delta), data));
    shown = null;
  };
  const go = (at) => {
    playing = false;
    shown = at;
    room.repaint();
  };
  play.addEventListener("click", () => {
    playing = !playing;
    shown = null;
    if (playing && students[0].t >= end) restart(room.state);
    room.repaint();
  });
  again.addEventListener("click", () => {
    restart(room.state);
    playing = !quiet();
    room.repaint();
  });
  scrub.addEventListener("input", () => go(Number(scrub.value)));

  function advance(state) {
    const frames = students[0].frames, t = frames[frames.length - 1].t, active = students.slice(0, state.second ? 2 : 1);
    const until = t === 0 ? first : Math.min(t * 10 ** (0.012 * state.speed), end);
    for (const each of active) if (each.t < until) each.train(until);
    // Where the flow is stiff a step of the clock takes several frames of the screen; then something is shown now and then.
    waited += 1;
    if (waited > PATIENCE || active.every((each) => each.t >= until)) {
      active.forEach((each) => each.keep());
      waited = 0;
    }
    const learned = active.every((each) => each.frames[each.frames.length - 1].loss < LEARNED);
    if (frames.length > MOST || t >= end || learned) playing = false;
  }

  function draw(state) {
    const fresh = [state.tau, state.delta, state.tau2, state.delta2, state.second, JSON.stringify(state.moved)].join("|");
    if (fresh !== key) {
      key = fresh;
      restart(state);
    }
    if (playing) advance(state);
    const frames = students[0].frames, last = frames.length - 1, at = shown === null ? last : Math.min(shown, last);
    const active = students.slice(0, state.second ? 2 : 1);
    students[1].hide(!state.second);
    active.forEach((each, i) => each.draw(state, at, i ? [state.tau2, state.delta2] : [state.tau, state.delta]));
    // The map changes when a student is chosen, not while it trains.
    const chosen = [state.tau, state.delta, state.tau2, state.delta2, state.second, state.map, state.when, colors().ink, map && sizeOf(map.where)].join();
    if (map && chosen !== mapped) drawnMap = map.draw(state, room.tables.population);
    mapped = chosen;
    const cell = hovered && learnedAt(room.tables.population, hovered, state.when);
    drawFunctions(around, active, at, table, cell);
    drawCurves(curves, active, at, first);
    scrub.max = last;
    scrub.value = at;
    clock.textContent = `t = ${short(frames[at].t)}`;
    play.textContent = playing ? "Pause" : "Play";
    if (playing) room.again();
    return { found: { students: active, at, cell }, facts: facts(active, at, own ? ["your network"] : ["first student", "second student"], map ? [drawnMap] : []) };
  }

  return { draw, panels: [...(map ? [map.where] : []), around, ...students.flatMap((each) => each.panels), ...Object.values(curves)], stop: () => (playing = false) };
}

// One student: its run, and three panels.
function student(host, room, name) {
  const paths = panel(host, `Neurons of the ${name} student, |a| w`, { shape: 1, about: `Paths of the neurons of the ${name} student, and the training points` });
  const regions = panel(host, "Its linear regions", { shape: 1 });
  const surface = panel(host, "Its function f(x)", { shape: 1 });
  const panels = [paths, regions, surface];
  const table = room.tables.plane;
  const grips = name === "first"
    ? table.points.map((_, i) => handle(paths, { label: `Training point ${i + 1}`, small: true, move: (x, y) => room.change({ moved: { ...room.state.moved, [i]: [x, y] } }) }))
    : [];
  const own = { frames: [], panels };
  let from = null, data = null, run = null;
  own.restart = (start, points) => {
    from = reference(start, points);
    data = points;
    run = flow(Float64Array.from(start), data, table.kappa);
    own.t = 0;
    own.frames = [{ t: 0, theta: Float64Array.from(start), seen: { ...run.seen }, ...measured(start, from, data, table.kappa) }];
  };
  // As far towards the time as one frame of the screen allows.
  own.train = (until) => {
    const began = performance.now();
    while (own.t < until * (1 - 1e-9) && performance.now() - began < BUDGET) own.t += run.advance(until - own.t, 60);
    if (until - own.t < 1e-9 * until) own.t = until;
  };
  own.keep = () => own.frames.push({ t: own.t, theta: Float64Array.from(run.theta), seen: { ...run.seen }, ...measured(run.theta, from, data, table.kappa) });
  own.points = () => data;
  own.hide = (hidden) => panels.forEach((each) => (each.figure.hidden = hidden));
  own.draw = (state, at, [tau, delta]) => {
    paths.caption.textContent = table.theta ? "Your neurons, |a|w" : `τ = ${short(tau)}, δ = ${short(delta)}: neurons |a|w`;
    const frame = own.frames[Math.min(at, own.frames.length - 1)];
    drawPaths(paths, own.frames.slice(0, at + 1), data);
    drawRegions(regions, frame.theta, data);
    drawSurface(surface, frame.theta, data);
    grips.forEach((grip, i) => grip.show([data[3 * i], data[3 * i + 1]]));
  };
  return own;
}

function square(where) {
  const [ctx, width, height] = begin(where);
  where.scale = axes(ctx, width, height, { x: { low: -span, high: span }, y: { low: -span, high: span }, equal: true });
  return [ctx, where.scale];
}

function dots(ctx, scale, data) {
  const c = colors();
  for (let i = 0; i < data.length; i += 3) dotAt(ctx, scale.x(data[i]), scale.y(data[i + 1]), data[i + 2] > 0 ? c.blue : data[i + 2] < 0 ? c.orange : c.dim, 4.5, c.paper);
}

function drawPaths(where, frames, data) {
  const c = colors(), [ctx, scale] = square(where), stride = Math.ceil(frames.length / 60);
  const kept = frames.filter((_, i) => i % stride === 0 || i === frames.length - 1), end = kept[kept.length - 1].theta;
  let longest = 0;
  for (let k = 0; k < end.length; k += 3) longest = Math.max(longest, Math.abs(end[k + 2]) * Math.hypot(end[k], end[k + 1]));
  const enlarged = [100, 50, 20, 10, 5, 2, 1].find((n) => n * longest <= span) ?? 1;
  inside(ctx, scale, () => {
    for (const sign of [1, -1]) {
      const color = sign > 0 ? c.blue : c.orange;
      ctx.strokeStyle = color;
      ctx.lineWidth = 0.8;
      ctx.beginPath();
      for (let k = 0; k < end.length; k += 3) {
        if ((end[k + 2] > 0 ? 1 : -1) !== sign) continue;
        kept.forEach(({ theta }, i) => {
          const a = enlarged * Math.abs(theta[k + 2]);
          ctx[i ? "lineTo" : "moveTo"](scale.x(a * theta[k]), scale.y(a * theta[k + 1]));
        });
      }
      ctx.stroke();
      for (let k = 0; k < end.length; k += 3) {
        const a = enlarged * Math.abs(end[k + 2]);
        if ((end[k + 2] > 0 ? 1 : -1) === sign) dotAt(ctx, scale.x(a * end[k]), scale.y(a * end[k + 1]), color, 2.2);
      }
    }
    dots(ctx, scale, data);
  });
  if (enlarged > 1) note(ctx, `magnified ${enlarged} times`, scale.pad.left + 6, scale.pad.top + 10, c.dim);
}

function drawRegions(where, theta, data) {
  const c = colors(), [ctx, scale] = square(where), lines = cuts(theta);
  inside(ctx, scale, () => {
    const both = [...lines, ...lines.map((t) => t + Math.PI)], r = 3 * span;
    both.forEach((t, i) => {
      if (i % 2) return;
      const next = i + 1 < both.length ? both[i + 1] : both[0] + 2 * Math.PI;
      ctx.fillStyle = c.tint;
      ctx.beginPath();
      ctx.moveTo(scale.x(0), scale.y(0));
      for (let n = 0; n <= 6; n++) {
        const angle = t + ((next - t) * n) / 6;
        ctx.lineTo(scale.x(r * Math.cos(angle)), scale.y(r * Math.sin(angle)));
      }
      ctx.fill();
    });
    ctx.strokeStyle = c.dim;
    ctx.lineWidth = 0.5;
    ctx.beginPath();
    for (const t of both) {
      ctx.moveTo(scale.x(0), scale.y(0));
      ctx.lineTo(scale.x(r * Math.cos(t)), scale.y(r * Math.sin(t)));
    }
    ctx.stroke();
    dots(ctx, scale, data);
  });
}

let image = null;
// Of each pixel of the square: how far from the middle it is, and in which direction, in parts of a turn. f(rx) = r f(x), so that
// one value of the function for each direction is enough.
const far = new Float64Array(PIXELS * PIXELS), turned = new Float64Array(PIXELS * PIXELS);
for (let j = 0; j < PIXELS; j++) {
  for (let i = 0; i < PIXELS; i++) {
    const x = (2 * i + 1) / PIXELS - 1, y = 1 - (2 * j + 1) / PIXELS, turn = (Math.atan2(y, x) / (2 * Math.PI)) * TURNS;
    far[j * PIXELS + i] = Math.hypot(x, y);
    turned[j * PIXELS + i] = turn < 0 ? turn + TURNS : turn;
  }
}
function drawSurface(where, theta, data) {
  const [ctx, scale] = square(where), c = colors();
  const round = Array.from({ length: TURNS + 1 }, (_, i) => output(theta, Math.cos((2 * Math.PI * i) / TURNS), Math.sin((2 * Math.PI * i) / TURNS)));
  const top = Math.max(...round.map(Math.abs), 1e-9) * 0.9;
  image ??= Object.assign(document.createElement("canvas"), { width: PIXELS, height: PIXELS });
  const pen = image.getContext("2d"), pixels = pen.createImageData(PIXELS, PIXELS), { data: into } = pixels, up = channels(c.blue), down = channels(c.orange);
  for (let n = 0; n < far.length; n++) {
    const low = Math.min(Math.floor(turned[n]), TURNS - 1), part = turned[n] - low;
    const share = Math.max(-1, Math.min(1, (far[n] * (round[low] * (1 - part) + round[low + 1] * part)) / top));
    const color = share > 0 ? up : down;
    for (let k = 0; k < 3; k++) into[4 * n + k] = color[k];
    into[4 * n + 3] = 225 * Math.abs(share) ** 0.7;
  }
  pen.putImageData(pixels, 0, 0);
  inside(ctx, scale, () => {
    ctx.drawImage(image, scale.x(-span), scale.y(span), scale.x(span) - scale.x(-span), scale.y(-span) - scale.y(span));
    dots(ctx, scale, data);
  });
  const [low, high] = [Math.min(...round), Math.max(...round)].map((v) => (Math.abs(v) < 1e-12 ? 0 : v)); // rounding
  note(ctx, `${short(low)} to ${short(high)}`, scale.pad.left + 6, scale.pad.top + 10, c.ink);
}

// What the students, the teacher and the cell under the pointer say at each angle, with the training points on the unit circle.
function drawFunctions(where, active, at, table, cell) {
  const c = colors(), circle = (theta) => Array.from({ length: TURNS }, (_, i) => output(theta, Math.cos((2 * Math.PI * i) / TURNS), Math.sin((2 * Math.PI * i) / TURNS)));
  const thetas = active.map(({ frames }) => frames[Math.min(at, frames.length - 1)].theta);
  const curves = table.theta ? [["your network", c.blue, circle(thetas[0])]] : [
    ["teacher", c.ink, circle(table.teacher.flat()), [4, 4]],
    ...(cell
      ? [[`τ = ${short(cell.tau)}, δ = ${short(cell.delta)} at t = ${short(cell.time)}`, c.purple, cell.values]]
      : thetas.map((theta, i) => [i ? "second student" : "first student", i ? c.orange : c.blue, circle(theta), i ? [7, 3] : []])),
  ];
  const data = active[0].points(), dots = [];
  for (let i = 0; i < data.length; i += 3) {
    const size = Math.hypot(data[i], data[i + 1]);
    if (size > 0) dots.push([((Math.atan2(data[i + 1], data[i]) * 180) / Math.PI + 360) % 360, data[i + 2] / size]);
  }
  const [ctx, scale] = drawAround(where, curves, cell ? [] : dots);
  legend(ctx, curves.map(([name, color, , dash]) => [name, color, 2, dash]), scale.pad.left + 8, scale.pad.top + 10);
}

function drawCurves(curves, active, at, first) {
  const c = colors();
  for (const [name, where] of Object.entries(curves)) {
    const log = name === "loss", runs = active.map((each) => each.frames), all = runs.flat().map((frame) => frame[name]);
    const top = Math.max(...all, log ? 1e-9 : 0.01), last = Math.max(...runs.map((frames) => frames[frames.length - 1].t), 2 * first);
    const [ctx, width, height] = begin(where);
    const scale = (where.scale = axes(ctx, width, height, {
      x: { low: first, high: Math.max(last, 1e4 * first), log: true, label: "time t" },
      y: log ? { low: Math.max(Math.min(...all), top * 1e-8) / 2, high: top * 2, log } : { low: -0.03 * top, high: 1.05 * top },
    }));
    inside(ctx, scale, () => {
      runs.forEach((frames, i) => polyline(ctx, scale, frames.map((f) => f.t), frames.map((f) => f[name]), { color: i ? c.orange : c.blue, dash: i ? [7, 3] : [] }));
      if (runs.length > 1 && !log) legend(ctx, [["first", c.blue, 1.8], ["second", c.orange, 1.8, [7, 3]]], scale.pad.left + 8, scale.pad.top + 10);
      const t = runs[0][Math.min(at, runs[0].length - 1)].t;
      polyline(ctx, scale, [t, t], [scale.low[1], scale.high[1]], { color: c.dim, width: 1, dash: [4, 3] });
    });
  }
}

// Lazy or rich so far, by the limits of the first tab. It is too early to say as long as there is loss that a student which is not
// lazy in the end may still have with S below the limit: of the students on a grid, none did with less than 4.5 % of it.
const EARLY = 0.03;
function facts(active, at, names, more) {
  const told = active.map(({ frames }, i) => {
    const { distance, loss, t } = frames[Math.min(at, frames.length - 1)], S = `S = ${short(distance)}`;
    const early = distance <= RICH && loss > EARLY * frames[0].loss;
    const what = t === 0 ? "press Play"
      : early ? `too early to say (${S}; ${short(loss / frames[0].loss)} of the loss remains)`
      : distance < LAZY.distance ? `lazy, the kernel has hardly rotated (${S})`
      : distance <= RICH ? `in between (${S})` : `rich, the kernel has rotated (${S})`;
    return `${names[i]}: ${what}`;
  });
  return [["regime", told.join("; ")], ...active.flatMap(({ frames }, i) => {
    const frame = frames[Math.min(at, frames.length - 1)];
    const { crossed, slid, rested } = frame.seen, rests = rested ? `, ${rested} neurons came to rest at w = 0` : "";
    return [
      [names[i], `loss ${short(frame.loss)}, Hamming ${short(frame.hamming)}, kernel distance ${short(frame.distance)}`],
      [`kinks, ${names[i]}`, `${crossed} crossed, ${slid} slid on${rests}`],
    ];
  }), ["colors", "blue: a or y above zero; orange: below"], ...more];
}

export function table({ students }) {
  const rows = [["student", "t", "loss", "hamming_distance", "kernel_distance"]];
  students.forEach(({ frames }, i) => frames.forEach((f) => rows.push([i + 1, f.t, f.loss, f.hamming, f.distance])));
  return rows;
}
