// Panels: a canvas with axes, lines, handles that can be dragged. All drawing goes through here.

let palette = null;
export const forgetColors = () => (palette = null);

// The colors of the style sheet, as they are in this light.
export function colors() {
  if (palette) return palette;
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  palette = Object.fromEntries(
    ["ink", "dim", "line", "paper", "card", "blue", "orange", "green", "purple", "sky", "tint", "tint2"].map((n) => [n, read(n)]),
  );
  palette.modes = [palette.blue, palette.orange, palette.green, palette.purple];
  return palette;
}

// Red, green and blue of a color like #2348c0.
export const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

// A figure with a title; `shape` is its height over its width.
export function panel(parent, title, { shape = 0.62, wide = false, third = false, tall = false, full = false, about = "" } = {}) {
  const figure = document.createElement("figure");
  figure.className = ["panel", wide && "wide", third && "third", tall && "tall", full && "full"].filter(Boolean).join(" ");
  const caption = document.createElement("figcaption");
  caption.textContent = title;
  const box = document.createElement("div");
  box.className = "box";
  box.style.aspectRatio = String(1 / shape);
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", about || title);
  box.append(canvas);
  figure.append(caption, box);
  parent.append(figure);
  const made = { figure, box, canvas, title, caption, handles: [], scale: null, size: null };
  sizes.set(box, made);
  resized.observe(box);
  return made;
}

// The size of a panel is asked of the page once, and again when it has changed: to ask in the middle of a repaint makes the
// browser lay out the page for each panel.
const sizes = new WeakMap();
let told = () => {};
const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) sizes.get(target).size = null;
  told();
});
export const whenResized = (then) => (told = then);
// All is drawn this much larger, for an audience; sizes and places of a panel are in the units of the drawing.
let factor = 1;
export const enlarge = (by) => (factor = by);
export const sizeOf = (where) => {
  where.size ??= [where.box.clientWidth, where.box.clientHeight];
  return where.size.map((length) => Math.max(length, 40) / factor);
};

// Clear the canvas at the size that it has on the page: [context, width, height] in CSS pixels.
export function begin(where) {
  const { canvas } = where, [width, height] = sizeOf(where);
  const dense = Math.min(window.devicePixelRatio || 1, 2) * factor;
  if (canvas.width !== Math.round(width * dense) || canvas.height !== Math.round(height * dense)) {
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round(height * dense);
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(dense, 0, 0, dense, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = "11.5px Inter, system-ui, sans-serif";
  ctx.lineJoin = "round";
  return [ctx, width, height];
}

const DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = (n) => (n < 0 ? "⁻" : "") + String(Math.abs(n)).replace(/\d/g, (d) => DIGITS[d]);

// Text into an element, with what follows "_" set below the line: a letter, or all in braces.
export function write(element, text) {
  const parts = String(text).replace(/_(\w)/g, "_{$1}").split(/_\{([^}]*)\}/);
  element.replaceChildren(...parts.map((part, i) => (i % 2 ? Object.assign(document.createElement("sub"), { textContent: part }) : part)));
}

export function short(x) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(3)));
  return text.replace(/e\+?(-?\d+)$/, (_, n) => `·10${raised(Number(n))}`).replace("-", "−");
}

// Coordinates in brackets; what is rounding beside the largest is zero.
export function vector(v) {
  const top = Math.max(...v.map(Math.abs));
  return `(${v.map((x) => short(Math.abs(x) < 1e-12 * top ? 0 : x)).join(", ")})`;
}

function ticks(low, high, log, most) {
  if (log) {
    const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    const found = [];
    for (let n = first; n <= last; n += step) found.push([10 ** n, `10${raised(n)}`]);
    return found;
  }
  const rough = (high - low) / most, unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((m) => m * unit >= rough * 0.999);
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n++) {
    found.push([n * step, short(Number((n * step).toPrecision(6)))]);
  }
  return found;
}

