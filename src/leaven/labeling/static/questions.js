// Which document is on screen: the questions held ahead, or a document visited above them
// (from the history, or opened from a list). Going on never waits for the network.

import { getDocument, getDocuments, getNext } from "./api.js";
import { isReadOnly } from "./state.js";
import { showError, toast } from "./notices.js";

const N_HELD = 6; // one on screen and five ahead
const N_SEEN = 100;
const N_WITHOUT = 120; // the server takes 2,000 characters
const SETTLING = 300; // milliseconds in which a document that has just appeared does not change
const HISTORY_PAGE = 50;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Questions {
  #held = []; // #held[0] is the present question
  #visited = null; // { number, place, question }; place: index in the trail, -1 if opened from a list
  #trail = []; // numbers of answered documents, newest first
  #nHistory = 0; // how much of the server's history is in the trail
  #isHistoryRead = false;
  #seen = new Map(); // the newest questions by number, to show them again at once
  #left = new Set(); // documents that left the screen since the running request for questions began
  #shown = null; // the question that was shown last: showing it again would reset what was chosen
  #isLoading = false;
  #isStale = false; // a model came while questions were loading

  isExhausted = false; // nothing left to ask, as opposed to not loaded yet
  shownAt = 0;

  /** `onShow()`: another document is on screen. `onUpdate()`: the same one, with newer numbers. */
  constructor(outbox, { onShow, onUpdate }) {
    this.outbox = outbox;
    this.onShow = onShow;
    this.onUpdate = onUpdate;
  }

  get current() {
    return this.#visited ? this.#visited.question : (this.#held[0] ?? null);
  }

  get isVisiting() {
    return this.#visited !== null;
  }

  get isFromHistory() {
    return this.isVisiting && this.#visited.place >= 0;
  }

  // Questions ahead

  refill() {
    if (this.#held.length >= N_HELD) return;
    this.#load(this.#held, (fresh) => [...this.#held, ...fresh]);
  }

  /** After a new model: replace what is not on screen. Audits show nothing of a model and keep their places. */
  async refresh() {
    if (this.#isLoading) {
      this.#isStale = true;
      return;
    }
    const isKept = (question, i) => i === 0 || question.why === "audit";
    await this.#load(this.#held.filter(isKept), (fresh) => {
      const hasAudit = this.#held.some((question, i) => i > 0 && question.why === "audit");
      const others = hasAudit ? fresh.filter((question) => question.why !== "audit") : fresh;
      const places = this.#held.map((question, i) => (isKept(question, i) ? question : others.shift()));
      return [...places, ...others].filter(Boolean);
    });
    await this.#updateCurrent();
  }

  async #load(kept, merge) {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#left.clear();
    const numbers = kept.map((question) => question.document);
    const viewed = isReadOnly() ? this.#trail.slice(0, N_SEEN) : [];
    try {
      const without = [...new Set([...numbers, ...this.outbox.documents, ...viewed])].slice(0, N_WITHOUT);
      const questions = await getNext(N_HELD - kept.length, without);
      const taken = new Set([...numbers, ...this.#left, ...this.outbox.documents, this.#held[0]?.document]);
      this.#held = merge(questions.filter((question) => !taken.has(question.document))).slice(0, N_HELD);
      this.isExhausted = !this.#held.length;
      if (this.current !== this.#shown || !this.current) this.#show();
    } catch {
      setTimeout(() => this.refill(), 2000);
    } finally {
      this.#isLoading = false;
    }
    if (this.#isStale) {
      this.#isStale = false;
      await this.refresh();
    }
  }

  async #updateCurrent() {
    const question = this.current;
    if (!question || question.why === "audit" || question.is_cut) return;
    await sleep(Math.max(0, SETTLING - (performance.now() - this.shownAt)));
    const fresh = await getDocument(question.document).catch(() => null);
    if (!fresh || this.current !== question || fresh.text !== question.text) return;
    const { probabilities, suggested, words, model, is_unsupported } = fresh;
    Object.assign(question, { probabilities, suggested, words, model, is_unsupported });
    this.onUpdate();
  }

  #show() {
    this.#shown = this.current;
    this.shownAt = performance.now();
    this.onShow();
  }

  // Answers

  answer(classIds, { accepted = false, onReply }) {
    const question = this.current;
    if (!question || isReadOnly()) return;
    const number = question.document;
    this.outbox
      .push("POST", "/api/answers", {
        document: number,
        classes: classIds,
        why: question.why,
        milliseconds: Math.round(performance.now() - this.shownAt),
        model: question.model,
        accepted,
      })
      .then(onReply)
      .catch((error) => showError(`Document ${number} was not labeled: ${error.message}`));
    question.labels = classIds;
    question.is_skipped = false;
    this.#leave(question);
  }

  skip() {
    const question = this.current;
    if (!question) return;
    if (this.isFromHistory && question.labels.length) {
      this.forward();
      return;
    }
    if (!isReadOnly()) {
      this.outbox
        .push("POST", "/api/answers", { document: question.document, skip: true })
        .catch((error) => showError(`Document ${question.document} was not skipped: ${error.message}`));
    }
    this.#leave(question);
  }

  clear() {
    const question = this.current;
    if (!question || isReadOnly()) return;
    this.outbox
      .push("POST", "/api/answers", { document: question.document, clear: true })
      .then(() => toast(`Document ${question.document} has no label now`))
      .catch((error) => showError(`The label of document ${question.document} was not removed: ${error.message}`));
    question.labels = [];
    this.onUpdate();
  }

  /** Put the document of an undone answer back on screen. */
  restore(documents, question) {
    this.#trail = this.#trail.filter((number) => !documents.includes(number));
    if (!question) return;
    this.#visited = null;
    this.#held = [question, ...this.#held.filter((each) => each.document !== question.document)];
    this.#show();
  }

  #leave(question) {
    const number = question.document;
    this.#left.add(number);
    this.#seen.set(number, question);
    if (this.#seen.size > N_SEEN) this.#seen.delete(this.#seen.keys().next().value);
    this.#held = this.#held.filter((each) => each.document !== number);
    if (this.isFromHistory) {
      this.forward();
    } else {
      this.#trail = [number, ...this.#trail.filter((each) => each !== number)];
      this.#visited = null;
      this.#show();
    }
    this.refill();
  }

  // Documents visited

  async back() {
    const place = this.isFromHistory ? this.#visited.place + 1 : 0;
    while (place >= this.#trail.length && !this.#isHistoryRead) await this.#readHistory();
    if (place < this.#trail.length) this.#visit(this.#trail[place], place);
    else toast("No earlier document");
  }

  forward() {
    if (!this.isVisiting) return;
    const { place } = this.#visited;
    if (place > 0) {
      this.#visit(this.#trail[place - 1], place - 1);
    } else {
      this.goToPresent();
    }
  }

  goToPresent() {
    if (!this.isVisiting) return;
    this.#visited = null;
    this.#show();
  }

  open(number) {
    this.#visit(number, -1);
  }

  async #visit(number, place) {
    const visited = { number, place, question: this.#seen.get(number) ?? null };
    this.#visited = visited;
    this.#show();
    try {
      const question = await getDocument(number);
      if (this.#visited !== visited) return;
      const pending = this.outbox.pendingAnswer(number);
      if (pending?.classes) question.labels = pending.classes;
      const isNew = visited.question?.text !== question.text;
      visited.question = question;
      if (isNew) this.#show();
      else this.onUpdate();
    } catch (error) {
      if (this.#visited !== visited || visited.question) return;
      toast(error.message, "bad");
      this.#visited = null;
      this.#show();
    }
  }

  async #readHistory() {
    try {
      const { documents } = await getDocuments("history", { offset: this.#nHistory, limit: HISTORY_PAGE });
      const numbers = documents.map((each) => each.document);
      this.#trail = [...new Set([...this.#trail, ...numbers])];
      this.#nHistory += numbers.length;
      this.#isHistoryRead = numbers.length < HISTORY_PAGE;
    } catch {
      this.#isHistoryRead = true;
    }
  }
}
