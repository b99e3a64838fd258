// The tour: five chapters of questions. Guess, then a knob moves by itself and shows the answer.

import { between, move } from "./motion.js";
import { write } from "./plot.js";
import { claimLink, verdict } from "./stories.js";

const SECONDS = { cursor: 6, start: 5, alpha: 5 }; // for a knob to move; others take four
const quiet = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
const make = (tag, properties, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

// All steps in order, each with its story's claim and state.
export function stepsOf(chapters, stories) {
  return chapters.flatMap((chapter, i) =>
    chapter.steps.map((step, j) => {
      const story = stories.find((each) => each.id === step.story) ?? {};
      return { ...story, ...step, chapter: i, name: `${i + 1}.${j + 1}`, state: { ...story.state, ...step.state } };
    }),
  );
}

// The state before the answer: each knob that will move is at its first value.
export const before = (step) => ({ ...step.state, ...Object.fromEntries(Object.entries(step.move).map(([knob, [from]]) => [knob, from])) });

// `page` opens a step, moves knobs, knows the parameters of the tab, and the address of the documentation.
export function buildTour(host, chapters, steps, page) {
  let at = 0, shown = false, moving = null;
  const place = make("p", { className: "place" }), ask = make("h1", {}), options = make("div", { className: "options" });
  const says = make("p", { className: "says" }), links = make("p", { className: "links" });
  says.setAttribute("role", "status");
  const button = (text, act, kind = "btn plain") => {
    const made = make("button", { type: "button", className: kind, textContent: text });
    made.addEventListener("click", act);
    return made;
  };
  const back = button("Previous", () => go(at - 1)), next = button("Show me", () => (shown ? go(at + 1) : reveal(null)), "btn");
  const again = button("Again", () => reveal(null)), present = button("Present", () => presenting(!isPresenting()));
  const bar = make("nav", { className: "chapters-bar" });
  bar.setAttribute("aria-label", "Chapters");
  host.replaceChildren(bar, place, ask, options, says, links, make("div", { className: "steps" }, back, next, again, present));
  host.setAttribute("role", "region");
  host.setAttribute("aria-label", "Tour");
  bar.append(...chapters.map((chapter, i) => {
    const link = make("a", { href: `#room=tour&step=${i + 1}.1`, textContent: i + 1, title: chapter.title });
    link.setAttribute("aria-label", `Chapter ${i + 1}: ${chapter.title}`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      page.open(steps.find((step) => step.chapter === i).name);
    });
    return link;
  }));

  const isPresenting = () => document.documentElement.dataset.present !== undefined;
  function presenting(on) {
    if (on) document.documentElement.dataset.present = "";
    else delete document.documentElement.dataset.present;
    present.textContent = on ? "Leave" : "Present";
    if (on) document.documentElement.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
    page.enlarge(on);
  }
  document.addEventListener("fullscreenchange", () => !document.fullscreenElement && isPresenting() && presenting(false));

  function go(where) {
    if (where >= steps.length) return page.leave();
    if (where >= 0) page.open(steps[where].name);
  }

  // Show the answer: the knobs move, then the words come.
  function reveal(choice) {
    const step = steps[at];
    moving?.stop();
    shown = true;
    showChoice(choice ?? step.answer, choice === null);
    const knobs = Object.entries(step.move).map(([knob, [from, to]]) => [knob, between(page.parameter(knob), from, to, knob !== "cursor")]);
    const set = (share) => page.assign(Object.fromEntries(knobs.map(([knob, value]) => [knob, value(share)])));
    const seconds = Math.max(...knobs.map(([knob]) => SECONDS[knob] ?? 4));
    if (quiet()) set(1);
    else moving = move(seconds, set);
    tell();
  }

  function showChoice(choice, told) {
    const { answer } = steps[at];
    Array.from(options.children).forEach((option, i) => {
      option.disabled = true;
      option.dataset.mark = i === answer ? "right" : i === choice ? "wrong" : "";
      option.setAttribute("aria-pressed", String(!told && i === choice));
    });
  }

  function tell() {
    const step = steps[at], claim = claimLink(page.docs, step.claim);
    write(says, shown ? step.says : "");
    const theorem = make("a", { href: `${page.docs}theorems/${step.theorem}.html`, textContent: step.theorem.replaceAll("-", " ") });
    const computed = step.theorem ? [" · Theorem: ", theorem] : [" · Without a closed form: integrated from kink to kink"];
    links.replaceChildren(...(shown ? ["Claim ", claim, " ", verdict(step), ...computed] : []));
    if (shown) document.body.dataset.told = "";
    else delete document.body.dataset.told;
    again.hidden = !shown;
    next.textContent = !shown ? "Show me" : at === steps.length - 1 ? "To the stories" : "Next";
    back.disabled = at === 0;
  }

  // Show a step; the page has opened its tab.
  function show(index) {
    moving?.stop();
    [at, shown] = [index, false];
    const step = steps[at], count = steps.filter((each) => each.chapter === step.chapter).length;
    place.textContent = `Chapter ${step.chapter + 1} · ${chapters[step.chapter].title} · ${step.name.split(".")[1]} of ${count}`;
    Array.from(bar.children).forEach((link, i) => (i === step.chapter ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current")));
    write(ask, step.ask);
    options.replaceChildren(...step.options.map((text, i) => button(text, () => reveal(i), "option")));
    tell();
  }

  document.addEventListener("keydown", (event) => {
    if (host.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input:not([type=range]), select, textarea")) return; // typing
    if (event.key === "p") return presenting(!isPresenting());
    if (event.key === "Escape" && isPresenting()) return presenting(false);
    if (event.target.closest?.("input, .handle, [role=slider]")) return; // they have arrow keys of their own
    const digit = Number(event.key);
    if (event.key === "ArrowRight" || event.key === "PageDown") shown ? go(at + 1) : reveal(null);
    else if (event.key === "ArrowLeft" || event.key === "PageUp") go(at - 1);
    else if (!shown && digit >= 1 && digit <= options.children.length) reveal(digit - 1);
    else return;
    event.preventDefault();
  });

  return {
    show,
    stop: () => {
      moving?.stop();
      if (isPresenting()) presenting(false);
    },
    halt: () => moving?.stop(), // a knob was taken by hand
    get state() {
      return { step: steps[at].name, shown, moving: Boolean(moving) };
    },
  };
}
