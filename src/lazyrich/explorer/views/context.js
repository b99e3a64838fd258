// The views of linear attention that learns in context.

import { numbers } from "../rooms/context.js";
import { tell } from "./modes.js";
import { player, timeAt } from "./player.js";
import { axes, begin, colors, inside, legend, note, panel, polyline, pressed, short } from "./plot.js";

export const KNOBS = [
  ["The network", ["heads", "start", "context"]],
  ["The inputs", ["inputs", "l1", "l2", "l3", "l4"]],
  ["The view", ["cursor", "logtime"]],
];
export const TRY =
  "Attention without softmax learns to do linear regression from a prompt. Merge key and query: the loss falls once. Separate them: it falls once for each " +
  "eigenvector of the inputs, the largest first, with plateaus in between.";
export const ABOUT =
  "A prompt has N pairs (x, w·x) with a w of its own, and a query. The mean loss over all prompts is known exactly, so no prompt is drawn here. A head with a value, a key and a " +
  "query is a product of three factors, which from a small start is learned suddenly, one eigenvector after another. With key and query merged it is a product of two, and all start to grow together.";
const NAMES = { separate: "separate heads", merged: "one merged head" };

export function build(host, room) {
  const loss = panel(host, "Loss over all prompts, with its plateaus", { full: true, shape: 0.36 });
  let times = [0, 1, 1];
  const play = player(host, room, (state) => `t = ${short(timeAt(state.cursor, state.logtime, times[1], times[times.length - 1]))}`);
  const entries = panel(host, "What is learned on each eigenvector, m", { wide: true, shape: 0.6 });
  const list = Object.assign(document.createElement("table"), { className: "plan wide" });
  host.append(list);
  for (const each of [loss, entries]) pressed(each, (px) => room.change({ cursor: Number(each.scale.share(px).toFixed(3)) }));

  function draw(state) {
    const found = numbers(state), c = colors(), other = state.heads === "separate" ? "merged" : "separate";
    times = found.times;
    const end = times[times.length - 1], t = timeAt(state.cursor, state.logtime, times[1], end);
    const x = { low: state.logtime ? times[1] : 0, high: end, log: Boolean(state.logtime), label: "time t" };
    const cursor = (ctx, scale) => polyline(ctx, scale, [t, t], [scale.low[1], scale.high[1]], { color: c.dim, width: 1, dash: [4, 3] });
    {
      const [ctx, width, height] = begin(loss), top = Math.max(...found.separate.loss);
      const scale = (loss.scale = axes(ctx, width, height, { x, y: { low: 0, high: 1.12 * top } }));
      inside(ctx, scale, () => {
        for (const row of found.plan) polyline(ctx, scale, [scale.low[0], end], [row.plateau, row.plateau], { color: c.modes[row.mode], width: 1.2, dash: [2, 3] });
        polyline(ctx, scale, times, found[other].loss, { color: c.dim, width: 1.3, dash: [7, 4] });
        polyline(ctx, scale, times, found[state.heads].loss, { color: c.ink, width: 2.6 });
        cursor(ctx, scale);
      });
      found.plan.forEach((row) => note(ctx, `after eigenvector ${row.mode + 1}`, scale.pad.left + 6, scale.y(row.plateau) - 7, c.dim));
      legend(ctx, [[NAMES[state.heads], c.ink, 2.6], [NAMES[other], c.dim, 1.3, [7, 4]]], width - scale.pad.right - 150, scale.pad.top + 12);
    }
    {
      const [ctx, width, height] = begin(entries), top = Math.max(...found.s, ...found.merged.m.flat());
      const scale = (entries.scale = axes(ctx, width, height, { x, y: { low: -0.03 * top, high: 1.12 * top } }));
      inside(ctx, scale, () => {
        found.s.forEach((target, i) => {
          polyline(ctx, scale, [scale.low[0], end], [target, target], { color: c.modes[i], width: 1, dash: [2, 3] });
          polyline(ctx, scale, times, found[state.heads].m[i], { color: c.modes[i], width: 2.4 });
        });
        cursor(ctx, scale);
      });
      found.s.forEach((target, i) => note(ctx, `eigenvector ${i + 1}`, scale.pad.left + 6, scale.y(target) - 8, c.modes[i]));
    }
    list.hidden = state.heads === "merged";
    tell(list, found.plan, "eigenvector");
    play.show(state);
    return { found, facts: facts(state, found, t) };
  }

  return { draw, panels: [loss, entries] };
}

function facts(state, found, t) {
  const last = found.plan[found.plan.length - 1];
  return [
    ["regime", state.heads === "separate"
      ? `separate heads: eigenvectors are learned one after another, the last at t = ${short(last.time)}`
      : "a merged head: all eigenvectors start to grow together, and the loss falls once"],
    ["left when all is learned", `${short(found.floor)} of ${short(found.separate.loss[0])}: prompts of ${state.context} pairs say no more`],
    ["ends at m", found.s.map(short).join(", ")],
    ["at the cursor", `t = ${short(t)}`],
    ["computed", state.heads === "separate" ? "by the closed form of modes of depth three" : "by integration: on unequal eigenvalues there is no closed form"],
  ];
}

export function table(found) {
  const names = (kind) => found.s.map((_, i) => `${kind}_m${i + 1}`);
  return [
    ["t", "loss_separate", ...names("separate"), "loss_merged", ...names("merged")],
    ...found.times.map((t, n) => [t, found.separate.loss[n], ...found.separate.m.map((row) => row[n]), found.merged.loss[n], ...found.merged.m.map((row) => row[n])]),
  ];
}
