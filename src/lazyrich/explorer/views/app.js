// The page: its tabs, their controls, the address, and what is taken home.

import * as neuron from "../rooms/neuron.js";
import * as modes from "../rooms/modes.js";
import * as stops from "../rooms/stops.js";
import * as relu from "../rooms/relu.js";
import * as context from "../rooms/context.js";
import * as network from "../rooms/network.js";
import * as neuronView from "./neuron.js";
import * as modesView from "./modes.js";
import * as stopsView from "./stops.js";
import * as reluView from "./relu.js";
import * as contextView from "./context.js";
import * as networkView from "./network.js";
import { flow } from "../math/filippov.js";
import { encodeGif } from "../math/gif.js";
import { learned, slice } from "../rooms/phase.js";
import { legal, legalState, read, write } from "../rooms/state.js";
import { afterPaint, startFront } from "./front.js";
import { startHistory } from "./history.js";
import { knobs } from "./knobs.js";
import { enlarge, forgetColors, whenResized, write as typeset } from "./plot.js";
import { claimLink, listStories, verdict } from "./stories.js";
import { copy, csvText, embedText, saveMotion, savePicture, saveTable, sheet } from "./take.js";
import { startTheme } from "./theme.js";
import { before, buildTour, stepsOf } from "./tour.js";

const ROOMS = { neuron: [neuron, neuronView], modes: [modes, modesView], stops: [stops, stopsView], context: [context, contextView], relu: [relu, reluView], network: [network, networkView] };
const tables = JSON.parse(document.getElementById("tables").textContent);
const isRoom = (name) => Object.hasOwn(ROOMS, String(name));
const element = (id) => document.getElementById(id);
const current = { name: "", state: {}, view: null, show: null, drawn: null, story: "", step: "" };
const steps = stepsOf(tables.tour, tables.stories);
const OTHERS = ["home", "stories"]; // tabs without knobs
let waiting = false, hero = null;

const handed = {
  tables,
  get state() {
    return current.state;
  },
  change: (changes) => change(changes),
  repaint: () => repaint(),
  again: () => repaint(),
};

function repaint() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    paint();
  });
}

// Draw the room as it is now; how long it took, in milliseconds.
function paint() {
  if (!current.view) return 0;
  const began = performance.now();
  current.drawn = current.view.draw(current.state);
  current.show(current.state);
  const [[, headline], ...facts] = current.drawn.facts;
  if (element("headline").textContent !== headline) element("headline").textContent = headline;
  tell(element("facts"), facts);
  if (element("python").open) element("code").textContent = pythonText();
  return performance.now() - began;
}

const pythonText = () => ROOMS[current.name][0].python(current.state, tables.plane);

// The facts, written only where they have changed.
function tell(list, facts) {
  while (list.children.length > facts.length) list.lastChild.remove();
  while (list.children.length < facts.length) {
    const pair = document.createElement("div");
    pair.append(document.createElement("dt"), document.createElement("dd"));
    list.append(pair);
  }
  facts.forEach((fact, i) => {
    Array.from(list.children[i].children).forEach((part, n) => {
      if (part.textContent !== fact[n]) part.textContent = fact[n];
    });
  });
}

function assign(changes) {
  const { PARAMETERS } = ROOMS[current.name][0];
  for (const [name, value] of Object.entries(changes)) current.state[name] = legal(PARAMETERS[name], value);
  repaint();
}

function change(changes) {
  tour.halt();
  assign(changes);
  past.later();
}

const address = () => (current.step ? `#room=tour&step=${current.step}` : isRoom(current.name) ? write(current.name, ROOMS[current.name][0].PARAMETERS, current.state, { story: current.story }) : `#room=${current.name}`);
const past = startHistory(address, arrive);
const tour = buildTour(element("tour"), tables.tour, steps, {
  docs: tables.docs,
  open: (step) => open("tour", { step }),
  leave: () => open("stories"),
  assign,
  parameter: (name) => ROOMS[current.name][0].PARAMETERS[name],
  enlarge: (on) => {
    enlarge(on ? 1.5 : 1);
    repaint();
  },
});

