// Small menus: one that opens at a button, and the <details> of the top bar.

import { element } from "./dom.js";

let closeOpen = () => {};

/** Open a menu at `button`. `entries`: [{ text, run }]. */
export function openMenu(button, entries) {
  closeOpen();
  const close = (hasToReturn) => {
    menu.remove();
    button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", onPointer, true);
    window.removeEventListener("resize", close);
    closeOpen = () => {};
    if (hasToReturn === true) button.focus();
  };
  const items = entries.map(({ text, run }) =>
    element("button", { type: "button", role: "menuitem", click: () => (close(), run()) }, text),
  );
  const onKey = (event) => {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      items.at((items.indexOf(document.activeElement) + step) % items.length).focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      close(true);
    }
  };
  const onPointer = (event) => {
    if (!menu.contains(event.target)) close();
  };
  const menu = element("div", { class: "menu-list floating", role: "menu", keydown: onKey }, ...items);
  document.body.append(menu);
  place(menu, button);
  button.setAttribute("aria-expanded", "true");
  document.addEventListener("pointerdown", onPointer, true);
  window.addEventListener("resize", close);
  closeOpen = close;
  items[0]?.focus();
}

/** Below the button and aligned with its right side, or above where there is no room. */
function place(menu, button) {
  const box = button.getBoundingClientRect();
  const top = box.bottom + menu.offsetHeight + 8 > innerHeight ? box.top - menu.offsetHeight - 4 : box.bottom + 4;
  const left = Math.max(8, box.right - menu.offsetWidth);
  menu.style.setProperty("top", `${Math.max(8, top)}px`);
  menu.style.setProperty("left", `${left}px`);
}

/** Close a <details> menu on Escape, on a choice, and on a press elsewhere. */
export function tameDetails(details) {
  const close = () => details.removeAttribute("open");
  const onKey = (event) => {
    if (!details.open) return;
    if (event.key === "Escape") close();
    if (event.key === "Escape" || details.contains(event.target)) event.stopPropagation();
  };
  document.addEventListener("keydown", onKey, true);
  details.addEventListener("click", (event) => {
    if (event.target.closest("a, button")) close();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!details.contains(event.target)) close();
  });
}
