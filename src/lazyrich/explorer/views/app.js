// The page: rooms, their controls, the address, and what is taken home.

import * as neuron from "../rooms/neuron.js";
import * as modes from "../rooms/modes.js";
import * as stops from "../rooms/stops.js";
import * as relu from "../rooms/relu.js";
import * as context from "../rooms/context.js";
import * as neuronView from "./neuron.js";
import * as modesView from "./modes.js";
import * as stopsView from "./stops.js";
import * as reluView from "./relu.js";
import * as contextView from "./context.js";
import { flow } from "../math/filippov.js";
import { legal, legalState, read, write } from "../rooms/state.js";
import { knobs } from "./knobs.js";
import { forgetColors, whenResized, write as typeset } from "./plot.js";
import { listStories, verdict } from "./stories.js";
import { copy, csvText, savePicture, saveTable, sheet } from "./take.js";

const ROOMS = { neuron: [neuron, neuronView], modes: [modes, modesView], stops: [stops, stopsView], context: [context, contextView], relu: [relu, reluView] };
const tables = JSON.parse(document.getElementById("tables").textContent);
const isRoom = (name) => Object.hasOwn(ROOMS, String(name));
const element = (id) => document.getElementById(id);
const current = { name: "", state: {}, view: null, show: null, drawn: null, story: "" };
let waiting = false, saved = 0;

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

function change(changes) {
  const { PARAMETERS } = ROOMS[current.name][0];
  for (const [name, value] of Object.entries(changes)) current.state[name] = legal(PARAMETERS[name], value);
  remember();
  repaint();
}

// The address follows the state, but not at every step of a drag: browsers allow few changes per second.
function remember() {
  clearTimeout(saved);
  saved = setTimeout(() => {
    try {
      history.replaceState(null, "", address());
    } catch {
      // inside a notebook the page has no address of its own
    }
  }, 250);
}

const address = () => (isRoom(current.name) ? write(current.name, ROOMS[current.name][0].PARAMETERS, current.state, { story: current.story }) : `#room=${current.name}`);

function open(name, given = {}, story = "") {
  current.view?.stop?.();
  current.name = isRoom(name) || name === "stories" ? name : "neuron";
  current.story = tables.stories.some((each) => each.id === story) ? story : "";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.room === current.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  element("panels").replaceChildren();
  element("knobs").replaceChildren();
  const inside = isRoom(current.name);
  document.body.dataset.room = current.name;
  for (const id of ["side", "tools", "python", "facts", "headline"]) element(id).hidden = !inside;
  banner();
  if (!inside) {
    current.view = null;
    element("try").textContent = "Statements of the literature, each with its verdict. Open one and vary its parameters.";
    element("about").textContent = "";
    listStories(element("panels"), tables.stories, (each) => open(each.room, each.state, each.id));
    remember();
    return;
  }
  const [room, view] = ROOMS[current.name];
  current.state = legalState(room.PARAMETERS, given);
  for (const tool of ["closer", "wider"]) document.querySelector(`[data-tool="${tool}"]`).hidden = !Object.hasOwn(room.PARAMETERS, "span");
  const { TRY, ABOUT, KNOBS } = { ...view, ...view.words?.(tables) };
  typeset(element("try"), TRY);
  typeset(element("about"), ABOUT);
  const shows = KNOBS.map(([title, names], i) => {
    const group = document.createElement("fieldset");
    group.append(Object.assign(document.createElement("legend"), { textContent: title }));
    element("knobs").append(group);
    return knobs(group, room.PARAMETERS, names, change, i);
  });
  current.show = (state) => shows.forEach((show) => show(state));
  current.view = view.build(element("panels"), handed);
  remember();
  repaint();
  if (!current.view.stop && !warmed.has(current.name)) warm(current.view, WARM);
  warmed.add(current.name);
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
  const claim = Object.assign(document.createElement("code"), { textContent: story.claim });
  box.replaceChildren(title, `${story.says} `, claim, " ", verdict(story));
}

const say = (text) => (element("said").textContent = text);

function tools() {
  const { name } = current, title = ROOMS[name]?.[0].TITLE;
  return {
    link: async () => say((await copy(location.href.split("#")[0] + address())) ? "The link was copied." : "The link could not be copied: copy it from the address bar."),
    code: async () => {
      element("python").open = true;
      element("code").textContent = pythonText();
      say((await copy(pythonText())) ? "The code was copied." : "The code could not be copied: select it below.");
    },
    png: () => savePicture(current.view.panels, `lazyrich: ${title}`, `lazyrich-${name}`),
    csv: () => saveTable(ROOMS[name][1].table(current.drawn.found), `lazyrich-${name}`),
    reset: () => open(name, tables.start?.room === name ? tables.start.state : {}),
    closer: () => change({ span: current.state.span / 1.25 }),
    wider: () => change({ span: current.state.span * 1.25 }),
  };
}

for (const button of document.querySelectorAll("[data-tool]")) button.addEventListener("click", () => tools()[button.dataset.tool]());
for (const link of document.querySelectorAll("nav a")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    open(link.dataset.room);
  });
}
element("python").addEventListener("toggle", repaint);
whenResized(repaint);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  forgetColors();
  repaint();
});
window.addEventListener("hashchange", () => arrive());

function arrive() {
  const given = read(location.hash);
  if (!given.room && tables.start) open(tables.start.room, tables.start.state);
  else open(given.room, given, given.story);
}
arrive();

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
};
