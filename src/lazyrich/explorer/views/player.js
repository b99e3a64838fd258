// A button that plays: it moves the time cursor of a room from its start to its end.

const SECONDS = 7;

// Build the bar into `host`. `say(state)` is the text beside it. Returns {show(state), stop()}.
export function player(host, room, say = () => "") {
  const bar = document.createElement("div");
  bar.className = "player";
  const play = Object.assign(document.createElement("button"), { type: "button", textContent: "Play" });
  const scrub = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 1, step: 0.001 });
  scrub.setAttribute("aria-label", "Time");
  const clock = document.createElement("output");
  bar.append(play, scrub, clock);
  host.append(bar);
  let last = 0; // when the cursor was moved; 0 at rest
  const stop = () => {
    last = 0;
    play.textContent = "Play";
  };
  function tick(now) {
    if (!last || !bar.isConnected) return;
    const cursor = Math.min(room.state.cursor + (now - last) / (1000 * SECONDS), 1);
    last = now;
    room.change({ cursor });
    if (cursor >= 1) stop();
    else requestAnimationFrame(tick);
  }
  play.addEventListener("click", () => {
    if (last) return stop();
    if (room.state.cursor >= 1) room.change({ cursor: 0 });
    play.textContent = "Pause";
    last = performance.now();
    requestAnimationFrame(tick);
  });
  scrub.addEventListener("input", () => {
    stop();
    room.change({ cursor: Number(scrub.value) });
  });
  return {
    stop,
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