// Draw axes and return the scale: x and y to pixels, and back.
export function axes(ctx, width, height, { x, y, equal = false }) {
  const pad = { left: 46, right: 10, top: 8, bottom: x.label ? 32 : 20 };
  const inner = { w: width - pad.left - pad.right, h: height - pad.top - pad.bottom };
  if (equal) {
    // One unit is as long across as up: the larger side sees more.
    const middle = (x.low + x.high) / 2, per = (y.high - y.low) / inner.h;
    x = { ...x, low: middle - (per * inner.w) / 2, high: middle + (per * inner.w) / 2 };
  }
  const along = (axis, size) => {
    const f = axis.log ? Math.log10 : (v) => v;
    const low = f(axis.low), range = f(axis.high) - low || 1;
    return {
      to: (v) => ((axis.log && v <= 0 ? low - range : f(v)) - low) / range * size,
      from: (p) => (axis.log ? 10 ** (low + (p / size) * range) : low + (p / size) * range),
    };
  };
  const across = along(x, inner.w), up = along(y, inner.h);
  const scale = {
    x: (v) => pad.left + across.to(v),
    y: (v) => pad.top + inner.h - up.to(v),
    ofX: (p) => across.from(p - pad.left),
    ofY: (p) => up.from(pad.top + inner.h - p),
    share: (p) => Math.min(Math.max((p - pad.left) / inner.w, 0), 1),
    low: [x.low, y.low],
    high: [x.high, y.high],
    pad,
    inner,
  };
  backdrop(ctx, width, height, JSON.stringify([x, y]), (pen) => drawAxes(pen, height, scale, x, y));
  return scale;
}

// What stays the same from one repaint to the next is drawn once and kept as a picture; `key` says what it shows.
const kept = new WeakMap();
function backdrop(ctx, width, height, key, draw) {
  const { canvas } = ctx, full = [key, canvas.width, canvas.height, colors().ink].join(), last = kept.get(canvas);
  if (last?.picture && last.full === full) return void ctx.drawImage(last.picture, 0, 0, width, height);
  if (last?.full !== full) {
    kept.set(canvas, { full });
    return void draw(ctx);
  }
  const picture = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const pen = picture.getContext("2d");
  pen.scale(canvas.width / width, canvas.height / height);
  pen.font = ctx.font;
  draw(pen);
  kept.set(canvas, { full, picture });
  ctx.drawImage(picture, 0, 0, width, height);
}

function drawAxes(ctx, height, scale, x, y) {
  const { line, dim } = colors(), { pad, inner } = scale;
  ctx.strokeStyle = line;
  ctx.fillStyle = dim;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  for (const [v, text] of ticks(x.low, x.high, x.log, Math.max(3, Math.floor(inner.w / 70)))) {
    const p = Math.round(scale.x(v)) + 0.5;
    ctx.moveTo(p, pad.top);
    ctx.lineTo(p, pad.top + inner.h);
    ctx.fillText(text, p, pad.top + inner.h + 5);
  }
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const [v, text] of ticks(y.low, y.high, y.log, Math.max(3, Math.floor(inner.h / 34)))) {
    const p = Math.round(scale.y(v)) + 0.5;
    ctx.moveTo(pad.left, p);
    ctx.lineTo(pad.left + inner.w, p);
    ctx.fillText(text, pad.left - 5, p);
  }
  ctx.stroke();
  if (x.label) {
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    ctx.fillText(x.label, pad.left + inner.w / 2, height - 1);
  }
}

export function inside(ctx, scale, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(scale.pad.left, scale.pad.top, scale.inner.w, scale.inner.h);
  ctx.clip();
  draw();
  ctx.restore();
}

