// HTTP: one function per kind of request, one error type, and the stream of states.

const WAIT_READ = 30_000;
const WAIT_WRITE = 60_000;

/** `status` 0: the server did not answer. `isFinal`: sending the same again cannot help. */
export class ApiError extends Error {
  constructor(message, code, status) {
    super(message);
    this.code = code;
    this.status = status;
    this.isFinal = status >= 400 && status < 500 && ![401, 408, 425, 429].includes(status);
  }
}

export async function request(method, path, body) {
  const options = { method, credentials: "same-origin", cache: "no-store" };
  options.signal = AbortSignal.timeout(body ? WAIT_WRITE : WAIT_READ);
  if (body) {
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let response;
  let answer;
  try {
    response = await fetch(path, options);
    answer = await response.json();
  } catch {
    if (response && response.status >= 400) throw new ApiError(`leaven answered ${response.status}.`, "", response.status);
    throw new ApiError("leaven does not answer.", "unreachable", 0);
  }
  if (!response.ok) {
    const { code = "", message = `leaven answered ${response.status}.` } = answer?.error ?? {};
    throw new ApiError(message, code, response.status);
  }
  return answer;
}

export const getState = () => request("GET", "/api/state");
export const getProgress = () => request("GET", "/api/progress");
export const getDocument = (number) => request("GET", `/api/documents/${number}`);

export async function getNext(n, without) {
  const query = new URLSearchParams({ n });
  if (without.length) query.set("without", without.join(","));
  return (await request("GET", `/api/next?${query}`)).questions;
}

export function getDocuments(view, parameters) {
  return request("GET", `/api/documents?${new URLSearchParams({ view, ...parameters })}`);
}

/** Listen to states while the page is visible; a hidden page gives its connection back. */
export function listen(onState, onConnection) {
  let source = null;
  let timer = 0;

  function open() {
    clearTimeout(timer);
    if (source || document.hidden) return;
    source = new EventSource("/api/events");
    source.addEventListener("open", () => onConnection(true));
    source.addEventListener("state", (event) => {
      onConnection(true);
      onState(JSON.parse(event.data));
    });
    source.addEventListener("error", () => {
      onConnection(false);
      if (source?.readyState !== EventSource.CLOSED) return; // the browser connects again by itself
      close();
      timer = setTimeout(open, 2000);
    });
  }

  function close() {
    source?.close();
    source = null;
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
}
