// The text of a document as text nodes and <mark> elements, and the legend of its tints.

import { element } from "./dom.js";
import { colourOf, findClass, nameOf } from "./state.js";

const LONG_TEXT = 20_000;
const BLOCK = 4_000;
const N_LEGEND = 4;

/** Words in order, inside the text, without overlaps, of classes that exist. */
function cleanWords(words, length) {
  const clean = [];
  let end = 0;
  for (const word of [...words].sort((a, b) => a.start - b.start)) {
    if (word.start < end || word.end <= word.start || word.end > length || !findClass(word.class)) continue;
    clean.push(word);
    end = word.end;
  }
  return clean;
}

/** Ends of blocks, at line ends, so that the browser lays out only the visible part of a long text. */
function blockEnds(text) {
  const ends = [];
  if (text.length > LONG_TEXT) {
    for (let end = text.indexOf("\n", BLOCK); end >= 0; end = text.indexOf("\n", end + BLOCK)) ends.push(end);
  }
  if (ends.at(-1) !== text.length) ends.push(text.length);
  return ends;
}

function markOf(text, word) {
  const title = `pulls towards ${nameOf(word.class)}`;
  const mark = element("mark", { title, "data-colour": colourOf(word.class) }, text.slice(word.start, word.end));
  mark.style.setProperty("--strength", Math.min(1, Math.max(0, word.strength)).toFixed(2));
  return mark;
}

export function renderText(container, text, words) {
  const marked = cleanWords(words, text.length);
  const ends = blockEnds(text);
  const fragment = document.createDocumentFragment();
  let start = 0;
  let i = 0;
  for (const end of ends) {
    const block = ends.length > 1 ? element("div", { class: "block" }) : fragment;
    let at = start;
    for (; i < marked.length && marked[i].end <= end; i += 1) {
      if (marked[i].start < at) continue;
      if (marked[i].start > at) block.append(text.slice(at, marked[i].start));
      block.append(markOf(text, marked[i]));
      at = marked[i].end;
    }
    if (at < end) block.append(text.slice(at, end));
    if (block !== fragment) fragment.append(block);
    start = end + 1; // the line end itself: a block ends the line
  }
  container.replaceChildren(fragment);
}

/** The classes towards which most of the tinted words pull. */
export function renderLegend(container, words) {
  const strengths = new Map();
  for (const word of words) {
    if (findClass(word.class)) strengths.set(word.class, (strengths.get(word.class) ?? 0) + word.strength);
  }
  const ids = [...strengths.keys()].sort((a, b) => strengths.get(b) - strengths.get(a)).slice(0, N_LEGEND);
  container.replaceChildren(
    ...ids.map((id) => element("span", { class: "legend-item", "data-colour": colourOf(id) }, nameOf(id))),
  );
}

/** `excerpt` with every occurrence of `search` marked, case ignored. */
export function renderMatches(container, excerpt, search) {
  const pattern = search.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (!pattern) {
    container.replaceChildren(excerpt);
    return;
  }
  const pieces = excerpt.split(new RegExp(`(${pattern})`, "giu"));
  container.replaceChildren(
    ...pieces.map((piece, i) => (i % 2 ? element("mark", { class: "match" }, piece) : document.createTextNode(piece))),
  );
}

/** A small tag with the class's name and colour. */
export function chip(id) {
  return element("span", { class: "chip", "data-colour": colourOf(id) }, nameOf(id));
}
