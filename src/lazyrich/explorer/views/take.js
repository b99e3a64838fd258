// What is taken home: a picture, a table, a text.

import { encodeGif } from "../math/gif.js";
import { colors } from "./plot.js";

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// All panels of a room on one sheet, each as large as it is on the page, in rows of one width.
export function sheet(panels, title) {
  const shown = panels.filter((each) => !each.figure.hidden), gap = 20, head = 44, label = 22;
  const most = Math.max(...shown.map(({ canvas: own }) => own.width)) * 2 + 3 * gap;
  const places = [];
  let left = gap, top = head, tallest = 0;
  for (const { canvas: own } of shown) {
    if (left > gap && left + own.width > gap + most) {
      [left, top, tallest] = [gap, top + tallest + gap, 0];
    }
    places.push([left, top]);
    left += own.width + gap;
    tallest = Math.max(tallest, own.height + label);
  }
  const canvas = document.createElement("canvas"), ctx = canvas.getContext("2d"), { paper, ink } = colors();
  canvas.width = most + 2 * gap;
  canvas.height = top + tallest + gap;
  ctx.fillStyle = paper;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.fillStyle = ink;
  ctx.font = "600 18px Inter, system-ui, sans-serif";
  ctx.fillText(title, gap, 30);
  ctx.font = "13px Inter, system-ui, sans-serif";
  shown.forEach(({ canvas: own, caption }, i) => {
    const [x, y] = places[i];
    ctx.fillText(caption.textContent, x, y + 14);
    ctx.drawImage(own, x, y + label);
  });
  return canvas;
}

export function savePicture(panels, title, name) {
  sheet(panels, title).toBlob((blob) => save(blob, `${name}.png`));
}

// Motion as an animated GIF: `at(share)` draws the panels at a share of the way.
const FRAMES = 40, WIDEST = 760;
export async function saveMotion(panels, title, name, at) {
  const frames = [], small = document.createElement("canvas"), pen = small.getContext("2d", { willReadFrequently: true });
  for (let n = 0; n < FRAMES; n++) {
    at(n / (FRAMES - 1));
    const whole = sheet(panels, title);
    if (!n) {
      small.width = Math.min(whole.width, WIDEST);
      small.height = Math.round((whole.height * small.width) / whole.width);
    }
    pen.drawImage(whole, 0, 0, small.width, small.height);
    frames.push(pen.getImageData(0, 0, small.width, small.height).data);
    await new Promise((then) => setTimeout(then)); // the page stays alive
  }
  save(new Blob([encodeGif(frames, small.width, small.height)], { type: "image/gif" }), `${name}.gif`);
}

export const csvText = (rows) => rows.map((row) => row.map((v) => (typeof v === "number" ? String(v) : v)).join(",")).join("\n") + "\n";

export function saveTable(rows, name) {
  save(new Blob([csvText(rows)], { type: "text/csv" }), `${name}.csv`);
}

// The lines that show the page, as it is, inside of another.
export const embedText = (page, hash, title) =>
  `<iframe src="${page}?embed${hash.replaceAll("&", "&amp;")}" title="lazyrich: ${title}" loading="lazy" style="width: 100%; height: 620px; border: 0"></iframe>`;

// Into the clipboard; where that is not allowed, by way of a selection.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.setAttribute("aria-label", "Text to copy");
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
