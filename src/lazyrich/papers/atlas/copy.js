// Buttons that copy the code below them. A page opened from a file may have no clipboard: then the code is selected.
for (const button of document.querySelectorAll("button.copy")) {
  const code = button.nextElementSibling;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent + "\n");
      button.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "selected: press Ctrl-C";
    }
  });
}
