// What is taken home: a picture, a table, a text.

import { colours } from "./plot.js";

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// All panels of a room on one sheet, two beside each other.
export function sheet(panels, title) {
  const shown = panels.filter((each) => !each.figure.hidden), gap = 20, head = 44, label = 22, width = 520;
  const canvas = document.createElement("canvas"), ctx = canvas.getContext("2d");
  const heights = shown.map(({ canvas: own }) => Math.round((width * own.height) / own.width) + label);
  const rows = [];
  for (let i = 0; i < shown.length; i += 2) rows.push(Math.max(heights[i], heights[i + 1] ?? 0));
  canvas.width = 2 * width + 3 * gap;
  canvas.height = head + rows.reduce((sum, v) => sum + v + gap, gap);
  const { paper, ink } = colours();
  ctx.fillStyle = paper;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.fillStyle = ink;
  ctx.font = "600 18px system-ui, sans-serif";
  ctx.fillText(title, gap, 30);
  ctx.font = "13px system-ui, sans-serif";
  let top = head;
  shown.forEach((each, i) => {
    const left = gap + (i % 2) * (width + gap);
    ctx.fillStyle = ink;
    ctx.fillText(each.caption.textContent, left, top + 14);
    ctx.drawImage(each.canvas, left, top + label, width, heights[i] - label);
    if (i % 2) top += rows[(i - 1) / 2] + gap;
  });
  return canvas;
}

export function savePicture(panels, title, name) {
  sheet(panels, title).toBlob((blob) => save(blob, `${name}.png`));
}

export const csvText = (rows) => rows.map((row) => row.map((v) => (typeof v === "number" ? String(v) : v)).join(",")).join("\n") + "\n";

export function saveTable(rows, name) {
  save(new Blob([csvText(rows)], { type: "text/csv" }), `${name}.csv`);
}

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
