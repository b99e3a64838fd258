// Filters of the table of claims: by source, verdict and grade, and by words.
const form = document.querySelector(".filters");
const rows = [...document.querySelectorAll("#claims tr[data-source]")];
const chosen = ["source", "verdict", "grade"].map((name) => document.getElementById(name));
const words = document.getElementById("words");
const texts = rows.map((row) => row.textContent.toLowerCase());
function show() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  rows.forEach((row, i) => {
    const fits = chosen.every((box) => !box.value || row.dataset[box.id] === box.value);
    row.hidden = !(fits && wanted.every((word) => texts[i].includes(word)));
    count += !row.hidden;
  });
  for (const part of document.querySelectorAll("#claims tbody"))
    part.hidden = [...part.querySelectorAll("tr[data-source]")].every((row) => row.hidden);
  document.getElementById("count").textContent = `${count} of ${rows.length}`;
}
form.hidden = false;
form.addEventListener("input", show);
form.addEventListener("submit", (event) => event.preventDefault());
show();
