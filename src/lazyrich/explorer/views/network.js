// The views of the network that trains in the browser.

import { KERNEL, LAZY, RICH } from "../math/regime.js";
import { begin, pasted, points } from "../rooms/network.js";
import { axes, begin as clear, channels, colors, dotAt, inside, legend, note, panel, polyline, pressed, short } from "./plot.js";

export const KNOBS = [
  ["The start", ["alpha", "tau", "seed"]],
  ["The data", ["data", "brush"]],
  ["The network", ["depth", "width", "activation"]],
  ["The training", ["lr", "momentum", "decay", "batch", "speed"]],
];
export const TRY =
  "Press Play. The network and its tangent twin, the same network linearized at its start, learn the same points by the same steps. Then train from a larger scale τ: both learn the " +
  "same function (lazy). From a small τ, or a large α, the features move and the two part (rich). Paint points, or paste a table.";
export const ABOUT =
  "Hidden units start in pairs with opposite outgoing weights, so that the function is zero whatever τ and α are. With ReLU, dividing the first layer by α and multiplying the last by α " +
  `never changes the function; it changes which layer learns. ${KERNEL} Here it is measured on up to 40 of the points. ` +
  "The learning rate is in units of 2/λ, λ the largest eigenvalue of the kernel.";
const CEILING = 10; // of the loss, relative to its start: beyond, a curve leaves its panel
const CELLS = 24, MOST = 500, BUDGET = 7, LAYERS = { 2: ["first layer", "last layer"], 3: ["first layer", "second layer", "last layer"] };
const quiet = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
// The middles of the cells, from above to below.
const MESH = Array.from({ length: CELLS ** 2 }, (_, n) => [((n % CELLS) + 0.5) * (2 / CELLS) - 1, 1 - (Math.floor(n / CELLS) + 0.5) * (2 / CELLS)]);

export function build(host, room) {
  const bar = Object.assign(document.createElement("div"), { className: "player" });
  const button = (text) => Object.assign(document.createElement("button"), { type: "button", textContent: text });
  const play = button("Play"), again = button("From the start"), clock = document.createElement("output");
  bar.append(play, again, clock);
  host.append(bar);
  const own = panel(host, "The network f(x)", { wide: true, shape: 0.8, about: "The function of the network on the square, and the points; a click paints a point" });
  const twin = panel(host, "Its tangent twin", { wide: true, shape: 0.8, about: "The function of the linearized network, trained by the same steps" });
  const features = panel(host, "First-layer features", { shape: 0.9, about: "The lines on which units of the first layer are zero, now and (pale) at the start" });
  const distance = panel(host, "Kernel distance S", { shape: 0.9 });
  const loss = panel(host, "Loss", { shape: 0.9 });
  const moved = panel(host, "Movement of each layer", { shape: 0.9, about: "How far each layer has moved, relative to its size at the start" });
  const table = paste(host, room);
  let key = "", session = null, playing = false;

  play.addEventListener("click", () => {
    playing = !playing;
    room.repaint();
  });
  again.addEventListener("click", () => {
    key = "";
    playing = !quiet();
    room.repaint();
  });
  pressed(own, (px, py, event) => {
    if (event.type !== "pointerdown") return;
    const { data, brush, painted } = room.state, parity = Number(brush), x = [own.scale.ofX(px), own.scale.ofY(py)].map((v) => Number(Math.max(-1, Math.min(1, v)).toFixed(3)));
    const next = data === "painted" ? { ...painted } : {};
    if (data !== "painted") points(room.state).forEach(([x1, x2, y], i) => (next[2 * Math.floor(i / 2) + (y > 0 ? 0 : 1)] = [x1, x2]));
    let place = parity;
    while (Object.hasOwn(next, place)) place += 2;
    if (place < 100) room.change({ data: "painted", painted: { ...next, [place]: x } });
  });

  function restart(state) {
    const started = begin(state), { net, theta0 } = started.run;
    const J = net.jacobian(theta0, MESH), first = MESH.map(([x1, x2]) => net.output(theta0, x1, x2));
    session = { ...started, J, first, frames: [started.run.measured()], broken: false };
  }

  // As many steps as the clock asks for and a frame of the screen allows.
  function advance(state) {
    const { run, frames } = session, began = performance.now(), wanted = Math.max(1, Math.round((1 + run.steps * 0.015) * state.speed));
    for (let k = 0; k < wanted && performance.now() - began < BUDGET; k++) run.step();
    const now = run.measured();
    session.broken = !(now.loss < 1e6 * (1 + frames[0].loss));
    if (session.broken || now.loss < 1e-7) playing = false;
    else frames.push(now);
    if (frames.length > MOST) session.frames = frames.filter((_, n) => n % 2 === 0 || n === frames.length - 1);
  }

  function draw(state) {
    const { speed, brush, ...matters } = state, fresh = JSON.stringify(matters);
    if (fresh !== key) {
      key = fresh;
      restart(state);
    }
    if (playing) advance(state);
    const { run, frames, data, J, first, layers } = session, size = run.theta.length;
    drawFunction(own, MESH.map(([x1, x2]) => run.net.output(run.theta, x1, x2)), data);
    drawFunction(twin, first.map((f, n) => {
      let sum = f;
      for (let c = 0, row = n * size; c < size; c++) sum += J[row + c] * (run.twin[c] - run.theta0[c]);
      return sum;
    }), data);
    drawFeatures(features, layers, run);
    drawCurves({ distance, loss, moved }, frames, LAYERS[state.depth]);
    const now = frames[frames.length - 1];
    clock.textContent = `${now.steps} steps, t = ${short((now.steps * session.lr) / (1 - state.momentum))}`;
    play.textContent = playing ? "Pause" : "Play";
    table.show(state);
    if (playing) room.again();
    return { found: { frames, data, layers: LAYERS[state.depth] }, facts: facts(now, frames[0], session, state) };
  }

  return { draw, panels: [own, twin, features, distance, loss, moved], stop: () => (playing = false) };
}

