// The Label tab: the document on screen, its answer, and the buttons around it.

import { getDocument } from "./api.js";
import { byId, element, formatNumber, formatPercent, setText } from "./dom.js";
import { announce, toast } from "./notices.js";
import { classes, findClass, getCurrent, hasSeveralLabels, isReadOnly, nameOf, namesOf, setState } from "./state.js";
import { renderLegend, renderText } from "./text.js";

const WHY = {
  typical: ["Typical document", "It resembles many documents without a label"],
  uncertain: ["The model is unsure", "The model hesitates between classes"],
  audit: ["Audit: suggestion hidden", "A random document that measures the accuracy. The suggestion is hidden so that it cannot influence the answer."],
  random: ["Random document", "Drawn at random from the documents without a label"],
};
const SHORT_TEXT = 280;
const LONG_TEXT = 1500;
const GUARD = 400; // milliseconds after a change of the suggestion in which Enter is not taken as accepting it

export class LabelView {
  #chosen = new Set(); // with several labels: the classes that Enter confirms
  #isTouched = false; // whether the chosen classes are the user's rather than the model's
  #suggestedAt = -Infinity;
  #suggested = "";
  #areWordsShown = true;

  constructor(questions, classList) {
    this.questions = questions;
    this.classList = classList;
    byId("show-whole").addEventListener("click", () => this.#showWhole());
  }

  get #suggestion() {
    return (this.questions.current?.suggested ?? []).filter(findClass);
  }

