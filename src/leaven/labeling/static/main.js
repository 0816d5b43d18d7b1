// Puts the parts together: state in, answers out, keys to actions.

import { getState, listen } from "./api.js";
import { ClassList } from "./classes.js";
import { askKey, askMerge, askNewClass, askRename, prepareDialogs, showHelp } from "./dialogs.js";
import { byId, plural } from "./dom.js";
import { listenToKeys } from "./keys.js";
import { LabelView } from "./label_view.js";
import { tameDetails } from "./menu.js";
import { setBanner, showError, toast } from "./notices.js";
import { Outbox } from "./outbox.js";
import { ProgressView } from "./progress_view.js";
import { Questions } from "./questions.js";
import { ReviewView } from "./review_view.js";
import { SearchView } from "./search_view.js";
import { classes, getCurrent, isReadOnly, nameOf, setState, subscribe } from "./state.js";
import { showStatus, Tabs } from "./top_bar.js";
import { prepareTransfer } from "./transfer.js";

let isConnected = true;

const outbox = new Outbox(showConnection);
const questions = new Questions(outbox, { onShow: () => labelView.show(), onUpdate: () => labelView.update() });
const classList = new ClassList({ onChoose: (id) => labelView.choose(id), menuOf });
const labelView = new LabelView(questions, classList);
const searchView = new SearchView(outbox, openDocument);
const reviewView = new ReviewView(outbox, openDocument);
const progressView = new ProgressView();
const tabs = new Tabs((name) => {
  if (name === "search") searchView.focus();
  if (name === "review") reviewView.show();
  if (name === "progress") progressView.show();
});

// State

subscribe((state, previous) => {
  showStatus(state);
  classList.update();
  labelView.update();
  searchView.update();
  progressView.updateSoon();
  document.body.classList.toggle("is-read-only", state.read_only);
  setBanner("read-only", state.read_only ? "Read-only: labels can be seen and exported, not changed." : "");
  setBanner("training", state.failure ? `Answers are stored, but the newest model could not be trained: ${state.failure}` : "");
  if (!previous) questions.refill();
  else if ((state.model?.number ?? 0) > (previous.model?.number ?? 0)) questions.refresh();
  else if (!questions.current) questions.refill();
});

function showConnection() {
  const n = outbox.nWaiting;
  const unsaved = n ? ` ${plural(n, "answer")} not saved.` : "";
  const ended = `This session has ended. Open the address that leaven printed when it started.${unsaved}`;
  setBanner("session", outbox.isSignedOut ? ended : "");
  const waiting = n ? ` (${plural(n, "answer")} waiting)` : "";
  setBanner("connection", isConnected ? "" : `Connection lost; answers are kept in this tab and sent when it returns. If leaven was ended, start it again and open its new address${waiting}`);
  const retry = { text: "Try now", run: () => outbox.retry() };
  setBanner("unsaved", outbox.problem ? `${plural(n, "answer")} not saved yet: ${outbox.problem}` : "", retry);
}

function onConnection(isOpen) {
  if (isOpen && !isConnected) {
    outbox.retry();
    questions.refill();
  }
  isConnected = isOpen;
  showConnection();
  if (!isOpen) getState().catch((error) => {
    outbox.isSignedOut = error.status === 401;
    showConnection();
  });
}

window.addEventListener("beforeunload", (event) => {
  if (outbox.nWaiting) event.preventDefault();
});

// Actions

function openDocument(number) {
  tabs.show("label");
  questions.open(number);
}

function undo() {
  if (isReadOnly()) return;
  if (outbox.problem) toast("Undo waits until leaven answers");
  outbox
    .push("POST", "/api/undo", {})
    .then(({ undone, documents, question, state }) => {
      setState(state);
      questions.restore(documents, question);
      if (question) tabs.show("label");
      else if (tabs.current === "search") searchView.search();
      toast(`Undone: ${undone}`);
    })
    .catch((error) => (error.code === "nothing_to_undo" ? toast("Nothing to undo") : showError(`Nothing was undone: ${error.message}`)));
}

