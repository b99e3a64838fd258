// Filters and pages of the table of statements. Both stand in the address: claims.html#source=dln&verdict=FAILS&page=2.
// An address that names a row or a source, claims.html#dln/degree, leads to the page on which it stands.
const form = document.querySelector(".filters");
const rows = [...document.querySelectorAll("#claims tr[data-source]")];
const boxes = ["source", "verdict", "grade", "words"].map((name) => document.getElementById(name));
const [back, on] = ["back", "on"].map((name) => document.getElementById(name));
const texts = rows.map((row) => row.textContent.toLowerCase());
const SIZE = 50;
let page = 0;

function fitting() {
  const words = document.getElementById("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = boxes.filter((box) => box.id !== "words" && box.value);
  return rows.filter((row, i) => chosen.every((box) => row.dataset[box.id] === box.value) && words.every((word) => texts[i].includes(word)));
}

function show() {
  const found = fitting();
  page = Math.min(page, Math.max(Math.ceil(found.length / SIZE) - 1, 0));
  const shown = new Set(found.slice(page * SIZE, (page + 1) * SIZE));
  for (const row of rows) row.hidden = !shown.has(row);
  const sources = new Set([...shown].map((row) => row.dataset.source));
  for (const part of document.querySelectorAll("#claims tbody"))
    part.hidden = part.id ? !sources.has(part.id) : ![...part.querySelectorAll("tr[data-source]")].some((row) => shown.has(row));
  const range = found.length ? `${page * SIZE + 1}–${Math.min((page + 1) * SIZE, found.length)} of ` : "";
  document.getElementById("count").textContent = `${range}${found.length}`;
  back.disabled = page === 0;
  on.disabled = (page + 1) * SIZE >= found.length;
}

function write() {
  const state = boxes.filter((box) => box.value).map((box) => `${box.id}=${encodeURIComponent(box.value)}`);
  if (page) state.push(`page=${page + 1}`);
  history.replaceState(null, "", `#${state.join("&")}`);
}

function read() {
  const hash = decodeURIComponent(location.hash.slice(1));
  const state = new URLSearchParams(hash.includes("=") ? location.hash.slice(1) : "");
  for (const box of boxes) box.value = state.get(box.id) ?? "";
  page = Math.max(Number(state.get("page") ?? 1) - 1, 0);
  const target = hash && !hash.includes("=") && document.getElementById(hash);
  if (target) {
    const row = target.matches("tr") ? target : rows.find((each) => each.dataset.source === target.id);
    page = Math.floor(rows.indexOf(row) / SIZE);
  }
  show();
  if (target) target.scrollIntoView();
  else if (hash) form.scrollIntoView();
}

function turn(step) {
  page += step;
  show();
  write();
  form.scrollIntoView();
}

form.hidden = false;
form.addEventListener("input", () => { page = 0; show(); write(); });
form.addEventListener("submit", (event) => event.preventDefault());
back.addEventListener("click", () => turn(-1));
on.addEventListener("click", () => turn(1));
addEventListener("hashchange", read);
read();
