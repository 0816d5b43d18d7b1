// Brief notices (toast) and lasting ones (banner). Banners have names; the most important shows.

import { byId, element } from "./dom.js";

const IMPORTANCE = ["session", "connection", "unsaved", "error", "training", "read-only"];
const banners = new Map();
let timer = 0;

export function toast(text, kind = "") {
  const node = byId("toast");
  clearTimeout(timer);
  node.textContent = text;
  node.className = `is-visible ${kind}`;
  timer = setTimeout(() => node.classList.remove("is-visible"), kind === "bad" ? 6000 : 3000);
}

/** `action`, if any: { text, run }. An empty text takes the banner away. */
export function setBanner(name, text, action = null) {
  if ((banners.get(name)?.text ?? "") === text) return;
  if (text) banners.set(name, { text, action });
  else banners.delete(name);
  show();
}

function show() {
  const node = byId("banner");
  const name = IMPORTANCE.find((each) => banners.has(each));
  node.hidden = !name;
  node.replaceChildren();
  if (!name) return;
  const { text, action } = banners.get(name);
  node.className = name;
  node.append(element("span", {}, text));
  if (action) node.append(element("button", { type: "button", class: "button small", click: action.run }, action.text));
}

/** An error stays until it is dismissed: something that was asked for did not happen. */
export function showError(text) {
  setBanner("error", text, { text: "Dismiss", run: () => setBanner("error", "") });
}

/** For screen readers only. */
export function announce(text) {
  byId("announcer").textContent = text;
}