/** Create a class and label with it the document that was on screen when it was named. */
async function createClass(name) {
  const question = questions.current;
  const { class: created, state } = await outbox.push("POST", "/api/classes", { name });
  setState(state);
  if (question && questions.current === question) labelView.choose(created.id);
}

async function changeClass(id, change, text) {
  const { state } = await outbox.push("PATCH", `/api/classes/${id}`, change);
  setState(state);
  toast(text);
}

function menuOf(id) {
  const name = nameOf(id);
  const top = { text: "Top documents", run: () => (tabs.show("search"), searchView.showClass(id)) };
  if (isReadOnly()) return [top];
  const entries = [
    { text: "Rename…", run: () => askRename(id, (to) => changeClass(id, { name: to }, `${name} is called ${to} now`)) },
    { text: "Change key…", run: () => askKey(id, (key) => changeClass(id, { key }, `The key of ${name} is ${key} now`)) },
  ];
  if (classes().length > 1) {
    entries.push({ text: "Merge into…", run: () => askMerge(id, (into) => changeClass(id, { merge_into: into }, `${name} is part of ${nameOf(into)} now`)) });
  }
  return [...entries, top];
}

function newClass() {
  if (isReadOnly() || !getCurrent()) return;
  if (classes().length) askNewClass(createClass);
  else byId("start-class-name").focus();
}

// Keys and buttons

const onLabelTab = (action) => () => tabs.current === "label" && (action(), true);
/** False where the text does not scroll by itself, so that the page does. */
function scrollText(pixels) {
  const text = byId("text");
  if (text.scrollHeight <= text.clientHeight) return false;
  text.scrollBy(0, pixels);
  return true;
}

const onTab = (actions) => () => actions[tabs.current]?.() ?? false;

listenToKeys(
  {
    accept: onTab({ label: () => (labelView.accept(), true), review: () => reviewView.decide(true) }),
    skip: onTab({ label: () => (questions.skip(), true), review: () => reviewView.decide(false) }),
    undo: () => (undo(), true),
    back: onLabelTab(() => questions.back()),
    forward: onLabelTab(() => questions.forward()),
    up: onTab({ label: () => scrollText(-60), review: () => reviewView.move(-1) }),
    down: onTab({ label: () => scrollText(60), review: () => reviewView.move(1) }),
    pageUp: onTab({ label: () => scrollText(-0.85 * byId("text").clientHeight) }),
    pageDown: onTab({ label: () => scrollText(0.85 * byId("text").clientHeight) }),
    search: () => (tabs.show("search"), searchView.focus(), true),
    newClass: onLabelTab(newClass),
    toggleWords: onLabelTab(() => labelView.toggleWords()),
    filter: onLabelTab(() => byId("class-filter").focus()),
    help: () => (showHelp(), true),
    escape: onLabelTab(() => questions.goToPresent()),
  },
  (character) => {
    const chosen = classes().find((each) => each.key === character);
    if (tabs.current !== "label" || !chosen) return false;
    labelView.choose(chosen.id);
    return true;
  },
);

const buttons = {
  undo,
  skip: () => questions.skip(),
  previous: () => questions.back(),
  "go-on": () => questions.forward(),
  clear: () => questions.clear(),
  "toggle-words": () => labelView.toggleWords(),
  "new-class": newClass,
  confirm: () => labelView.accept(),
  help: showHelp,
  advice: () => tabs.show("progress"),
};
for (const [id, action] of Object.entries(buttons)) byId(id).addEventListener("click", action);

byId("start").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = byId("start-class-name");
  const error = event.target.querySelector(".error");
  const name = field.value.trim();
  if (!name || !questions.current) return;
  try {
    await createClass(name);
    field.value = "";
    error.hidden = true;
    field.blur();
  } catch (problem) {
    error.textContent = problem.message;
    error.hidden = false;
  }
});

prepareDialogs();
prepareTransfer(outbox);
tameDetails(byId("export-menu"));
tabs.showFromAddress();
labelView.show();
getState().then(setState, (error) => showError(error.message));
listen((state) => setState(state, { isFromEvents: true }), onConnection);