// A place to paste a table into.
function paste(host, room) {
  const box = Object.assign(document.createElement("details"), { className: "paste" }), said = document.createElement("output");
  const text = Object.assign(document.createElement("textarea"), { rows: 4, spellcheck: false, placeholder: "x1, x2, label" });
  text.setAttribute("aria-label", "A table: two numbers and a label in each line");
  const use = Object.assign(document.createElement("button"), { type: "button", textContent: "Use this table" });
  const wipe = Object.assign(document.createElement("button"), { type: "button", textContent: "Remove all points" });
  box.append(Object.assign(document.createElement("summary"), { textContent: "Paste a table (CSV)" }), text, use, " ", wipe, " ", said);
  host.append(box);
  use.addEventListener("click", () => {
    const painted = pasted(text.value), lines = text.value.split("\n").filter((line) => line.trim()).length;
    said.textContent = painted ? `${Object.keys(painted).length} points of ${lines} lines` : "no line has two numbers and a label";
    if (painted) room.change({ data: "painted", painted });
  });
  wipe.addEventListener("click", () => room.change({ data: "painted", painted: {} }));
  return { show: (state) => (wipe.hidden = !Object.keys(state.painted).length) };
}

let image = null;
function drawFunction(where, values, data) {
  const [ctx, width, height] = clear(where), c = colors();
  const scale = (where.scale = axes(ctx, width, height, { x: { low: -1, high: 1 }, y: { low: -1, high: 1 }, equal: true }));
  image ??= Object.assign(document.createElement("canvas"), { width: CELLS, height: CELLS });
  const pen = image.getContext("2d"), pixels = pen.createImageData(CELLS, CELLS), up = channels(c.blue), down = channels(c.orange);
  values.forEach((v, n) => {
    const color = v > 0 ? up : down;
    for (let k = 0; k < 3; k++) pixels.data[4 * n + k] = color[k];
    pixels.data[4 * n + 3] = 190 * Math.min(1, Math.abs(v)) ** 0.8;
  });
  pen.putImageData(pixels, 0, 0);
  inside(ctx, scale, () => {
    const [left, top] = [scale.x(-1), scale.y(1)];
    ctx.drawImage(image, left, top, scale.x(1) - left, scale.y(-1) - top);
    for (const [x1, x2, y] of data) dotAt(ctx, scale.x(x1), scale.y(x2), y > 0 ? c.blue : c.orange, 4, c.paper);
  });
}