  /** Another document is on screen. */
  show() {
    const question = this.questions.current;
    this.#isTouched = false;
    this.#suggested = this.#suggestion.join();
    this.#suggestedAt = -Infinity;
    this.#showText(question);
    this.#showFields(question);
    byId("text").scrollTop = 0;
    this.update({ isNew: true });
    if (question) announce(this.#announcement(question));
  }

  /** The same document with newer numbers, or new classes, or a new state. */
  update({ isNew = false } = {}) {
    const question = this.questions.current;
    const suggestion = this.#suggestion;
    if (suggestion.join() !== this.#suggested) {
      this.#suggested = suggestion.join();
      this.#suggestedAt = performance.now();
    }
    if (question && !isNew) this.#showText(question);
    if (!this.#isTouched) this.#chosen = new Set(question?.labels.length ? question.labels : hasSeveralLabels() ? suggestion : []);
    this.#showHead(question);
    this.#showButtons(question);
    this.classList.show({ probabilities: question?.probabilities ?? [], suggested: suggestion, chosen: this.#chosen });
  }

  // Answers

  choose(id) {
    const question = this.questions.current;
    if (!question) return;
    if (isReadOnly()) {
      toast("This session is read-only");
    } else if (hasSeveralLabels()) {
      this.#isTouched = true;
      if (!this.#chosen.delete(id)) this.#chosen.add(id);
      this.update();
    } else {
      this.#send([id], false);
      this.classList.flash(id);
    }
  }

  accept() {
    const question = this.questions.current;
    if (!question || isReadOnly() || !classes().length) return;
    const suggestion = this.#suggestion;
    const isBlind = performance.now() - this.#suggestedAt < GUARD;
    if (isBlind && !this.#isTouched) {
      toast("The suggestion has just changed: press Enter again to accept it");
    } else if (hasSeveralLabels()) {
      this.#send([...this.#chosen], !this.#isTouched && suggestion.length > 0);
    } else if (suggestion.length) {
      this.#send(suggestion, true);
      this.classList.flash(suggestion[0]);
    } else {
      toast(question.why === "audit" ? "Audit: choose a class, the suggestion is hidden" : "No suggestion yet: choose a class");
    }
  }

  #send(ids, accepted) {
    const { questions } = this;
    const question = questions.current;
    if (questions.isFromHistory && ids.join() === question.labels.join()) {
      questions.forward();
      return;
    }
    const isVisit = questions.isVisiting;
    const onReply = ({ audit, state, document }) => {
      setState(state);
      if (audit) toast(auditText(audit, ids), audit.is_right ? "good" : "bad");
      else if (isVisit) toast(`Document ${document}: ${namesOf(ids)}`);
    };
    questions.answer(ids, { accepted, onReply });
  }

  toggleWords() {
    this.#areWordsShown = !this.#areWordsShown;
    byId("toggle-words").setAttribute("aria-pressed", this.#areWordsShown);
    this.update();
  }

  // Parts of the page

  #showText(question) {
    const node = byId("text");
    const words = this.#areWordsShown ? (question?.words ?? []) : [];
    const content = question ? JSON.stringify([question.document, question.text.length, words, classes().map((each) => each.name)]) : "";
    if (question && node.dataset.content === content) return;
    node.dataset.content = content;
    renderLegend(byId("legend"), words);
    node.classList.toggle("is-short", question?.text.length <= SHORT_TEXT);
    node.classList.toggle("is-long", question?.text.length > LONG_TEXT);
    node.classList.toggle("is-empty", !question);
    if (question) renderText(node, question.text, words);
    else node.replaceChildren(...this.#emptyText());
    byId("cut").hidden = !question?.is_cut;
    if (question?.is_cut) {
      const shown = formatNumber(question.text.length);
      setText(byId("cut-text"), `The first ${shown} of ${formatNumber(question.n_characters)} characters.`);
    }
  }

  #emptyText() {
    if (this.questions.isVisiting || !this.questions.isExhausted) return [element("p", {}, "Loading…")];
    const { n_skipped: nSkipped } = getCurrent() ?? {};
    return [
      element("h2", {}, nSkipped ? "Every document is labeled or skipped" : "Every document is labeled"),
      element("p", {}, "Check the disputed labels under Review, then export the labels."),
    ];
  }

  #showFields(question) {
    const entries = Object.entries(question?.fields ?? {});
    byId("fields").hidden = !entries.length;
    byId("fields").replaceChildren(
      ...entries.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", { dir: "auto", title: value }, value))),
    );
  }

  #showHead(question) {
    const { isFromHistory, isVisiting } = this.questions;
    setText(byId("document-number"), question ? `Document ${formatNumber(question.document)}` : "");
    const answered = question?.labels.length ? `Labeled ${namesOf(question.labels)}` : question?.is_skipped ? "Skipped" : "No label yet";
    const [text, title] = isVisiting ? [answered, ""] : (WHY[question?.why] ?? ["", ""]);
    const badge = byId("why");
    setText(badge, question ? text : "");
    badge.title = title;
    badge.classList.toggle("audit", !isVisiting && question?.why === "audit");
    badge.hidden = !badge.textContent;
    byId("unsupported").hidden = !question?.is_unsupported || (question.why === "audit" && !isVisiting);
    byId("go-on").hidden = !isVisiting;
    document.body.classList.toggle("is-visiting", isVisiting);
    byId("previous").title = isFromHistory ? "Earlier documents (←)" : "Documents answered before (←)";
  }

  #showButtons(question) {
    const state = getCurrent();
    const hasClasses = classes().length > 0;
    byId("start").hidden = !state || hasClasses || isReadOnly();
    byId("new-class").hidden = !hasClasses || isReadOnly();
    byId("skip").disabled = !question;
    setText(byId("skip-text"), isReadOnly() ? "Next" : "Skip");
    byId("undo").disabled = isReadOnly() || !(state?.can_undo || this.questions.outbox.nWaiting);
    byId("undo").title = state?.undo_text ? `Undo: ${state.undo_text}` : "Undo";
    byId("clear").hidden = isReadOnly() || !this.questions.isVisiting || !question?.labels.length;
    byId("toggle-words").disabled = !question?.model;
    const confirm = byId("confirm");
    confirm.hidden = !hasSeveralLabels() || !hasClasses || isReadOnly();
    confirm.disabled = !question;
    const n = this.#chosen.size;
    setText(byId("confirm-text"), n ? `Confirm ${n === 1 ? "1 class" : `${n} classes`}` : "Confirm: none of them");
    setText(byId("chooser-title"), hasSeveralLabels() ? "Classes, one or several" : "Classes");
    const hint = byId("hint");
    hint.hidden = !hasClasses || classes().length > 1 || isReadOnly();
    setText(hint, "The model needs a second class: press n at the first document that belongs to another one.");
  }

  #announcement(question) {
    const parts = [`Document ${question.document}.`, byId("why").textContent];
    if (this.#suggestion.length) parts.push(`. Suggested: ${namesOf(this.#suggestion)}`);
    return `${parts.join(" ")}. ${question.text.slice(0, 300)}`;
  }

  /** The whole text; of an audit nothing else, since the suggestion has to stay hidden. */
  async #showWhole() {
    const question = this.questions.current;
    try {
      const whole = await getDocument(question.document);
      if (this.questions.current !== question) return;
      question.text = whole.text;
      question.is_cut = false;
      if (question.why !== "audit") question.words = whole.words;
      this.update();
    } catch (error) {
      toast(error.message, "bad");
    }
  }
}

function auditText({ predicted, probability, is_right: isRight }, ids) {
  const names = namesOf(predicted);
  if (isRight) return `Audit: the model agreed (${names}, ${formatPercent(probability)})`;
  return `Audit: the model said ${names} (${formatPercent(probability)}), you said ${ids.length ? ids.map(nameOf).join(", ") : "none"}`;
}
