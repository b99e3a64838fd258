// The widget of the front page: one neuron, one slider, three buttons, and a tour of eight seconds.

import { FIRST, FROM, LAST, TO, eigen, run, size } from "../rooms/hero.js";

const COLOR = { lazy: "var(--lazy)", rich: "var(--rich)", "delayed rich": "var(--late)", "in between": "var(--mid)" };
const DECADES = 1.15; // of time, per second of the tour
const LIMITS = [0.01, 0.05].map((S) => Math.acos(1 - S)); // lazy and rich, as angles
const SAY = {
  lazy: (r) => ["Lazy", `The kernel stands still (S = ${r.top.toFixed(3)}): the function goes straight to its target, the features stay.`],
  "in between": (r) => ["Between lazy and rich", `The kernel turns, but little (S = ${r.top.toFixed(2)}).`],
  rich: (r) => ["Rich", `The kernel turns (S = ${r.top.toFixed(2)}) while the loss falls: features are learned with the task.`],
  "delayed rich": (r) => [
    "Delayed rich",
    `The loss first falls by ${Math.round(100 * (1 - r.fitted.loss))} % while the kernel hardly turns (S = ${r.fitted.S.toFixed(3)}). Later it turns (S = ${r.top.toFixed(2)}), and the rest follows.`,
  ],
};
const get = (id) => document.getElementById(`hero-${id}`);
const set = (node, attributes) => Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
const quiet = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const distance = (p, q) => Math.hypot(p.beta[0] - q.beta[0], p.beta[1] - q.beta[1]);
const share = (t) => Math.log(Math.max(t, FIRST) / FIRST) / Math.log(LAST / FIRST);

export function put(parent, tag, attributes = {}, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(node, attributes);
  if (text) node.textContent = text;
  parent.append(node);
  return node;
}
export const line = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
export const colorOf = (word) => COLOR[word];

// The ellipse of a kernel: the velocities that gradients of length one give, in units of its size.
function ellipse(node, K, x, y, radius) {
  const [large, small, angle] = eigen(K), unit = radius / size(K);
  set(node, {
    cx: x, cy: y, rx: Math.max(large * unit, 1), ry: Math.max(small * unit, 1),
    transform: `rotate(${((-angle * 180) / Math.PI).toFixed(2)} ${x.toFixed(1)} ${y.toFixed(1)})`,
  });
}

