// The Search tab: documents that contain a text or belong most probably to a class, and labels for many at once.

import { byId, debounce, element, setText } from "./dom.js";
import { askConfirmation } from "./dialogs.js";
import { countText, documentBody, DocumentList } from "./list.js";
import { toast } from "./notices.js";
import { classes, isReadOnly, nameOf, setState } from "./state.js";

export class SearchView {
  #selected = new Set();
  #classNames = "";

  constructor(outbox, onOpen) {
    this.outbox = outbox;
    this.box = byId("search-box");
    this.classBox = byId("search-class");
    this.results = new DocumentList({
      list: byId("search-results"),
      more: byId("search-more"),
      rowOf: (each) => this.#row(each, onOpen),
      onLoad: (error) => this.#showTotals(error),
    });
    const searchSoon = debounce(() => this.search(), 200);
    this.box.addEventListener("input", () => {
      this.classBox.value = "";
      searchSoon();
    });
    this.classBox.addEventListener("change", () => {
      this.box.value = "";
      this.search();
    });
    byId("search-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.search();
    });
    byId("select-all").addEventListener("change", (event) => this.#selectAll(event.target.checked));
    byId("bulk-selected").addEventListener("click", () => this.#labelSelected());
    byId("bulk-all").addEventListener("click", () => this.#labelAll());
  }

  get #text() {
    return this.box.value.trim();
  }

  focus() {
    this.box.select();
    this.box.focus();
  }

  /** The most probable documents of this class. */
  showClass(id) {
    this.box.value = "";
    this.classBox.value = String(id);
    this.search();
  }

  update() {
    const all = classes();
    const names = JSON.stringify(all.map(({ id, name }) => [id, name]));
    if (names === this.#classNames) return;
    this.#classNames = names;
    const options = () => all.map(({ id, name }) => element("option", { value: id }, name));
    for (const [select, first] of [[this.classBox, "choose a class"], [byId("bulk-class"), "choose a class"]]) {
      const { value } = select;
      select.replaceChildren(element("option", { value: "" }, first), ...options());
      select.value = all.some(({ id }) => String(id) === value) ? value : "";
    }
  }

  search() {
    this.#selected.clear();
    if (this.#text) this.results.ask("search", { search: this.#text });
    else if (this.classBox.value) this.results.ask("class", { class: this.classBox.value });
    else {
      this.results.clear();
      this.#showTotals(null);
    }
  }

  #row(each, onOpen) {
    const box = element("input", { type: "checkbox", "aria-label": `Select document ${each.document}` });
    box.addEventListener("change", () => {
      if (box.checked) this.#selected.add(each.document);
      else this.#selected.delete(each.document);
      this.#showSelection();
    });
    box.checked = this.#selected.has(each.document);
    return element("li", { class: "result", "data-document": each.document }, isReadOnly() ? null : box, documentBody(each, { search: this.#text, onOpen }));
  }

  #selectAll(isChecked) {
    this.#selected = new Set(isChecked ? this.results.documents.map((each) => each.document) : []);
    for (const box of byId("search-results").querySelectorAll("input")) box.checked = isChecked;
    this.#showSelection();
  }

  #showTotals(error) {
    const { total } = this.results;
    const isAsked = Boolean(this.#text || this.classBox.value);
    byId("bulk").hidden = !total || !isAsked;
    const empty = this.#text ? "No document contains this text." : "The model puts no unlabeled document into this class.";
    const start = "Search for a word, or choose a class to see the documents that the model finds most typical of it.";
    setText(byId("search-message"), error ? error.message : !isAsked ? start : total ? "" : empty);
    this.#showSelection();
  }

  #showSelection() {
    const { total, documents } = this.results;
    const n = this.#selected.size;
    byId("select-all").checked = n > 0 && n === documents.length;
    byId("select-all").indeterminate = n > 0 && n < documents.length;
    setText(byId("search-total"), n ? `${countText(n)} selected` : countText(total));
    byId("bulk-selected").disabled = !n;
    setText(byId("bulk-selected"), n ? `Label ${n} selected` : "Label selected");
    setText(byId("bulk-all"), `Label all ${total.toLocaleString("en")} results`);
    byId("bulk-all").hidden = !this.#text;
    for (const id of ["bulk-class", "bulk-selected", "bulk-all"]) byId(id).classList.toggle("is-gone", isReadOnly());
  }

  #labelSelected() {
    const id = this.#chosenClass();
    const documents = [...this.#selected];
    if (!id || !documents.length) return;
    askConfirmation({
      title: `Label ${countText(documents.length)} as ${nameOf(id)}?`,
      text: "Labels that these documents have are replaced. Undo takes all of them back at once.",
      yes: `Label ${documents.length}`,
      submit: () => this.#send({ documents, classes: [id] }, id),
    });
  }

  #labelAll() {
    const id = this.#chosenClass();
    const search = this.#text;
    if (!id || !search) return;
    const n = this.results.total;
    askConfirmation({
      title: `Label all ${countText(n)} as ${nameOf(id)}?`,
      text: `They contain “${search}”. Undo takes all of the labels back at once.`,
      yes: `Label all ${n.toLocaleString("en")}`,
      option: true,
      submit: (onlyUnlabeled) => this.#send({ search, classes: [id], only_unlabeled: onlyUnlabeled }, id),
    });
  }

  #chosenClass() {
    const id = Number(byId("bulk-class").value);
    if (!id) {
      toast("Choose the class first");
      byId("bulk-class").focus();
    }
    return id;
  }

  async #send(body, id) {
    const { n, state } = await this.outbox.push("POST", "/api/bulk", body);
    setState(state);
    toast(`${countText(n)} labeled ${nameOf(id)}`, "good");
    this.search();
  }
}
