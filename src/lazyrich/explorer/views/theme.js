// Light or dark: as the reader's system says, as the button says, or as the page around this one says.

const root = document.documentElement;
const system = window.matchMedia("(prefers-color-scheme: dark)");
const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

// Follow the button and the system; `changed` is called when the colors have changed.
export function startTheme(changed) {
  const button = document.getElementById("theme");
  const show = () => {
    button.setAttribute("aria-pressed", String(dark()));
    changed();
  };
  const choose = (theme, keep) => {
    if (theme !== "light" && theme !== "dark") return;
    root.dataset.theme = theme;
    try {
      if (keep) localStorage.theme = theme;
    } catch {
      // no storage in a frame without an origin
    }
    show();
  };
  button.addEventListener("click", () => choose(dark() ? "light" : "dark", true));
  system.addEventListener("change", show);
  window.addEventListener("message", (event) => choose(event.data?.theme, false));
  button.setAttribute("aria-pressed", String(dark()));
}
