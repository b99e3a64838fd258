// Search and filter over the figures; both stand in the address, index.html#source=dln&words=kernel. Without JavaScript
// the page shows all figures.
(() => {
  "use strict";
  const box = document.getElementById("find"), words = document.getElementById("words"), told = document.getElementById("told");
  const cards = Array.from(document.querySelectorAll("[data-find]"));
  const chips = Array.from(box.querySelectorAll("button[data-source]"));
  const plain = (text) => text.toLowerCase();
  const texts = new Map(cards.map((card) => [card, plain(`${card.dataset.find} ${card.textContent}`)]));
  let source = "";
  const show = () => {
    const wanted = plain(words.value).split(/\s+/).filter(Boolean);
    let count = 0;
    for (const card of cards) {
      const fits = (!source || card.dataset.source === source) && wanted.every((word) => texts.get(card).includes(word));
      card.hidden = !fits;
      count += fits && card.tagName === "ARTICLE" ? 1 : 0;
    }
    for (const part of document.querySelectorAll("section[data-source]")) part.hidden = !part.querySelector("article:not([hidden])");
    const all = cards.filter((card) => card.tagName === "ARTICLE").length;
    told.textContent = count === all ? `${all} figures` : `${count} of ${all} figures`;
  };
  const press = () => { for (const each of chips) each.setAttribute("aria-pressed", String(each.dataset.source === source)); };
  const write = () => {
    const state = [["source", source], ["words", words.value]].filter(([, value]) => value);
    history.replaceState(null, "", `#${state.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`);
  };
  const read = () => {
    const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    source = state.get("source") ?? "";
    words.value = state.get("words") ?? "";
    press();
    show();
  };
  words.addEventListener("input", () => { show(); write(); });
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      source = source === chip.dataset.source ? "" : chip.dataset.source;
      press();
      show();
      write();
    });
  }
  // A figure that an address names is never filtered away; on paper everything is unfolded.
  window.addEventListener("hashchange", () => {
    read();
    if (!location.hash.includes("=")) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  });
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => (each.open = true)));
  box.hidden = false;
  read();
})();
