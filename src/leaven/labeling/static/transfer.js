// Labels in from a file, and the model that is saved at the end. Labels go out by plain links.

import { byId, plural } from "./dom.js";
import { showError, toast } from "./notices.js";
import { setState } from "./state.js";

export function prepareTransfer(outbox) {
  const file = byId("import-file");
  byId("import-labels").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (chosen) await importLabels(outbox, await chosen.text());
    file.value = ""; // so that the same file can be chosen again
  });
  byId("train-model").addEventListener("click", () => trainModel(outbox));
}

async function importLabels(outbox, csv) {
  try {
    const { n, n_unmatched: nUnmatched, state } = await outbox.push("POST", "/api/import", { csv });
    setState(state);
    const rest = nUnmatched ? `; ${plural(nUnmatched, "row")} matched no document` : "";
    toast(`${plural(n, "label")} imported${rest}`, nUnmatched ? "bad" : "good");
  } catch (error) {
    showError(`No labels were imported: ${error.message}`);
  }
}

async function trainModel(outbox) {
  try {
    const { state } = await outbox.push("POST", "/api/model", {});
    setState(state);
    toast("The model that is saved at the end trains now");
  } catch (error) {
    showError(`The model was not trained: ${error.message}`);
  }
}
