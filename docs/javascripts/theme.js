// Light or dark is one choice for the pages, the home page and the explorer inside of a page.
(() => {
  const theme = () => (document.body.dataset.mdColorScheme === "slate" ? "dark" : "light");
  const tell = (frame) => frame.contentWindow?.postMessage({ theme: theme() }, "*");
  const frames = () => document.querySelectorAll("iframe");
  for (const frame of frames()) frame.addEventListener("load", () => tell(frame));
  try {
    const scheme = { light: "default", dark: "slate" }[localStorage.theme];
    if (scheme && scheme !== document.body.dataset.mdColorScheme) document.querySelector(`input[name=__palette][data-md-color-scheme=${scheme}]`)?.click();
  } catch {
    // no storage
  }
  new MutationObserver(() => {
    frames().forEach(tell);
    try {
      localStorage.theme = theme();
    } catch {
      // no storage
    }
  }).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
})();

// What is wider than its place is scrolled by keys, too.
(() => {
  const wide = ".md-typeset__scrollwrap, .arithmatex, .md-typeset pre, .md-typeset pre > code";
  const mark = () => {
    for (const each of document.querySelectorAll(wide)) {
      if (each.scrollWidth > each.clientWidth + 1) each.tabIndex = 0;
      else each.removeAttribute("tabindex");
    }
  };
  addEventListener("load", () => document.fonts.ready.then(mark));
  addEventListener("resize", mark);
})();
