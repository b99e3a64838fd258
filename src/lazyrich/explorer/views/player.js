// A button that plays: it moves the time cursor of a tab from its start to its end.

import { move } from "./motion.js";

const SECONDS = 7;

// Build the bar into `host`. `say(state)` is the text beside it. Returns {show(state)}.
export function player(host, room, say) {
  const bar = document.createElement("div");
  bar.className = "player";
  const play = Object.assign(document.createElement("button"), { type: "button", textContent: "Play" });
  const scrub = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 1, step: 0.001 });
  scrub.setAttribute("aria-label", "Time");
  const clock = document.createElement("output");
  bar.append(play, scrub, clock);
  host.append(bar);
  let motion = null;
  const stop = () => {
    motion?.stop();
    motion = null;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => {
    if (motion) return stop();
    const begin = room.state.cursor < 1 ? room.state.cursor : 0;
    play.textContent = "Pause";
    motion = move(SECONDS, (cursor) => (bar.isConnected ? room.change({ cursor }) : stop()), stop, begin);
  });
  scrub.addEventListener("input", () => {
    stop();
    room.change({ cursor: Number(scrub.value) });
  });
  return {
    show(state) {
      scrub.value = state.cursor;
      const text = say(state);
      scrub.setAttribute("aria-valuetext", text);
      clock.textContent = text;
    },
  };
}

// The time at a share of the axis from `first` to `last`.
export const timeAt = (cursor, logarithmic, first, last) => (logarithmic ? first * (last / first) ** cursor : last * cursor);
