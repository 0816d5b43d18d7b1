// What the lists of documents under Search and Review share: pages and rows.

import { getDocuments } from "./api.js";
import { element, formatNumber, formatPercent, plural } from "./dom.js";
import { findClass } from "./state.js";
import { chip, renderMatches } from "./text.js";

const PAGE = 50;

/** A list of documents that grows by pages; an answer to an older question is thrown away. */
export class DocumentList {
  #question = null;
  documents = [];
  total = 0;

  /** `rowOf(document)` builds one row; `onLoad(error)` is called after every page. */
  constructor({ list, more, rowOf, onLoad }) {
    Object.assign(this, { list, more, rowOf, onLoad });
    more.addEventListener("click", () => this.#load());
  }

  async ask(view, parameters) {
    this.#question = { view, parameters };
    this.documents = [];
    await this.#load();
  }

  clear() {
    this.#question = null;
    this.documents = [];
    this.total = 0;
    this.list.replaceChildren();
    this.more.hidden = true;
  }

  async #load() {
    const question = this.#question;
    const offset = this.documents.length;
    try {
      const page = await getDocuments(question.view, { ...question.parameters, offset, limit: PAGE });
      if (this.#question !== question || this.documents.length !== offset) return;
      if (!offset) this.list.replaceChildren();
      this.total = page.total;
      this.documents.push(...page.documents);
      this.list.append(...page.documents.map((each) => this.rowOf(each)));
      this.more.hidden = this.documents.length >= page.total || !page.documents.length;
      this.onLoad(null);
    } catch (error) {
      if (this.#question === question) this.onLoad(error);
    }
  }
}

/** The text of a row as a button that opens the document, and a line with its labels. */
export function documentBody(each, { search = "", onOpen }) {
  const excerpt = element("button", { type: "button", class: "excerpt", dir: "auto", click: () => onOpen(each.document) });
  renderMatches(excerpt, each.excerpt, search);
  const facts = element("div", { class: "facts" }, element("span", {}, `Document ${formatNumber(each.document)}`));
  const labels = each.labels.filter(findClass);
  facts.append(...labels.map(chip));
  if (!labels.length) facts.append(element("span", {}, each.is_skipped ? "Skipped" : "No label"));
  const suggested = (each.suggested ?? []).filter((id) => findClass(id) && !labels.includes(id));
  if (suggested.length && !each.disputed_by) {
    const names = suggested.map((id) => findClass(id).name).join(", ");
    facts.append(element("span", {}, `Model: ${names}${each.probability === null ? "" : `, ${formatPercent(each.probability)}`}`));
  }
  if (each.at) {
    const time = new Date(each.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    facts.append(element("time", { datetime: each.at, title: each.at }, time));
  }
  return element("div", { class: "result-body" }, excerpt, facts);
}

export const countText = (n) => plural(n, "document");
