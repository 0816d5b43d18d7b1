// The top bar: counts, accuracy on audits, the model, and the tabs.

import { byId, element, formatNumber, formatPercent, plural, setText } from "./dom.js";

const TABS = ["label", "search", "review", "progress"];

export function showStatus(state) {
  const skipped = state.n_skipped ? `, ${formatNumber(state.n_skipped)} skipped` : "";
  setText(byId("counts"), `${formatNumber(state.n_labeled)} of ${formatNumber(state.n_documents)} labeled${skipped}`);
  showAccuracy(state);
  const { model, is_training: isTraining } = state;
  const text = model ? `model ${model.number}, ${plural(model.n_labels, "label")}` : isTraining ? "first model" : "no model yet";
  setText(byId("model-text"), text);
  byId("model").classList.toggle("is-training", isTraining);
  byId("model").title = model ? `${model.method}, trained in ${model.seconds.toFixed(1)} s${isTraining ? "; the next one is training" : ""}` : "";
  byId("advice").hidden = !state.advice?.stop;
  byId("advice").title = state.advice?.text ?? "";
}

function showAccuracy({ accuracy, n_audits: nAudits, n_audits_needed: nNeeded }) {
  const node = byId("accuracy");
  node.title = "Share of right predictions on audits, with its 90 % interval";
  if (!accuracy) {
    setText(node, `${nAudits} of ${nNeeded} audits until accuracy is shown`);
    return;
  }
  const { low, high, n_audits: n } = accuracy;
  const text = `Accuracy ${formatPercent(accuracy.accuracy)} (${Math.round(100 * low)}–${formatPercent(high)}) from ${plural(n, "audit")}`;
  if (node.textContent === text) return;
  const gauge = element("span", { class: "gauge", "aria-hidden": "true" });
  for (const [name, value] of Object.entries({ low, high, at: accuracy.accuracy })) gauge.style.setProperty(`--${name}`, value);
  node.replaceChildren(gauge, element("span", {}, text));
}

/** The tab in view is part of the address, so that reloading keeps it. */
export class Tabs {
  constructor(onShow) {
    this.onShow = onShow;
    this.current = "";
    const list = byId("tab-label").parentElement;
    for (const name of TABS) byId(`tab-${name}`).addEventListener("click", () => this.show(name));
    list.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.show(TABS.at((TABS.indexOf(this.current) + step) % TABS.length));
      byId(`tab-${this.current}`).focus();
    });
    window.addEventListener("hashchange", () => this.showFromAddress());
  }

  showFromAddress() {
    const name = location.hash.slice(1);
    this.show(TABS.includes(name) ? name : "label");
  }

  show(name) {
    if (name === this.current) return;
    this.current = name;
    for (const each of TABS) {
      byId(`panel-${each}`).hidden = each !== name;
      byId(`tab-${each}`).setAttribute("aria-selected", each === name);
      byId(`tab-${each}`).tabIndex = each === name ? 0 : -1;
    }
    document.body.dataset.tab = name;
    history.replaceState(null, "", name === "label" ? location.pathname : `#${name}`);
    this.onShow(name);
  }
}
