// What the server last said about the whole session, and who wants to know.

const PALETTE_SIZE = 12;
const listeners = new Set();

let state = null;

export const getCurrent = () => state;
export const isReadOnly = () => state?.read_only ?? false;
export const hasSeveralLabels = () => state?.several_labels ?? false;
export const classes = () => state?.classes ?? [];
export const findClass = (id) => classes().find((each) => each.id === id);
export const nameOf = (id) => findClass(id)?.name ?? "a former class";
export const namesOf = (ids) => (ids.length ? ids.map(nameOf).join(", ") : "none");

/** Colours belong to ids, which never change, so a class keeps its colour. */
export const colourOf = (id) => (id - 1) % PALETTE_SIZE;

/** `listener(state, previous)` is called after every change. */
export function subscribe(listener) {
  listeners.add(listener);
}

/** The stream of events is the authority; an answer to a write may come late and be older. */
export function setState(next, { isFromEvents = false } = {}) {
  if (!isFromEvents && state && next.version < state.version) return;
  const previous = state;
  state = next;
  for (const listener of listeners) listener(state, previous);
}