export function startHero() {
  const references = [4, 0, -4].map(run), plane = get("plane"), curves = get("curves");
  let now = references[0], time = Infinity, playing = false, queue = [], shown = [true, true, true], pause = 0, stamp = 0, word = "", parts = {};

  // Everything is laid out in the pixels of the page, so that text keeps its size at every width.
  function layOut() {
    if (!plane.clientWidth) return;
    parts = { ...layOutPlane(), ...layOutKernel(), ...layOutDial() };
    parts.boxes = layOutCurves(parts.height);
    showReferences();
    draw();
  }

  function layOutPlane() {
    const width = plane.clientWidth, height = Math.round(width * 0.88), unit = height / 1.35;
    const x = (v) => width / 2 + (v + 0.22) * unit, y = (v) => height - (v + 0.15) * unit;
    plane.replaceChildren();
    plane.setAttribute("viewBox", `0 0 ${width} ${height}`);
    put(put(plane, "clipPath", { id: "hero-clip" }), "rect", { width, height, rx: 10 });
    for (const r of [0.25, 0.5, 0.75, 1, 1.25]) put(plane, "circle", { class: "grid", cx: x(TO[0]), cy: y(TO[1]), r: r * unit, "clip-path": "url(#hero-clip)" });
    put(plane, "text", { class: "small", x: x(-0.735), y: y(1.02) }, "equal loss");
    const traces = references.map((each) => put(plane, "path", { class: "ref", stroke: COLOR[each.regime], d: line(each.points.map(({ beta }) => [x(beta[0]), y(beta[1])])) }));
    const made = { stamps: put(plane, "g"), ahead: put(plane, "path", { class: "rest" }), path: put(plane, "path", { class: "cur" }), origin: put(plane, "ellipse", { class: "ell0" }) };
    put(plane, "circle", { cx: x(TO[0]), cy: y(TO[1]), r: 8, fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 2 });
    put(plane, "circle", { cx: x(TO[0]), cy: y(TO[1]), r: 3, fill: "var(--ink)" });
    put(plane, "circle", { cx: x(FROM[0]), cy: y(FROM[1]), r: 5.5, fill: "var(--ink)" });
    put(plane, "text", { class: "strong", x: x(0.125) + 6, y: y(1) + 4 }, "target");
    put(plane, "text", { class: "strong", x: x(-0.665) - 9, y: y(0) + 4, "text-anchor": "end" }, "start");
    return { height, x, y, reach: unit * 0.165, traces, ...made, here: put(plane, "ellipse", { class: "ell" }), spot: put(plane, "circle", { class: "spot", r: 6 }) };
  }

  function layOutKernel() {
    const host = get("kernel"), width = host.clientWidth, height = Math.min(Math.round(width * 0.86), 196), middle = (height - 20) / 2;
    host.replaceChildren();
    host.setAttribute("viewBox", `0 0 ${width} ${height}`);
    put(host, "path", { class: "grid", d: `M${width / 2 - middle} ${middle}H${width / 2 + middle}M${width / 2} 0V${2 * middle}` });
    const first = put(host, "ellipse", { class: "ell0" }), turned = put(host, "ellipse", { class: "ell" });
    put(host, "text", { x: width / 2, y: height - 2, "text-anchor": "middle" }, "gray: at the start");
    return { first, turned, kernel: [width / 2, middle, Math.min(middle, width / 2) - 4] };
  }

  // S is the angle between the kernel and its start; the arcs are the limits of lazy and rich.
  function layOutDial() {
    const host = get("dial"), width = Math.max(host.clientWidth, 60), radius = Math.min(width - 40, 104), left = 6, bottom = radius + 8;
    const at = (r, angle) => `${(left + r * Math.cos(angle)).toFixed(2)} ${(bottom - r * Math.sin(angle)).toFixed(2)}`;
    host.replaceChildren();
    host.setAttribute("viewBox", `0 0 ${width} ${radius + 16}`);
    const ring = (from, to, fill) => put(host, "path", { d: `M${at(radius, from)}A${radius} ${radius} 0 0 0 ${at(radius, to)}L${at(radius - 9, to)}A${radius - 9} ${radius - 9} 0 0 1 ${at(radius - 9, from)}Z`, fill });
    ring(0, LIMITS[0] - 0.015, "var(--lazy)");
    ring(LIMITS[0] + 0.015, LIMITS[1] - 0.015, "var(--ghost)");
    ring(LIMITS[1] + 0.015, Math.PI / 2, "var(--rich)");
    put(host, "path", { d: `M${left} ${bottom}H${left + radius - 13}`, stroke: "var(--edge)", "stroke-width": 1.5, "stroke-dasharray": "4 4" });
    const fan = put(host, "path", { fill: "color-mix(in srgb, var(--c) 16%, transparent)" });
    const arm = put(host, "path", { stroke: "var(--c)", "stroke-width": 3, "stroke-linecap": "round" });
    const theta = put(host, "text", { class: "m", "text-anchor": "middle" }, "θ");
    put(host, "text", { class: "small", x: left + (radius + 6) * Math.cos(0.8), y: bottom - (radius + 6) * Math.sin(0.8) }, "rich");
    put(host, "text", { class: "small", x: left + radius + 6, y: bottom }, "lazy");
    return { fan, arm, theta, dial: { at, radius, left, bottom } };
  }

  // Loss and S are linear, on one logarithmic axis of time: so the first fall of the loss and the late turn are both visible.
  function layOutCurves(planeHeight) {
    const width = curves.clientWidth, wide = width > 560, height = wide ? 220 : Math.max(300, width > 340 ? planeHeight + 44 : 0);
    const places = wide
      ? [[30, 28, width / 2 - 78, height - 60], [width / 2 + 34, 28, width / 2 - 78, height - 60]]
      : [[30, 28, width - 72, height / 2 - 58], [30, height / 2 + 26, width - 72, height / 2 - 58]];
    curves.replaceChildren();
    curves.setAttribute("viewBox", `0 0 ${width} ${height}`);
    return places.map(([left, top, w, h], i) => {
      const x = (t) => left + w * share(t), y = (v) => top + h * (1 - v), labels = i === 1 || wide, value = (p) => (i ? p.S : p.loss);
      put(curves, "text", { x: left - 2, y: top - 13, class: "strong", style: "font-size: 14px" }, i ? "Kernel distance" : "Loss");
      if (i) put(curves, "text", { x: left + 114, y: top - 13, class: "m" }, "S");
      for (const v of [0, 0.5, 1]) {
        put(curves, "path", { class: "grid", d: `M${left} ${y(v)}h${w}` });
        put(curves, "text", { x: left - 7, y: y(v) + 4, "text-anchor": "end" }, String(v));
      }
      for (const t of [0.01, 0.1, 1, 10]) {
        put(curves, "path", { class: "grid", d: `M${x(t)} ${top}v${h + 5}` });
        if (labels) put(curves, "text", { x: x(t), y: top + h + 19, "text-anchor": "middle" }, String(t));
      }
      if (labels) put(curves, "text", { x: left + w + 42, y: top + h + 19, "text-anchor": "end" }, "log time");
      const place = (p) => [x(p.t), y(value(p))];
      const traces = references.map((each) => put(curves, "path", { class: "ref", stroke: COLOR[each.regime], d: line(each.points.filter((p) => p.t >= FIRST).map(place)) }));
      const tops = i ? references.map((each, j) => put(curves, "text", { x: left + w + 6, y: y(each.top) + (j ? 4 : -1), style: `fill: ${COLOR[each.regime]}; font-weight: 600` }, each.top.toFixed(2))) : [];
      return {
        left, right: left + w, top, h, x, place, traces, tops,
        ahead: put(curves, "path", { class: "rest" }), path: put(curves, "path", { class: "cur" }),
        cursor: put(curves, "path", { stroke: "var(--edge)", "stroke-width": 1 }), spot: put(curves, "circle", { class: "spot", r: 5.5 }),
      };
    });
  }

  function showReferences() {
    const all = [parts.traces, ...parts.boxes.flatMap((box) => [box.traces, box.tops])];
    for (const group of all) group.forEach((node, i) => (node.style.opacity = shown[i] ? "" : "0"));
  }

  function draw() {
    if (!parts.boxes) return;
    const t = Math.min(time, LAST), here = now.state(t), done = now.points.filter((p) => p.t < t), left = now.points.filter((p) => p.t > t);
    const place = ({ beta }) => [parts.x(beta[0]), parts.y(beta[1])], [x, y] = place(here);
    parts.path.setAttribute("d", line([...done, here].map(place)));
    parts.ahead.setAttribute("d", time < LAST ? line([here, ...left].map(place)) : "");
    set(parts.spot, { cx: x, cy: y });
    parts.spot.style.display = time < now.end ? "" : "none";
    ellipse(parts.here, here.K, x, y, parts.reach);
    ellipse(parts.origin, now.K0, parts.x(FROM[0]), parts.y(FROM[1]), parts.reach);
    drawStamps(done, here, place);
    ellipse(parts.first, now.K0, ...parts.kernel);
    ellipse(parts.turned, here.K, ...parts.kernel);
    drawDial(Math.acos(1 - here.S));
    get("S").textContent = here.S.toFixed(here.S < 0.0995 ? 3 : 2);
    const moment = { ...here, t: Math.max(t, FIRST) };
    for (const box of parts.boxes) {
      const [px, py] = box.place(moment);
      box.path.setAttribute("d", line([...done.filter((p) => p.t >= FIRST), moment].map(box.place)));
      box.ahead.setAttribute("d", time < LAST ? line([moment, ...left.filter((p) => p.t > FIRST)].map(box.place)) : "");
      box.cursor.setAttribute("d", time < LAST ? `M${px} ${box.top - 4}v${box.h + 8}` : "");
      set(box.spot, { cx: px, cy: py });
    }
    set(curves, { "aria-valuenow": Math.round(100 * share(t)), "aria-valuetext": `time ${t.toPrecision(2)}, loss ${Math.round(100 * here.loss)} percent, S ${here.S.toFixed(3)}` });
  }

  // The kernel, drawn along the path at equal lengths.
  function drawStamps(done, here, place) {
    let length = 0, count = 0;
    for (let i = 1; i < done.length; i++) {
      length += distance(done[i], done[i - 1]);
      if (length < 0.21 || distance(done[i], here) < 0.1) continue;
      ellipse(parts.stamps.children[count] ?? put(parts.stamps, "ellipse", { class: "stamp" }), done[i].K, ...place(done[i]), parts.reach * 0.62);
      length = 0;
      count++;
    }
    while (parts.stamps.children.length > count) parts.stamps.lastChild.remove();
  }

  function drawDial(angle) {
    const { at, radius, left, bottom } = parts.dial, inner = radius * 0.55;
    parts.arm.setAttribute("d", `M${left} ${bottom}L${at(radius - 12, angle)}`);
    parts.fan.setAttribute("d", angle > 0.01 ? `M${left} ${bottom}L${at(inner, 0)}A${inner} ${inner} 0 0 0 ${at(inner, angle)}Z` : "");
    set(parts.theta, { opacity: angle > 0.4 ? 1 : 0, x: left + radius * 0.37 * Math.cos(angle / 2), y: bottom - radius * 0.37 * Math.sin(angle / 2) + 5 });
  }

  function choose(delta) {
    now = references.find((each) => each.delta === delta) ?? run(delta);
    const [name, why] = SAY[now.regime](now), { a, w } = now.from, first = Math.hypot(...w);
    document.getElementById("hero").dataset.word = now.regime;
    if (word !== name) get("word").textContent = word = name;
    get("why").replaceChildren(...why.split("S =").flatMap((part, i) => (i ? [Object.assign(document.createElement("i"), { textContent: "S" }), ` =${part}`] : [part])));
    get("delta").value = -delta; // from upstream to downstream, as the buttons stand
    get("delta").setAttribute("aria-valuetext", `delta ${delta.toFixed(1)}, ${name}`);
    get("value").replaceChildren(Object.assign(document.createElement("i"), { textContent: "δ" }), ` = ${delta.toFixed(1).replace("-", "−")}`);
    get("first").setAttribute("stroke-width", (1 + 3.4 * first).toFixed(2));
    get("last").setAttribute("stroke-width", (1 + 3.4 * a).toFixed(2));
    get("w").textContent = `first ${first.toFixed(2)}`;
    get("a").textContent = `last ${a.toFixed(2)}`;
    for (const button of document.querySelectorAll("#hero .pick")) button.setAttribute("aria-pressed", String(Number(button.dataset.delta) === delta));
  }

  function showButton() {
    const button = get("play");
    button.querySelector("em").textContent = playing ? "Pause" : "Play";
    button.querySelector("path").setAttribute("d", playing ? "M3 1.5h3.6v13H3zM9.4 1.5H13v13H9.4z" : "M3 1.5v13l11-6.5z");
  }
  function stop() {
    playing = false;
    showButton();
  }
  function play() {
    if (time >= now.end) time = 0;
    playing = true;
    stamp = 0;
    showButton();
    requestAnimationFrame(step);
  }
  function step(when) {
    if (!playing) return;
    const passed = stamp ? Math.min(when - stamp, 60) / 1000 : 0;
    stamp = when;
    if (pause > 0) {
      pause -= passed;
      if (pause <= 0) {
        choose(queue.shift());
        time = 0;
      }
    } else advance(passed);
    draw();
    if (playing) requestAnimationFrame(step);
  }
  function advance(passed) {
    time = Math.max(time, FIRST) * 10 ** (DECADES * passed);
    if (time < now.end) return;
    time = Infinity;
    const at = references.indexOf(now);
    if (at >= 0) shown[at] = true;
    showReferences();
    if (queue.length) pause = 0.35;
    else stop();
  }
  // The reader has taken over: no tour any more.
  function take() {
    queue = [];
    pause = 0;
    shown = [true, true, true];
    if (parts.boxes) showReferences();
  }

  get("play").addEventListener("click", () => (playing ? stop() : play()));
  for (const button of document.querySelectorAll("#hero .pick")) {
    button.addEventListener("click", () => {
      take();
      choose(Number(button.dataset.delta));
      time = quiet() ? Infinity : 0;
      if (quiet()) stop();
      else if (!playing) play();
      draw();
    });
  }
  get("delta").addEventListener("input", (event) => {
    take();
    stop();
    time = Infinity;
    choose(-event.target.value || 0);
    draw();
  });
  const scrub = (event) => {
    const x = event.clientX - curves.getBoundingClientRect().left, box = parts.boxes.find((each) => x >= each.left - 20 && x <= each.right + 20) ?? parts.boxes[0];
    go(FIRST * (LAST / FIRST) ** Math.min(1, Math.max(0, (x - box.left) / (box.right - box.left))));
  };
  const go = (t) => {
    take();
    stop();
    time = t;
    draw();
  };
  curves.addEventListener("pointerdown", (event) => {
    curves.setPointerCapture(event.pointerId);
    scrub(event);
  });
  curves.addEventListener("pointermove", (event) => event.buttons && scrub(event));
  curves.addEventListener("keydown", (event) => {
    const factor = { ArrowRight: 1.06, ArrowUp: 1.06, ArrowLeft: 1 / 1.06, ArrowDown: 1 / 1.06, PageUp: 2, PageDown: 0.5, Home: 0, End: Infinity }[event.key];
    if (factor === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(Math.min(LAST, Math.max(FIRST, Math.min(time, LAST) * factor)));
  });
  document.addEventListener("visibilitychange", () => document.hidden && stop());

  // The zones of the slider are computed by the rule itself, after the first picture.
  function drawZones() {
    const zones = [], step = 0.05;
    for (let v = -6; v < 6 - step / 2; v += step) {
      const { regime } = run(-(v + step / 2));
      if (zones[zones.length - 1]?.[0] === regime) zones[zones.length - 1][1]++;
      else zones.push([regime, 1]);
    }
    get("track").replaceChildren(...zones.map(([regime, length]) => {
      const zone = document.createElement("span");
      zone.style.cssText = `flex: ${length}; background: ${COLOR[regime]}`;
      return zone;
    }));
  }

  const moving = !quiet();
  if (moving) {
    shown = [false, false, false];
    queue = [0, -4];
    time = 0;
  }
  choose(moving ? 4 : -4);
  layOut();
  new ResizeObserver(layOut).observe(document.getElementById("hero"));
  document.fonts?.ready.then(layOut);
  setTimeout(drawZones, 100);
  if (moving) play();
  return {
    stop,
    get state() {
      return { delta: now.delta, regime: now.regime, word, time, playing, top: now.top };
    },
    choose: (delta) => {
      take();
      choose(delta);
      go(Infinity);
    },
  };
}