// The line w.x + b = 0 of each unit, in the color of its outgoing weight at depth two.
function drawFeatures(where, layers, { theta, theta0 }) {
  const [ctx, width, height] = clear(where), c = colors(), { rows } = layers[0], last = layers[layers.length - 1];
  const scale = (where.scale = axes(ctx, width, height, { x: { low: -1, high: 1 }, y: { low: -1, high: 1 }, equal: true }));
  const line = (weights, r, color, thick, alpha) => {
    const [w1, w2, b] = [0, 1, 2].map((k) => weights[3 * r + k]), size = Math.hypot(w1, w2) || 1e-300, off = -b / size, far = 4;
    const [n1, n2] = [w1 / size, w2 / size];
    ctx.globalAlpha = alpha;
    polyline(ctx, scale, [off * n1 - far * n2, off * n1 + far * n2], [off * n2 + far * n1, off * n2 - far * n1], { color, width: thick });
  };
  const strengths = Array.from({ length: rows }, (_, r) => {
    const size = Math.hypot(theta[3 * r], theta[3 * r + 1], theta[3 * r + 2]);
    return layers.length === 2 ? size * theta[last.at + r] : size;
  });
  const top = Math.max(...strengths.map(Math.abs), 1e-300);
  inside(ctx, scale, () => {
    for (let r = 0; r < rows; r++) line(theta0, r, c.dim, 0.6, 0.35);
    strengths.forEach((v, r) => line(theta, r, layers.length > 2 ? c.ink : v > 0 ? c.blue : c.orange, 1.6, 0.15 + 0.85 * Math.abs(v / top)));
  });
  ctx.globalAlpha = 1;
}

function drawCurves({ distance, loss, moved }, frames, names) {
  const c = colors(), steps = frames.map((frame) => frame.steps), last = Math.max(10, steps[steps.length - 1]);
  const x = { low: 0, high: last, label: "steps" };
  const curves = (where, y, rows) => {
    const [ctx, width, height] = clear(where), scale = (where.scale = axes(ctx, width, height, { x, y }));
    inside(ctx, scale, () => rows.forEach(([, color, values, dash]) => polyline(ctx, scale, steps, values, { color, width: 2, dash })));
    return [ctx, scale];
  };
  const S = frames.map((frame) => frame.distance);
  const [ctx, scale] = curves(distance, { low: 0, high: 1.2 * Math.max(...S, RICH) }, [["S", c.purple, S]]);
  for (const [limit, word] of [[LAZY.distance, "lazy below"], [RICH, "rich above"]]) {
    polyline(ctx, scale, [0, last], [limit, limit], { color: c.dim, width: 1, dash: [3, 3] });
    note(ctx, word, scale.pad.left + scale.inner.w - 4, scale.y(limit) - 6, c.dim, "right");
  }
  const both = [["network", c.ink, frames.map((frame) => frame.loss)], ["tangent twin", c.dim, frames.map((frame) => frame.lossTwin), [6, 4]]];
  const layers = names.map((name, l) => [name, c.modes[l], frames.map((frame) => frame.moved[l])]);
  for (const [where, rows] of [[loss, both], [moved, layers]]) {
    const most = where === loss ? CEILING * frames[0].loss : Infinity, all = rows.flatMap((row) => row[2]).filter((v) => v <= most);
    const top = Math.max(where === moved ? 0.01 : 1e-9, ...all), [pen, own] = curves(where, { low: 0, high: 1.35 * top }, rows);
    legend(pen, rows.map(([name, color, , dash]) => [name, color, 2, dash]), own.pad.left + 8, own.pad.top + 10);
  }
}

function facts(now, start, { broken, lr, data }, state) {
  const S = `S = ${short(now.distance)}`, early = now.loss > 0.5 * start.loss && now.distance <= RICH;
  const word = broken ? "training diverged: lower the learning rate"
    : now.lossTwin > CEILING * start.loss ? `the rate is too large for the tangent twin, which diverges; the network survives by turning its kernel (${S})`
    : now.steps === 0 ? "press Play"
    : early ? `too early to say (${S}, ${short((100 * now.loss) / start.loss)} % of the loss remains)`
    : now.distance > RICH ? `rich so far: the tangent kernel has rotated (${S})`
    : now.distance < LAZY.distance && now.gap < LAZY.gap ? `lazy so far: the network follows its tangent twin (${S})` : `in between so far (${S})`;
  return [
    ["regime", word],
    ["kernel distance S", `${short(now.distance)} (lazy below ${LAZY.distance}, rich above ${RICH})`],
    ["gap to the tangent twin", `${short(now.gap)} of the way to the labels (lazy below ${LAZY.gap})`],
    ["points on the right side", `${short(100 * now.accuracy)} % of ${data.length}`],
    ["layers have moved by", now.moved.map((v, l) => `${short(100 * v)} % (${LAYERS[state.depth][l]})`).join(", ")],
    ["learning rate", short(lr)],
    ["colors", "blue: above zero, or label +1; orange: below, or −1"],
  ];
}

export function table({ frames, layers }) {
  return [
    ["step", "loss", "loss_tangent", "kernel_distance", "gap", "accuracy", ...layers.map((name) => name.replace(" ", "_"))],
    ...frames.map((f) => [f.steps, f.loss, f.lossTwin, f.distance, f.gap, f.accuracy, ...f.moved]),
  ];
}
