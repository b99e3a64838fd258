// The front page: the hero, the thumbnails of the tour, and the buttons that copy.

import { run } from "../rooms/hero.js";
import { colorOf, line, put, startHero } from "./hero.js";
import { copy } from "./take.js";

// After the next picture of the browser: what is in the document already is shown first.
export const afterPaint = (then) => requestAnimationFrame(() => setTimeout(then));

// Start the front page that stands in the document; returns the hero.
export function startFront() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const done = await copy(document.getElementById(button.dataset.copy).textContent);
      button.textContent = done ? "Copied" : "Select it";
      setTimeout(() => (button.textContent = "Copy"), 1600);
    });
  }
  const hero = startHero();
  setTimeout(drawThumbnails, 150);
  return hero;
}

const stroke = (host, points, color, width, opacity = 1) =>
  put(host, "path", { d: line(points), fill: "none", stroke: color, "stroke-width": width, opacity, "stroke-linecap": "round" });

function drawThumbnails() {
  const [paths, modes, limits, relu, printed] = [1, 2, 3, 4, 5].map((n) => document.querySelector(`svg[data-chapter="${n}"]`));
  for (const delta of [8, 4, 2, 1, 0, -1, -2, -4, -8]) {
    const each = run(delta);
    stroke(paths, each.points.map(({ beta }) => [94 + beta[0] * 78, 96 - beta[1] * 80]), colorOf(each.regime), 1.8, 0.85);
  }
  put(paths, "circle", { cx: 55, cy: 96, r: 4, fill: "var(--ink)" });
  put(paths, "circle", { cx: 94, cy: 16, r: 4.5, fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 2 });
  drawModes(modes);
  drawLimits(limits);
  drawRelu(relu);
  drawPrinted(printed);
}

// Three modes of a two-layer network from a small balanced start, and the loss.
function drawModes(host) {
  const strengths = [4, 2.2, 1.2], times = Array.from({ length: 140 }, (_, i) => (i / 139) * 7);
  const mode = (s, t) => s / (1 + (s / 1e-5 - 1) * Math.exp(-2 * s * t)), whole = strengths.reduce((sum, s) => sum + s * s, 0);
  const left = (t) => Math.sqrt(strengths.reduce((sum, s) => sum + (s - mode(s, t)) ** 2, 0) / whole);
  strengths.forEach((s, i) => stroke(host, times.map((t) => [14 + t * 19, 96 - 18 * mode(s, t)]), "var(--rich)", 1.6, 0.75 - 0.15 * i));
  stroke(host, times.map((t) => [14 + t * 19, 96 - 80 * left(t)]), "var(--ink)", 2.4);
}

// The shortest and the sparsest solution of one equation.
function drawLimits(host) {
  const [x, y, unit] = [58, 80, 58], dot = { r: 4.5 };
  put(host, "path", { d: `M${x - 40} ${y}H146M${x} 14V102`, class: "grid" });
  put(host, "circle", { cx: x, cy: y, r: unit * 0.894, fill: "none", stroke: "var(--lazy)", "stroke-width": 1.8 });
  put(host, "path", { d: `M${x - unit} ${y}L${x} ${y - unit}L${x + unit} ${y}L${x} ${y + unit}Z`, fill: "none", stroke: "var(--rich)", "stroke-width": 1.8 });
  stroke(host, [[x - 46, y - unit - 23], [x + 100, y - unit + 50]], "var(--ink)", 2.2);
  put(host, "circle", { ...dot, cx: x + 0.4 * unit, cy: y - 0.8 * unit, fill: "var(--lazy)" });
  put(host, "circle", { ...dot, cx: x, cy: y - unit, fill: "var(--rich)" });
}

// A sketch: directions of ReLU units that turn to the task.
function drawRelu(host) {
  for (let i = 0; i < 9; i++) {
    const at = 0.35 + i * 0.33, goal = i % 2 ? 0.9 : 2.3, now = at + (goal - at) * 0.82;
    const end = (angle, sign) => [80 + sign * 62 * Math.cos(angle), 55 - sign * 46 * Math.sin(angle)];
    stroke(host, [end(at, -1), end(at, 1)], "var(--ghost)", 1.2);
    stroke(host, [[80, 55], end(now, 1)], i % 2 ? "var(--lazy)" : "var(--late)", 2);
  }
}

// The numbers of the third card.
function drawPrinted(host) {
  const numbers = Array.from(document.querySelectorAll(".vs b"), (node) => node.textContent), longest = Math.max(...numbers.map(Number));
  ["printed", "true", "observed"].forEach((name, i) => {
    const y = 24 + 34 * i, width = Math.max((128 * Number(numbers[i])) / longest, 5), inside = width > 80;
    put(host, "rect", { x: 16, y: y - 7, width, height: 14, rx: 3, fill: ["var(--late)", "var(--rich)", "var(--ink)"][i] });
    put(host, "text", { x: inside ? 22 : 28, y: y + 4, style: `fill: var(--${inside ? "on" : "ink"}); font: 600 11.5px Inter, sans-serif` }, `${name} ${numbers[i]}`);
  });
}
