// The phase plane of the ReLU tab: a map over tau and delta, with its color bar, and the function under the pointer.

import { contour } from "../math/contour.js";
import { LAZY, RICH } from "../math/regime.js";
import { learned, slice } from "../rooms/phase.js";
import { axes, begin, channels, colors, dotAt, inside, level, note, panel, pressed, short } from "./plot.js";

const BAR = 54; // the width of the color bar with its labels
const NAMES = { kernel_distance: "kernel distance S", hamming_distance: "Hamming distance", test_error: "test error" };
const RANGES = { kernel_distance: [1e-4, 0.5], hamming_distance: [1e-3, 0.5], test_error: [1e-5, 1] };

// Colors along the bar, as [share, color]: of S the colors of the regimes, otherwise from the paper to violet.
function stops(metric) {
  const c = colors(), [low, high] = RANGES[metric], place = (v) => Math.log(v / low) / Math.log(high / low);
  if (metric !== "kernel_distance") return [[0, c.card], [1, c.purple]];
  return [[0, c.blue], [0.7 * place(LAZY.distance), c.blue], [Math.sqrt(place(LAZY.distance) * place(RICH)), c.paper], [place(RICH) + 0.12, c.green], [1, c.green]];
}

function colorAt(list, share) {
  let n = 0;
  while (n < list.length - 2 && list[n + 1][0] <= share) n++;
  const [[a, from], [b, to]] = [list[n], list[n + 1]], part = Math.min(Math.max((share - a) / (b - a || 1), 0), 1);
  const [p, q] = [channels(from), channels(to)];
  return p.map((v, k) => Math.round(v + part * (q[k] - v)));
}

// Build the map; `choose(tau, delta, second)` is called on a click, `point(place)` when the pointer moves (null when it leaves).
export function phaseMap(host, choose, point) {
  const where = panel(host, "Click to choose τ and δ", { wide: true, shape: 0.62, about: "A map over τ and δ; click to choose the first student, shift-click to choose the second" });
  const at = (px, py) => [Number(Math.min(Math.max(where.scale.ofX(px), 0.1), 2).toPrecision(3)), Number(Math.min(Math.max(where.scale.ofY(py), -1), 1).toFixed(2))];
  pressed(where, (px, py, event) => choose(...at(px, py), event.shiftKey));
  where.canvas.addEventListener("pointermove", (event) => {
    const box = where.box.getBoundingClientRect();
    if (event.pointerType !== "touch") point(at(event.clientX - box.left, event.clientY - box.top));
  });
  where.canvas.addEventListener("pointerleave", () => point(null));
  const picture = document.createElement("canvas");
  let painted = "";

  function draw(state, table) {
    const c = colors(), [ctx, width, height] = begin(where), metric = state.map, [low, high] = RANGES[metric], list = stops(metric);
    const scale = (where.scale = axes(ctx, width - BAR, height, { x: { low: table.tau[0], high: table.tau.at(-1), log: true, label: "overall scale τ" }, y: { low: -1, high: 1 } }));
    const values = slice(table, metric, state.when), share = (v) => Math.log(Math.max(v, low) / low) / Math.log(high / low), columns = table.tau.length, rows = table.delta.length;
    const key = [metric, state.when, c.ink].join();
    if (key !== painted) {
      painted = key;
      [picture.width, picture.height] = [columns, rows];
      const pen = picture.getContext("2d"), pixels = pen.createImageData(columns, rows);
      values.forEach((row, j) => row.forEach((v, i) => pixels.data.set([...colorAt(list, share(v)), 255], 4 * ((rows - 1 - j) * columns + i))));
      pen.putImageData(pixels, 0, 0);
    }
    inside(ctx, scale, () => {
      // Grid points are on the edges of the frame: half a pixel of the picture hangs over on each side.
      const { pad, inner } = scale, dx = inner.w / (columns - 1), dy = inner.h / (rows - 1);
      ctx.drawImage(picture, pad.left - dx / 2, pad.top - dy / 2, inner.w + dx, inner.h + dy);
      if (metric !== "kernel_distance") return;
      ctx.strokeStyle = c.ink;
      ctx.lineWidth = 1;
      const logs = values.map((row) => row.map(Math.log));
      for (const limit of [LAZY.distance, RICH]) level(ctx, scale, contour(logs, Math.log(limit)), columns, rows);
    });
    const mark = (tau, delta, name, fill, ink) => {
      const px = scale.x(tau), py = scale.y(delta);
      dotAt(ctx, px, py, fill, 8, ink);
      note(ctx, name, px, py + 0.5, ink, "center");
    };
    if (state.second) mark(state.tau2, state.delta2, "2", c.ink, c.paper);
    mark(state.tau, state.delta, "1", c.paper, c.ink);
    note(ctx, "δ", 6, 14, c.dim);
    bar(ctx, width, scale, metric, list, [low, high]);
    where.caption.textContent = `Click to choose: ${NAMES[metric]} at t = ${short(state.when)}`;
    return ["the map", `${NAMES[metric]} at t = ${short(state.when)}, learned from infinitely many points`];
  }
  return { where, draw };
}

function bar(ctx, width, { pad, inner }, metric, list, [low, high]) {
  const c = colors(), left = width - BAR + 8, y = (v) => pad.top + inner.h * (1 - Math.log(v / low) / Math.log(high / low));
  for (let k = 0; k < inner.h; k++) {
    ctx.fillStyle = `rgb(${colorAt(list, 1 - k / inner.h).join()})`;
    ctx.fillRect(left, pad.top + k, 9, 1.5);
  }
  for (let n = Math.ceil(Math.log10(low)); 10 ** n <= high; n++) note(ctx, n < 0 ? `10⁻${"⁰¹²³⁴⁵"[-n]}` : "1", left + 13, y(10 ** n), c.dim);
  if (metric !== "kernel_distance") return;
  ctx.fillStyle = c.ink;
  for (const limit of [LAZY.distance, RICH]) ctx.fillRect(left - 3, y(limit) - 0.5, 15, 1);
  for (const [v, word] of [[10 ** -3.5, "lazy"], [0.3, "rich"]]) note(ctx, word, left + 13, y(v), c.ink);
}

// The function around the circle: `curves` are [name, color, [values at equal angles], dash].
export function drawAround(where, curves, data) {
  const c = colors(), [ctx, width, height] = begin(where), all = [...curves.flatMap((curve) => curve[2]), ...data.map((row) => row[1])];
  const top = Math.max(...all, 0.1), low = Math.min(...all, 0), room = 0.32 * (top - low);
  const scale = (where.scale = axes(ctx, width, height, { x: { low: 0, high: 360, label: "angle of x, °" }, y: { low: low - 0.06 * (top - low), high: top + room } }));
  inside(ctx, scale, () => {
    for (const [, color, values, dash = []] of curves) {
      ctx.strokeStyle = color;
      ctx.lineWidth = 2;
      ctx.setLineDash(dash);
      ctx.beginPath();
      for (let k = 0; k <= values.length; k++) ctx[k ? "lineTo" : "moveTo"](scale.x((360 * k) / values.length), scale.y(values[k % values.length]));
      ctx.stroke();
    }
    ctx.setLineDash([]);
    for (const [angle, y] of data) dotAt(ctx, scale.x(angle), scale.y(y), c.paper, 2.6, c.ink);
  });
  return [ctx, scale];
}
export const learnedAt = (table, [tau, delta], time) => learned(table, tau, delta, time);
