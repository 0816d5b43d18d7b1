// All writes, one at a time and in order. A write that got no answer is sent again under the same
// request id, so nothing is done twice; one that was refused is dropped and its promise rejected.

import { request } from "./api.js";
import { uuid } from "./dom.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

export class Outbox {
  #writes = [];
  #isRunning = false;
  #wake = () => {};

  /** Why the oldest write could not be sent yet, or "". */
  problem = "";
  /** Whether the server refused the session's cookie. */
  isSignedOut = false;

  constructor(onChange) {
    this.onChange = onChange;
  }

  get nWaiting() {
    return this.#writes.length;
  }

  /** Numbers of documents whose answer is not written yet. */
  get documents() {
    return this.#writes.map((write) => write.body.document).filter((number) => number !== undefined);
  }

  /** The answer to this document that is on its way, if any. */
  pendingAnswer(number) {
    return this.#writes.findLast((write) => write.body.document === number)?.body;
  }

  push(method, path, body) {
    return new Promise((resolve, reject) => {
      this.#writes.push({ method, path, body: { request: uuid(), ...body }, resolve, reject });
      if (this.problem) this.onChange();
      this.#run();
    });
  }

  /** Do not wait any longer: the server is there again. */
  retry() {
    this.#wake();
  }

  async #run() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    let pause = FIRST_PAUSE;
    while (this.#writes.length) {
      const write = this.#writes[0];
      try {
        const answer = await request(write.method, write.path, write.body);
        this.#settle(() => write.resolve(answer));
        pause = FIRST_PAUSE;
      } catch (error) {
        if (error.isFinal) {
          this.#settle(() => write.reject(error));
          continue;
        }
        this.problem = error.message;
        this.isSignedOut = error.status === 401;
        this.onChange();
        await this.#sleep(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
    }
    this.#isRunning = false;
  }

  #settle(finish) {
    this.#writes.shift();
    this.problem = "";
    this.isSignedOut = false;
    finish();
    this.onChange();
  }

  #sleep(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
