// The address follows the state, and each finished change is an entry of the browser's history: Back and Ctrl+Z undo it.

const PATIENCE = 250; // milliseconds without a change end a drag; browsers allow few entries per second

// `address()` is that of the page as it is; `arrive()` opens what the address says.
export function startHistory(address, arrive) {
  let timer = 0, last = null;
  const depth = () => history.state?.depth ?? 0;
  function write(push) {
    clearTimeout(timer);
    timer = 0;
    const now = address();
    if (now === last) return;
    try {
      if (push && last !== null) history.pushState({ depth: depth() + 1 }, "", now);
      else history.replaceState({ depth: depth() }, "", now);
    } catch {
      // inside a notebook the page has no address of its own
    }
    last = now;
  }
  function settle() {
    if (timer) write(true);
  }
  window.addEventListener("popstate", () => {
    clearTimeout(timer);
    timer = 0;
    arrive();
    last = null;
    write(false);
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase(), again = key === "y" || (key === "z" && event.shiftKey);
    if (key !== "z" && key !== "y") return;
    if (event.target.closest?.("input[type=number], input[type=text], textarea")) return; // these undo what is typed
    event.preventDefault();
    settle();
    if (again) history.forward();
    else if (depth() > 0) history.back();
  });
  return {
    // After a change by hand: an entry once it is finished.
    later: () => {
      clearTimeout(timer);
      timer = setTimeout(() => write(true), PATIENCE);
    },
    now: () => write(true),
    // After motion that nobody needs to undo.
    quietly: () => write(false),
  };
}
