// Room 5: presets, each with a claim of the literature, its verdict and a sentence.

const WORDS = {
  holds: "holds", generic: "holds generically", corrected: "holds, corrected", fails: "fails", vacuous: "vacuous", conjectured: "conjectured",
  undecidable: "not decidable",
};

export const verdict = (story) => {
  const mark = document.createElement("span");
  mark.className = `verdict ${story.verdict}`;
  mark.textContent = WORDS[story.verdict] ?? story.verdict;
  return mark;
};

export function listStories(host, stories, open) {
  const list = document.createElement("div");
  list.className = "stories";
  for (const story of stories) {
    const card = document.createElement("article");
    const title = Object.assign(document.createElement("h3"), { textContent: story.title });
    const says = Object.assign(document.createElement("p"), { textContent: story.says });
    const where = document.createElement("p");
    where.className = "dim";
    where.append(Object.assign(document.createElement("code"), { textContent: story.claim }), " ", verdict(story));
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "See it" });
    button.setAttribute("aria-label", `See it: ${story.title}`);
    button.addEventListener("click", () => open(story));
    card.append(title, says, where, button);
    list.append(card);
  }
  host.append(list);
}