function open(name, given = {}, story = "") {
  show(name, given, story);
  past.now();
}

function show(name, given, story) {
  const step = name === "tour" ? Math.max(steps.findIndex((each) => each.name === given.step), 0) : -1;
  current.step = steps[step]?.name ?? "";
  if (current.step) [name, given, story] = [steps[step].room, before(steps[step]), ""];
  else tour.stop();
  current.view?.stop?.();
  current.name = isRoom(name) || OTHERS.includes(name) ? name : "home";
  current.story = tables.stories.some((each) => each.id === story) ? story : "";
  hero?.stop();
  for (const link of document.querySelectorAll("body > header nav a")) {
    if (link.dataset.room === (current.step ? "tour" : current.name)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  element("panels").replaceChildren();
  element("knobs").replaceChildren();
  const inside = isRoom(current.name);
  document.body.dataset.room = current.name;
  for (const id of ["side", "tools", "python", "facts", "headline", "about"]) element(id).hidden = !inside;
  element("front").hidden = current.name !== "home";
  element("room").hidden = current.name === "home";
  element("tour").hidden = !current.step;
  if (current.step) document.body.dataset.tour = current.step;
  else delete document.body.dataset.tour;
  banner();
  if (!inside) return showOther();
  const [room, view] = ROOMS[current.name];
  element("title").textContent = room.TITLE;
  current.state = legalState(room.PARAMETERS, given);
  for (const [tool, needed] of [["closer", "span"], ["wider", "span"], ["gif", "cursor"]]) {
    document.querySelector(`[data-tool="${tool}"]`).hidden = !Object.hasOwn(room.PARAMETERS, needed);
  }
  const { TRY, ABOUT, KNOBS } = { ...view, ...view.words?.(tables) };
  typeset(element("try"), TRY);
  typeset(element("about"), ABOUT);
  // The main knob is a group of its own: on a phone it stays beside the picture.
  const [[title, [main, ...rest]], ...others] = KNOBS;
  const groups = [[title, [main]], ...(rest.length ? [[`${title}: more`, rest]] : []), ...others];
  const shows = groups.map(([title, names], i) => {
    const group = document.createElement("fieldset");
    group.append(Object.assign(document.createElement("legend"), { textContent: title }));
    element("knobs").append(group);
    return knobs(group, room.PARAMETERS, names, change, i);
  });
  current.show = (state) => shows.forEach((show) => show(state));
  current.view = view.build(element("panels"), handed);
  if (current.step) {
    current.view.panels.forEach((panel, i) => {
      panel.figure.hidden = !steps[step].show.includes(i);
      panel.figure.classList.toggle("small", steps[step].show.length > 2);
    });
    for (const knob of document.querySelectorAll("#knobs .knob")) knob.classList.toggle("moves", !["cursor", "speed"].includes(knob.dataset.name) && Object.hasOwn(steps[step].move, knob.dataset.name));
    tour.show(step);
    window.scrollTo(0, 0);
  }
  repaint();
  if (!current.view.stop && !warmed.has(current.name)) warm(current.view, WARM);
  warmed.add(current.name);
}

function showOther() {
  current.view = null;
  window.scrollTo(0, 0);
  if (current.name === "home") afterPaint(() => current.name === "home" && (hero ??= startFront()));
  else {
    element("title").textContent = "Stories";
    element("try").textContent = "Statements of the literature, each with its verdict. Open one and vary its parameters.";
    listStories(element("panels"), tables.tour, tables.stories, tables.docs, (each) => open(each.room, each.state, each.id));
  }
}

// A browser compiles what has run some times, and until then it is slow: a room that has been opened is drawn again while nobody
// waits for it, so that the first drag is as smooth as the later ones.
const WARM = 10, warmed = new Set();
function warm(view, times) {
  if (times === 0 || !window.requestIdleCallback) return;
  requestIdleCallback(() => {
    if (view !== current.view) return;
    paint();
    warm(view, times - 1);
  });
}

function banner() {
  const box = element("story"), story = tables.stories.find((each) => each.id === current.story);
  box.hidden = !story;
  if (!story) return;
  const title = Object.assign(document.createElement("strong"), { textContent: `${story.title}. ` });
  box.replaceChildren(title, `${story.says} `, claimLink(tables.docs, story.claim), " ", verdict(story));
}

// A page from disk or in a notebook has no address for others: theirs is the one in the documentation.
const pageAddress = () => (location.protocol.startsWith("http") ? location.href.split(/[?#]/)[0] : `${tables.docs}explorer.html`);
const say = (text) => (element("said").textContent = text);

function tools() {
  const { name } = current, title = ROOMS[name]?.[0].TITLE;
  return {
    embed: async () => say((await copy(embedText(pageAddress(), address(), title))) ? "The lines of an iframe were copied." : "The lines could not be copied."),
    link: async () => say((await copy(pageAddress() + address())) ? "The link was copied." : "The link could not be copied: copy it from the address bar."),
    code: async () => {
      element("python").open = true;
      element("code").textContent = pythonText();
      say((await copy(pythonText())) ? "The code was copied." : "The code could not be copied: select it below.");
    },
    png: () => savePicture(current.view.panels, `lazyrich: ${title}`, `lazyrich-${name}`),
    gif: async () => {
      const { cursor } = current.state;
      say("The GIF is being made.");
      await saveMotion(current.view.panels, `lazyrich: ${title}`, `lazyrich-${name}`, (share) => {
        current.state.cursor = share;
        paint();
      });
      assign({ cursor });
      say("The GIF was saved.");
    },
    csv: () => saveTable(ROOMS[name][1].table(current.drawn.found), `lazyrich-${name}`),
    reset: () => open(name, tables.start?.room === name ? tables.start.state : {}),
    closer: () => change({ span: current.state.span / 1.25 }),
    wider: () => change({ span: current.state.span * 1.25 }),
  };
}

for (const button of document.querySelectorAll("[data-tool]")) button.addEventListener("click", () => tools()[button.dataset.tool]());
for (const link of document.querySelectorAll('a[href^="#room="]')) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const to = read(link.hash);
    open(to.room, to);
  });
}
element("python").addEventListener("toggle", repaint);
whenResized(repaint);
startTheme(() => {
  forgetColors();
  repaint();
});
if (new URLSearchParams(location.search).has("embed")) document.documentElement.dataset.embed = "";

// Open what the address says. In the same tab only the state changes, and what has the focus keeps it.
function arrive() {
  const given = read(location.hash);
  if (!given.room && tables.start) return show(tables.start.room, tables.start.state, "");
  if (!current.step && isRoom(given.room) && given.room === current.name && (given.story ?? "") === current.story) {
    current.state = legalState(ROOMS[current.name][0].PARAMETERS, given);
    return repaint();
  }
  show(given.room, given, given.story);
}
arrive();
past.quietly();

// For tests and benchmarks: the same functions that the page uses.
window.lazyrich = {
  tables,
  current,
  open,
  change,
  paint,
  address,
  python: pythonText,
  sheet: () => sheet(current.view.panels, "").toDataURL(),
  csv: () => csvText(ROOMS[current.name][1].table(current.drawn.found)),
  rooms: Object.fromEntries(Object.entries(ROOMS).map(([name, [room]]) => [name, room])),
  stateOf: (name, given) => legalState(ROOMS[name][0].PARAMETERS, given),
  read,
  flow,
  slice,
  learned,
  encodeGif,
  tour,
  steps,
  get hero() {
    return hero;
  },
};
