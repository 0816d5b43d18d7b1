// The Progress tab: accuracy on audits, advice, shares of the classes, agreement of successive models.

import { getProgress } from "./api.js";
import { lineChart } from "./chart.js";
import { byId, debounce, element, formatNumber, formatPercent, plural } from "./dom.js";
import { classes, colourOf, findClass, getCurrent } from "./state.js";

export class ProgressView {
  #version = null;

  constructor() {
    this.panel = byId("panel-progress");
    this.updateSoon = debounce(() => this.#update(), 300);
  }

  show() {
    this.#version = null;
    this.#update();
  }

  async #update() {
    const version = getCurrent()?.version;
    if (this.panel.hidden || version === this.#version) return;
    try {
      const progress = await getProgress();
      this.#version = version;
      this.panel.replaceChildren(
        element("div", { class: "cards" }, accuracyCard(progress), agreementCard(progress.agreement)),
        element("div", { class: "cards" }, adviceCard(progress.advice), sharesCard(progress.shares)),
      );
    } catch (error) {
      if (this.#version === null) this.panel.replaceChildren(element("p", { class: "quiet" }, error.message));
    }
  }
}

const card = (title, ...children) => element("section", { class: "card" }, element("h2", {}, title), ...children);
const quiet = (text) => element("p", { class: "quiet" }, text);

function accuracyCard({ curve, audits }) {
  const state = getCurrent();
  const { accuracy, n_audits: nAudits, n_audits_needed: nNeeded } = state;
  const parts = [];
  if (accuracy) {
    parts.push(
      element(
        "p",
        { class: "headline" },
        element("strong", {}, formatPercent(accuracy.accuracy)),
        ` between ${formatPercent(accuracy.low)} and ${formatPercent(accuracy.high)} (90 % interval)`,
      ),
    );
  } else {
    parts.push(quiet(`${nAudits} of ${nNeeded} audits until the accuracy is shown.`));
  }
  const n = audits.right + audits.wrong;
  if (n) {
    const label = `${audits.right} right, ${audits.wrong} wrong`;
    const bar = element(
      "div",
      { class: "right-wrong", role: "img", "aria-label": label },
      element("span", { class: "right" }),
      element("span", { class: "wrong" }),
    );
    bar.style.setProperty("--right", audits.right / n);
    const right = element("span", { class: "key-right" }, `When they were answered, the model was right in ${plural(audits.right, "audit")}`);
    const wrong = element("span", { class: "key-wrong" }, `wrong in ${formatNumber(audits.wrong)}`);
    parts.push(bar, element("p", { class: "facts" }, right, wrong));
  }
  if (curve.length > 1) {
    const points = curve.map((each) => ({
      x: each.n_labels,
      y: each.accuracy,
      low: each.low,
      high: each.high,
      title:
        `${plural(each.n_labels, "label")}: ${formatPercent(each.accuracy)} ` +
        `(${formatPercent(each.low)} – ${formatPercent(each.high)}), ${plural(each.n_audits, "audit")}`,
    }));
    parts.push(lineChart(points, { label: `Accuracy on audits, now ${points.at(-1).title}` }));
    const rows = points.map((point) => element("li", {}, point.title));
    parts.push(element("details", { class: "numbers" }, element("summary", {}, "Numbers"), element("ul", {}, ...rows)));
  } else {
    parts.push(quiet("The curve appears after a few audits."));
  }
  return card("Accuracy on audits", ...parts);
}

function adviceCard({ stop, text, checks = [] }) {
  const items = checks.map((check) =>
    element("li", { class: check.holds ? "holds" : "fails" }, element("span", { class: "visually-hidden" }, check.holds ? "Yes: " : "Not yet: "), check.text),
  );
  return card("Advice", element("p", { class: stop ? "headline stop" : "headline" }, text), element("ul", { class: "checks" }, ...items));
}

function sharesCard(shares) {
  const known = shares.filter((each) => findClass(each.class));
  if (!known.length) return card("Classes", quiet("No class yet."));
  const largest = Math.max(...known.map((each) => each.share ?? 0), 0.01);
  const hasShares = known.some((each) => each.share !== null);
  const rows = known.map((each) => {
    const bar = element("span", { class: "share-bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", (each.share ?? 0) / largest);
    const share = each.share === null ? "–" : formatPercent(each.share);
    return element(
      "tr",
      { "data-colour": colourOf(each.class) },
      element("th", { scope: "row", dir: "auto" }, findClass(each.class).name),
      element("td", { class: "share-cell" }, bar),
      element("td", {}, share),
      element("td", {}, formatNumber(each.labeled)),
    );
  });
  const head = ["Class", "", "Share", "Labels"].map((text) => element("th", { scope: "col" }, text));
  const note = hasShares ? "Share: of all documents, by the model." : "Shares appear with the first model.";
  const table = element("table", { class: "shares" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  return card(`Classes (${classes().length})`, table, quiet(note));
}

function agreementCard(agreement) {
  if (agreement.length < 2) return card("Agreement of successive models", quiet("Appears after a few models."));
  const points = agreement.map((each) => ({ x: each.n_labels, y: each.kappa, title: `${plural(each.n_labels, "label")}: kappa ${each.kappa.toFixed(2)}` }));
  const lowest = Math.min(...points.map((point) => point.y));
  const label = `Agreement, now ${points.at(-1).title}`;
  const chart = lineChart(points, { label, format: (y) => y.toFixed(2), from: lowest > 0.5 ? 0.5 : 0 });
  const note = "Cohen’s kappa between the predictions of models ten labels apart. Near 1, more labels change little.";
  return card("Agreement of successive models", chart, quiet(note));
}