export function polyline(ctx, scale, xs, ys, { color, width = 1.8, dash = [] } = {}) {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.beginPath();
  let drawing = false;
  for (let i = 0; i < xs.length; i++) {
    const fine = Number.isFinite(xs[i]) && Number.isFinite(ys[i]);
    if (fine) ctx[drawing ? "lineTo" : "moveTo"](scale.x(xs[i]), scale.y(ys[i]));
    drawing = fine;
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

// A level line of values on a grid that fills the frame: segments in units of cells, as `contour` gives them.
export function level(ctx, { pad, inner }, segments, columns, rows) {
  const sx = inner.w / (columns - 1), sy = inner.h / (rows - 1), bottom = pad.top + inner.h;
  ctx.beginPath();
  for (let n = 0; n < segments.length; n += 4) {
    ctx.moveTo(pad.left + sx * segments[n], bottom - sy * segments[n + 1]);
    ctx.lineTo(pad.left + sx * segments[n + 2], bottom - sy * segments[n + 3]);
  }
  ctx.stroke();
}

export function dotAt(ctx, px, py, color, radius = 4, ring = null) {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(px, py, radius, 0, 7);
  ctx.fill();
  if (ring) {
    ctx.strokeStyle = ring;
    ctx.lineWidth = 1.5;
    ctx.stroke();
  }
}

export function star(ctx, px, py, color, radius = 8) {
  ctx.fillStyle = color;
  ctx.beginPath();
  for (let i = 0; i < 10; i++) {
    const r = i % 2 ? radius * 0.42 : radius, t = (Math.PI * i) / 5 - Math.PI / 2;
    ctx[i ? "lineTo" : "moveTo"](px + r * Math.cos(t), py + r * Math.sin(t));
  }
  ctx.closePath();
  ctx.fill();
}

export function note(ctx, text, px, py, color, align = "left") {
  ctx.fillStyle = color;
  ctx.textAlign = align;
  ctx.textBaseline = "middle";
  ctx.fillText(text, px, py);
}

// Rows of [text, color, width, dash]: a piece of the line, and what it is, in the color of text.
export function legend(ctx, rows, px, py) {
  const wide = Math.max(...rows.map(([text]) => ctx.measureText(text).width));
  ctx.save();
  ctx.globalAlpha = 0.8; // words stay readable over lines
  ctx.fillStyle = colors().paper;
  ctx.fillRect(px - 3, py - 8, wide + 29, 15 * rows.length + 1);
  ctx.restore();
  rows.forEach(([text, color, width, dash = []], i) => {
    const y = py + 15 * i;
    ctx.strokeStyle = color;
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.beginPath();
    ctx.moveTo(px, y);
    ctx.lineTo(px + 16, y);
    ctx.stroke();
    if (width > 6) {
      // A piece of an area, which may be nearly as pale as the paper: with its outline.
      ctx.strokeStyle = colors().dim;
      ctx.lineWidth = 0.8;
      ctx.strokeRect(px, y - width / 2, 16, width);
    }
    note(ctx, text, px + 22, y, colors().ink);
  });
  ctx.setLineDash([]);
}

// A word beside a point of the plane, on the side where there is room.
export function tag(ctx, scale, text, [x, y], color) {
  const px = scale.x(x), py = scale.y(y), right = px + 12 + ctx.measureText(text).width < scale.pad.left + scale.inner.w;
  note(ctx, text, px + (right ? 12 : -12), py - 11, color, right ? "left" : "right");
}

// A point that can be dragged, or moved by the arrow keys: a button over the canvas.
export function handle(where, { label, color, move, step = 0.05, small = false }) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = small ? "handle small" : "handle";
  button.style.setProperty("--own", color ?? "var(--ink)");
  where.box.append(button);
  const own = { button, at: [0, 0] };
  let placed = "";
  const place = () => {
    const [px, py] = [where.scale.x(own.at[0]), where.scale.y(own.at[1])];
    const [width, height] = sizeOf(where), out = px < 0 || py < 0 || px > width || py > height;
    const now = [px, py, out, factor, ...own.at].join();
    if (now === placed) return;
    placed = now;
    button.style.transform = `translate(${px * factor}px, ${py * factor}px)`;
    button.style.visibility = out ? "hidden" : "visible";
    button.setAttribute("aria-label", `${label}, at ${short(own.at[0])}, ${short(own.at[1])}. Drag it, or use the arrow keys`);
  };
  own.show = (at) => {
    own.at = at;
    place();
  };
  let grip = null;
  button.addEventListener("pointerdown", (event) => {
    button.setPointerCapture(event.pointerId);
    const box = where.box.getBoundingClientRect();
    grip = [(event.clientX - box.left) / factor - where.scale.x(own.at[0]), (event.clientY - box.top) / factor - where.scale.y(own.at[1])];
    event.preventDefault();
    button.focus();
  });
  button.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const box = where.box.getBoundingClientRect();
    const x = where.scale.ofX((event.clientX - box.left) / factor - grip[0]), y = where.scale.ofY((event.clientY - box.top) / factor - grip[1]);
    move(round(x), round(y));
  });
  for (const name of ["pointerup", "pointercancel"]) button.addEventListener(name, () => (grip = null));
  button.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by) return;
    event.preventDefault();
    const size = event.shiftKey ? 5 * step : step;
    move(round(own.at[0] + by[0] * size), round(own.at[1] + by[1] * size));
  });
  where.handles.push(own);
  return own;
}

const round = (x) => Number(x.toFixed(3));

// Where the pointer is pressed or dragged on a panel, as pixels in its box. A finger that goes up or down scrolls the page,
// unless the panel needs it (`touch` is "none").
export function pressed(where, then, touch = "pan-y") {
  let down = false;
  const tell = (event) => {
    const box = where.box.getBoundingClientRect();
    then((event.clientX - box.left) / factor, (event.clientY - box.top) / factor, event);
  };
  where.canvas.style.touchAction = touch;
  where.canvas.addEventListener("pointerdown", (event) => {
    down = true;
    where.canvas.setPointerCapture(event.pointerId);
    tell(event);
  });
  where.canvas.addEventListener("pointermove", (event) => down && tell(event));
  for (const name of ["pointerup", "pointercancel"]) where.canvas.addEventListener(name, () => (down = false));
}
