// The Review tab: labels that the model disputes, one press each, and the history of answers.

import { byId, element, formatPercent, setText } from "./dom.js";
import { countText, documentBody, DocumentList } from "./list.js";
import { showError, toast } from "./notices.js";
import { findClass, getCurrent, isReadOnly, nameOf, namesOf, setState } from "./state.js";

const WHY = { typical: "typical", uncertain: "unsure", audit: "audit", random: "random", asked: "opened", bulk: "bulk", import: "imported", file: "from the file" };

export class ReviewView {
  #view = "disputed";
  #kept = new Set(); // labels confirmed in this session: not asked again
  #place = 0;

  constructor(outbox, onOpen) {
    this.outbox = outbox;
    this.onOpen = onOpen;
    this.list = byId("review-results");
    this.results = new DocumentList({
      list: this.list,
      more: byId("review-more"),
      rowOf: (each) => this.#row(each),
      onLoad: (error) => this.#afterLoad(error),
    });
    for (const view of ["disputed", "history"]) {
      byId(`review-${view}`).addEventListener("click", () => this.show(view));
    }
  }

  show(view = this.#view) {
    this.#view = view;
    this.#place = 0;
    for (const each of ["disputed", "history"]) byId(`review-${each}`).setAttribute("aria-pressed", each === view);
    this.results.ask(view, {});
  }

  // Keys

  move(step) {
    const rows = this.#rows();
    if (!rows.length) return false;
    this.#place = Math.min(rows.length - 1, Math.max(0, this.#place + step));
    this.#mark();
    rows[this.#place].scrollIntoView({ block: "nearest" });
    return true;
  }

  decide(isAccepted) {
    if (this.#view !== "disputed") return false;
    this.#rows()[this.#place]?.querySelector(isAccepted ? ".accept" : ".keep")?.click();
    return true;
  }

  // Rows

  #rows() {
    return [...this.list.children];
  }

  #mark() {
    this.#rows().forEach((row, i) => row.classList.toggle("is-current", this.#view === "disputed" && i === this.#place));
  }

  #row(each) {
    const body = documentBody(each, { onOpen: this.onOpen });
    const row = element("li", { class: "result", "data-document": each.document, hidden: false }, body);
    if (this.#view === "history") {
      if (each.why) body.querySelector(".facts").append(element("span", {}, WHY[each.why] ?? each.why));
      return row;
    }
    const dispute = each.disputed_by;
    if (!dispute || !findClass(dispute.class)) return row;
    const name = nameOf(dispute.class);
    body.querySelector(".facts").append(element("strong", {}, `The model says ${name}, ${formatPercent(dispute.probability)}`));
    if (isReadOnly()) return row;
    row.append(
      element(
        "div",
        { class: "decision" },
        element("button", { type: "button", class: "button accept", click: () => this.#answer(row, each, [dispute.class], true) }, `Change to ${name}`),
        element("button", { type: "button", class: "button keep", click: () => this.#answer(row, each, each.labels, false) }, `Keep ${namesOf(each.labels)}`),
      ),
    );
    return row;
  }

  #answer(row, each, classIds, accepted) {
    this.#kept.add(each.document);
    this.outbox
      .push("POST", "/api/answers", {
        document: each.document,
        classes: classIds,
        why: "asked",
        milliseconds: 0,
        model: getCurrent().model?.number ?? null,
        accepted,
      })
      .then(({ state }) => {
        setState(state);
        toast(accepted ? `Document ${each.document} is ${namesOf(classIds)} now` : `Document ${each.document} stays ${namesOf(classIds)}`);
      })
      .catch((error) => showError(`Document ${each.document} was not changed: ${error.message}`));
    row.remove();
    this.#showMessage(null);
    this.move(0);
  }

  #afterLoad(error) {
    if (this.#view === "disputed") {
      for (const row of this.#rows()) if (this.#kept.has(Number(row.dataset.document))) row.remove();
    }
    this.#showMessage(error);
    this.#mark();
  }

  #showMessage(error) {
    const n = this.#rows().length;
    let text = "";
    if (error) text = error.message;
    else if (this.#view === "history") text = n ? "" : "No answers yet.";
    else if (!n) text = getCurrent()?.model ? "The model disputes no label." : "There is no model yet that could dispute a label.";
    else {
      const count = countText(Math.max(n, this.results.total - this.#kept.size));
      text = `The model would give ${count} another label. Enter changes the marked one, Space keeps it, ↑ and ↓ move.`;
    }
    setText(byId("review-message"), text);
  }
}
