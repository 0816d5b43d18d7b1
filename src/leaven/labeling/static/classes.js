// The column of classes: a button each with key, name, probability and count, a filter, a menu.

import { byId, element, formatNumber, formatPercent, plural, setText } from "./dom.js";
import { classes, colourOf, hasSeveralLabels, isReadOnly } from "./state.js";
import { openMenu } from "./menu.js";

const N_WITHOUT_FILTER = 10;
const N_ROOMY = 14;

/** Where room is scarce, small probabilities are left out. */
function percentText(probability) {
  if (probability === undefined) return "";
  if (probability >= 0.005) return formatPercent(probability);
  return classes().length > N_ROOMY ? "" : "< 1 %";
}

export class ClassList {
  #rows = new Map(); // class id → parts of its row
  #shape = "";

  /** `onChoose(id)`; `menuOf(id)`: entries of the menu of a class, as in `openMenu`. */
  constructor({ onChoose, menuOf }) {
    this.list = byId("classes");
    this.filter = byId("class-filter");
    this.onChoose = onChoose;
    this.menuOf = menuOf;
    this.filter.addEventListener("input", () => this.#applyFilter());
    this.filter.addEventListener("keydown", (event) => this.#onFilterKey(event));
  }

  /** New rows if classes came, went or changed name or key; else only new counts. */
  update() {
    const all = classes();
    const shape = JSON.stringify([isReadOnly(), all.map(({ id, name, key }) => [id, name, key])]);
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#rows = new Map(all.map((each) => [each.id, this.#row(each)]));
      this.list.replaceChildren(...[...this.#rows.values()].map((parts) => parts.row));
      this.filter.hidden = all.length <= N_WITHOUT_FILTER;
      document.body.classList.toggle("many-classes", all.length > N_ROOMY);
      this.#applyFilter();
    }
    for (const each of all) {
      const { count } = this.#rows.get(each.id);
      setText(count, formatNumber(each.n_labeled));
      count.title = plural(each.n_labeled, "label");
    }
  }

  /** What the model says about the document on screen, and which classes are chosen. */
  show({ probabilities, suggested, chosen }) {
    const probabilityOf = new Map(probabilities.map((each) => [each.class, each.probability]));
    for (const [id, { row, button, bar, percent, hint }] of this.#rows) {
      const probability = probabilityOf.get(id);
      const isSuggested = suggested.includes(id);
      setText(percent, percentText(probability));
      bar.style.setProperty("--probability", probability ?? 0);
      row.classList.toggle("is-suggested", isSuggested);
      row.classList.toggle("is-chosen", chosen.has(id));
      setText(hint, isSuggested && !hasSeveralLabels() && !isReadOnly() ? "Enter" : "");
      button.setAttribute("aria-pressed", chosen.has(id));
    }
    this.#reveal(suggested[0]);
  }

  flash(id) {
    const row = this.#rows.get(id)?.row;
    if (!row) return;
    row.classList.remove("is-flashing");
    void row.offsetWidth; // starts the animation again
    row.classList.add("is-flashing");
  }

  #row({ id, name, key }) {
    const hint = element("span", { class: "class-hint" });
    const percent = element("span", { class: "class-percent" });
    const count = element("span", { class: "class-count" });
    const bar = element("span", { class: "class-bar", "aria-hidden": "true" });
    const button = element(
      "button",
      {
        type: "button",
        class: "class-button",
        "data-class": id,
        "aria-keyshortcuts": key || null,
        title: name,
        disabled: isReadOnly(),
        click: () => this.#choose(id),
      },
      element("kbd", { class: "class-key" }, key || "\u00a0"),
      element("span", { class: "class-name", dir: "auto" }, name),
      hint,
      percent,
      count,
      bar,
    );
    const more = element("button", { type: "button", class: "class-more", "aria-label": `Change class ${name}`, "aria-haspopup": "menu" }, "…");
    more.addEventListener("click", () => openMenu(more, this.menuOf(id)));
    const row = element("li", { class: "class-row", "data-colour": colourOf(id) }, button, more);
    return { row, button, hint, percent, count, bar, name: name.toLowerCase() };
  }

  #choose(id) {
    this.onChoose(id);
    if (!this.filter.value) return;
    this.filter.value = "";
    this.#applyFilter();
  }

  #matching() {
    const wanted = this.filter.hidden ? "" : this.filter.value.trim().toLowerCase();
    const ids = [...this.#rows.keys()].filter((id) => this.#rows.get(id).name.includes(wanted));
    // A name that begins with the filter comes first for Enter, and an exact one before all.
    const rank = (id) => (this.#rows.get(id).name === wanted ? 0 : this.#rows.get(id).name.startsWith(wanted) ? 1 : 2);
    return { wanted, ids, best: [...ids].sort((a, b) => rank(a) - rank(b))[0] };
  }

  #applyFilter() {
    const { wanted, ids, best } = this.#matching();
    for (const [id, { row }] of this.#rows) {
      row.hidden = !ids.includes(id);
      row.classList.toggle("is-best", Boolean(wanted) && id === best);
    }
    byId("classes-empty").hidden = ids.length > 0 || !this.#rows.size;
  }

  #onFilterKey(event) {
    if (event.key === "Enter") {
      const { wanted, best } = this.#matching();
      event.preventDefault();
      if (wanted && best !== undefined) this.#choose(best);
      this.filter.blur();
    } else if (event.key === "Escape") {
      this.filter.value = "";
      this.#applyFilter();
      this.filter.blur();
    }
  }

  /** Scroll the list, and only the list, so that this class is in sight. */
  #reveal(id) {
    const row = this.#rows.get(id)?.row;
    if (!row || this.list.scrollHeight <= this.list.clientHeight) return;
    const box = this.list.getBoundingClientRect();
    const { top, bottom } = row.getBoundingClientRect();
    if (top < box.top) this.list.scrollTop -= box.top - top + 8;
    else if (bottom > box.bottom) this.list.scrollTop += bottom - box.bottom + 8;
  }
}
