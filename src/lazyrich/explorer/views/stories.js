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

// The page of a claim in the documentation.
export const claimLink = (docs, claim) => Object.assign(document.createElement("a"), { href: `${docs}verdicts/claims/${claim}.html`, textContent: claim });

// All stories, by the chapters of the tour: those that the tour shows, and more.
export function listStories(host, chapters, stories, docs, open) {
  chapters.forEach((chapter, i) => {
    const ids = [...chapter.steps.map((step) => step.story), ...chapter.more].filter(Boolean);
    const group = document.createElement("section"), list = document.createElement("div");
    group.className = "group";
    list.className = "stories";
    list.append(...ids.map((id) => card(stories.find((story) => story.id === id), docs, open)));
    group.append(Object.assign(document.createElement("h2"), { textContent: `${i + 1}. ${chapter.title}` }), list);
    host.append(group);
  });
}

function card(story, docs, open) {
  const made = document.createElement("article");
  const title = Object.assign(document.createElement("h3"), { textContent: story.title });
  const says = Object.assign(document.createElement("p"), { textContent: story.says });
  const where = document.createElement("p");
  where.className = "dim";
  where.append(claimLink(docs, story.claim), " ", verdict(story));
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "See it" });
  button.setAttribute("aria-label", `See it: ${story.title}`);
  button.addEventListener("click", () => open(story));
  made.append(title, says, where, button);
  return made;
}
