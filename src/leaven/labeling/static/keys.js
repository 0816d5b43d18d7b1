// Keys → actions. Fixed keys first, then the keys of the classes.

const FIXED = {
  Enter: "accept",
  " ": "skip",
  s: "skip",
  Backspace: "undo",
  ArrowLeft: "back",
  ArrowRight: "forward",
  ArrowUp: "up",
  ArrowDown: "down",
  PageUp: "pageUp",
  PageDown: "pageDown",
  "/": "search",
  n: "newClass",
  e: "toggleWords",
  "?": "help",
  ".": "filter",
  Escape: "escape",
};

const SCROLLING = new Set(["up", "down", "pageUp", "pageDown"]);

export const HELP = [
  ["1 – 9, 0, a – z", "Label with the class of this key and go on"],
  ["Enter", "Accept the suggestion"],
  ["Space", "Skip the document"],
  ["Backspace or Ctrl+Z", "Undo, again and again"],
  ["←  →", "Earlier answers, and back; a class key changes the label"],
  ["↑  ↓", "Scroll the text; under Review, move"],
  ["n", "New class, and label the document with it"],
  [".", "Filter the classes"],
  ["e", "Show or hide the tinted words"],
  ["/", "Search"],
  ["?", "This help"],
  ["Esc", "Close"],
];

export const HELP_SEVERAL = [
  ["1 – 9, 0, a – z", "Add or remove the class of this key"],
  ["Enter", "Confirm the classes and go on"],
  ...HELP.slice(2),
];

const isTyping = (target) => Boolean(target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]"));
const isControl = (target) => Boolean(target.closest?.("button, a, summary, input"));

/** The character a class key is compared with; digits also on layouts that need Shift for them. */
function characterOf(event) {
  const { key, code, shiftKey } = event;
  if (/^[0-9]$/.test(key)) return key;
  if (key.length === 1 && key.toLowerCase() !== key.toUpperCase()) return shiftKey ? "" : key.toLowerCase();
  return shiftKey ? "" : (/^Digit([0-9])$/.exec(code)?.[1] ?? "");
}

/** `actions[name]()` for fixed keys, `onClassKey(character)` for the rest; both return false to leave a key alone. */
export function listenToKeys(actions, onClassKey) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) return;
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "z";
    if (!isUndo && (event.ctrlKey || event.altKey || event.metaKey)) return;
    const character = characterOf(event);
    const name = isUndo ? "undo" : (FIXED[event.key] ?? FIXED[character]);
    if ((name === "accept" || event.key === " ") && isControl(event.target)) return; // presses the control
    if (event.repeat && !SCROLLING.has(name)) {
      if (name === "skip" || name === "undo") event.preventDefault();
      return;
    }
    const result = name ? actions[name]?.() : character && onClassKey(character);
    if (result !== false && result !== "" && result !== undefined) event.preventDefault();
  });

  // A control pressed with the mouse gives the keyboard back, so that Enter and Space keep their meaning.
  document.addEventListener("click", (event) => {
    const control = event.target.closest?.("button, summary, input[type=checkbox]");
    if (event.detail > 0 && control && !control.closest("dialog, .menu-list") && document.activeElement === control) control.blur();
  });
}
