// The views of room 2.

import { numbers } from "../rooms/modes.js";
import { KERNEL, LAZY, RICH, WORDS } from "../math/regime.js";
import { player, timeAt } from "./player.js";
import { axes, begin, colors, inside, legend, note, panel, polyline, pressed, short } from "./plot.js";

export const KNOBS = [
  ["The network", ["depth", "start", "lambda", "cosine"]],
  ["The target", ["modes", "s1", "s2", "s3", "s4"]],
  ["The view", ["cursor", "logtime"]],
];
export const TRY =
  "A deep linear network learns several modes. Decrease the start ε: the smooth descent turns into steps, one mode at a time, the " +
  "strongest first. Then increase the imbalance λ: the steps vanish.";
export const ABOUT =
  "A linear network W_L⋯W₁ learns the singular modes of its target. From a small start, it learns them one by one, with a plateau at one saddle after another (rich). " +
  "With large imbalance λ, it learns all at once, at the rates of its constant tangent kernel (lazy, dashed). " + KERNEL;

export function build(host, room) {
  const strengths = panel(host, "Strength of each mode", { wide: true, shape: 0.6 });
  const loss = panel(host, "Loss, with the levels of the saddles", { wide: true, shape: 0.6 });
  const logLoss = panel(host, "Loss, logarithmic", { wide: true, shape: 0.42 });
  const bars = panel(host, "When each mode is learned, from 10 % to 90 %", { wide: true, shape: 0.42 });
  let times = [0, 1, 1];
  const play = player(host, room, (state) => `t = ${short(timeAt(state.cursor, state.logtime, times[1], times[times.length - 1]))}`);
  for (const each of [strengths, loss, logLoss, bars]) pressed(each, (px) => room.change({ cursor: each.scale.share(px) }));
  const list = document.createElement("table");
  list.className = "plan wide";
  host.append(list);

  function draw(state) {
    const found = numbers(state), { plan } = found, c = colors();
    times = found.times;
    const end = times[times.length - 1];
    const x = { low: state.logtime ? times[1] : 0, high: end, log: Boolean(state.logtime), label: "time t" };
    const t = timeAt(state.cursor, state.logtime, times[1], end);
    const cursor = (ctx, scale) => polyline(ctx, scale, [t, t], [scale.low[1], scale.high[1]], { color: c.dim, width: 1, dash: [4, 3] });
    {
      const [ctx, width, height] = begin(strengths);
      const top = Math.max(...plan.map((row) => row.target), ...found.beta.flat()), low = Math.min(0, ...found.beta.flat());
      const scale = (strengths.scale = axes(ctx, width, height, { x, y: { low: low - 0.05 * top, high: top * 1.08 } }));
      inside(ctx, scale, () => {
        found.lazy.forEach((row, i) => polyline(ctx, scale, times, row, { color: c.modes[i], width: 1, dash: [5, 4] }));
        found.beta.forEach((row, i) => polyline(ctx, scale, times, row, { color: c.modes[i], width: 2.4 }));
        cursor(ctx, scale);
      });
      legend(ctx, [["the network", c.ink, 2.4], ["its tangent model (lazy)", c.ink, 1, [5, 4]]], scale.pad.left + 8, scale.pad.top + 10);
      found.beta.forEach((row, i) => note(ctx, `mode ${i + 1}`, width - scale.pad.right - 4, scale.y(row[row.length - 1]) - 8, c.modes[i], "right"));
    }
    for (const log of [false, true]) {
      const where = log ? logLoss : loss, [ctx, width, height] = begin(where);
      const top = found.loss[0] || 1, low = log ? Math.max(Math.min(...found.loss), top * 1e-4) : 0;
      const scale = (where.scale = axes(ctx, width, height, { x, y: log ? { low: low / 2, high: top * 2, log } : { low: -0.04 * top, high: 1.08 * top } }));
      inside(ctx, scale, () => {
        for (const row of plan) {
          if (row.plateau > low) polyline(ctx, scale, [scale.low[0], end], [row.plateau, row.plateau], { color: c.modes[row.mode], width: 1.2, dash: [2, 3] });
        }
        polyline(ctx, scale, times, found.lazyLoss, { color: c.dim, width: 1, dash: [5, 4] });
        polyline(ctx, scale, times, found.loss, { color: c.ink, width: 2.4 });
        cursor(ctx, scale);
      });
    }
    {
      const [ctx, width, height] = begin(bars);
      const scale = (bars.scale = axes(ctx, width, height, { x, y: { low: -0.6, high: plan.length - 0.4 } }));
      ctx.clearRect(0, 0, scale.pad.left - 1, height - scale.pad.bottom + 2);
      inside(ctx, scale, () => {
        plan.forEach((row, i) => {
          if (!Number.isFinite(row.time)) return;
          const at = plan.length - 1 - i, color = c.modes[row.mode];
          const from = Math.max(row.time - row.width / 2, scale.low[0]);
          polyline(ctx, scale, [from, row.time + row.width / 2], [at, at], { color, width: 9 });
          polyline(ctx, scale, [row.time, row.time], [at - 0.3, at + 0.3], { color: c.ink, width: 1.5 });
        });
        cursor(ctx, scale);
      });
      plan.forEach((row, i) => note(ctx, `mode ${row.mode + 1}`, scale.pad.left - 5, scale.y(plan.length - 1 - i), c.dim, "right"));
    }
    tell(list, plan);
    play.show(state);
    return { found, facts: facts(state, found, t) };
  }

  return { draw, panels: [strengths, loss, logLoss, bars] };
}

export function tell(list, plan, name = "mode") {
  const rows = [[name, "target", "learned at t", "width", "loss after it"]];
  for (const row of plan) rows.push([row.mode + 1, row.target, row.time, row.width, row.plateau].map((v, i) => (i ? short(v) : String(v))));
  list.replaceChildren(
    ...rows.map((cells, i) => {
      const line = document.createElement("tr");
      line.append(...cells.map((text) => Object.assign(document.createElement(i ? "td" : "th"), { textContent: text })));
      return line;
    }),
  );
}

function headline(found) {
  if (found.beta.length > 1) return WORDS[found.regime];
  return `one mode: its kernel is one number, which cannot rotate; it ${found.gap < LAZY.gap ? "follows" : "leaves"} its tangent model`;
}

function facts(state, found, t) {
  const never = found.plan.filter((row) => row.time === Infinity).length;
  const learned = found.plan.filter((row) => row.time < Infinity);
  const together = (row, i) => i > 0 && row.time - learned[i - 1].time <= 1e-6 * row.time;
  const order = learned.map((row, i) => `${i === 0 ? "" : together(row, i) ? " with " : ", then "}${row.mode + 1}`).join("");
  return [
    ["regime", headline(found)],
    ["kernel distance S", `at most ${short(Math.max(...found.distance))} (lazy below ${LAZY.distance}, rich above ${RICH})`],
    ["gap to the tangent model", `at most ${short(found.gap)} of the initial residual (lazy below ${LAZY.gap})`],
    ["order", order || "nothing is learned"],
    ...(never ? [["never learned", `${never}: opposed to the target and balanced, so they end in the saddle`]] : []),
    ["at the cursor", `t = ${short(t)}`],
    ["computed", state.depth > 2 ? "by the closed form of balanced, aligned layers" : "by the closed form"],
  ];
}

export function table(found) {
  const names = found.beta.map((_, i) => `mode${i + 1}`);
  return [["t", ...names, "loss", "loss_lazy"], ...found.times.map((t, i) => [t, ...found.beta.map((row) => row[i]), found.loss[i], found.lazyLoss[i]])];
}
