// Dialogs: a form each, an error below it, closed when what was asked for has happened.

import { byId, element } from "./dom.js";
import { HELP, HELP_SEVERAL } from "./keys.js";
import { classes, findClass, hasSeveralLabels } from "./state.js";

export function prepareDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) {
    for (const button of dialog.querySelectorAll("[data-close]")) button.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close(); // the backdrop
    });
  }
}

/** Show the dialog; `submit(value)` runs on Enter or on the button, its error is shown and keeps the dialog open. */
function ask(id, { value = "", submit }) {
  const dialog = byId(id);
  const form = dialog.querySelector("form");
  const field = form.elements.namedItem("value");
  const button = form.querySelector("[type=submit]");
  const error = form.querySelector(".error");
  const showProblem = (text) => {
    if (!error) return;
    error.textContent = text;
    error.hidden = !text;
  };
  if (field && field.tagName === "INPUT") field.value = value;
  showProblem("");
  button.disabled = false;
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    const answer = field ? field.value.trim() : "";
    if (field && !answer) return;
    button.disabled = true;
    showProblem("");
    const waiting = setTimeout(() => showProblem("Waiting for leaven…"), 1500);
    try {
      await submit(answer);
      dialog.close();
    } catch (problem) {
      showProblem(problem.message);
      field?.focus();
    } finally {
      clearTimeout(waiting);
      button.disabled = false;
    }
  };
  if (!dialog.open) dialog.showModal();
  if (field?.tagName === "INPUT") field.select();
}

export function askNewClass(submit) {
  const text = hasSeveralLabels()
    ? "The class is created and added to the document on screen."
    : "The class is created and the document on screen is labeled with it.";
  byId("class-dialog-text").textContent = text;
  ask("class-dialog", { submit });
}

export function askRename(id, submit) {
  byId("rename-dialog-title").textContent = `Rename ${findClass(id).name}`;
  ask("rename-dialog", { value: findClass(id).name, submit });
}

export function askKey(id, submit) {
  byId("key-dialog-title").textContent = `Key of ${findClass(id).name}`;
  ask("key-dialog", { value: findClass(id).key, submit: (key) => submit(key.toLowerCase()) });
}

export function askMerge(id, submit) {
  const { name } = findClass(id);
  byId("merge-dialog-title").textContent = `Merge ${name}`;
  byId("merge-dialog-text").textContent = `All labels ${name} become labels of the other class, and ${name} is gone. Undo takes it back.`;
  const others = classes().filter((each) => each.id !== id);
  byId("merge-into").replaceChildren(...others.map((each) => element("option", { value: each.id }, each.name)));
  ask("merge-dialog", { submit: (into) => submit(Number(into)) });
}

/** `option`: whether to offer to leave labeled documents alone; `submit(onlyUnlabeled)`. */
export function askConfirmation({ title, text, yes, option = false, submit }) {
  byId("confirm-dialog-title").textContent = title;
  byId("confirm-dialog-text").textContent = text;
  byId("confirm-yes").textContent = yes;
  byId("confirm-option").hidden = !option;
  byId("only-unlabeled").checked = true;
  ask("confirm-dialog", { submit: () => submit(byId("only-unlabeled").checked) });
}

export function showHelp() {
  const rows = (hasSeveralLabels() ? HELP_SEVERAL : HELP).flatMap(([key, text]) => [
    element("dt", {}, element("kbd", {}, key)),
    element("dd", {}, text),
  ]);
  byId("help-keys").replaceChildren(...rows);
  ask("help-dialog", { submit: () => {} });
}
