/** Makes a PDF form a partner's contract. */
import { setContractTemplate } from "../../functions/kit/contract-forms.js";
import { documentStore } from "../../functions/kit/document-store.js";
import { templateBytesMax } from "../../shared/documents/contracts/template-form.js";
import { refused, UsageError, type Command, type Given, type Report } from "../kit/command-line.js";
import type { Tools } from "./command.js";
import { readBytes } from "./read-json.js";

const setTemplate = async ({ words }: Given, tools: Tools): Promise<Report> => {
  const [partnerKey, file, ...more] = words;
  if (partnerKey === undefined || file === undefined || more.length > 0)
    throw new UsageError("One NAME and one FILE are needed.");
  const store = documentStore(tools.documents(), tools.database);
  const bytes = await readBytes(file, templateBytesMax);
  const { faults, documentKey } = await setContractTemplate(
    tools.database,
    store,
    partnerKey,
    bytes,
  );
  if (faults.length > 0) return refused(faults);
  return {
    done: true,
    value: { partnerKey, documentKey },
    lines: [`${partnerKey} has its contract from ${documentKey}.`],
  };
};

export const contractTemplateCommand: Command<Tools> = {
  name: "contract-template",
  usage: "NAME FILE",
  summary: "makes a PDF form the partner's contract",
  options: {},
  help: [
    "FILE                 a PDF form; its fields are named in docs/operating.md. With documents in Blob",
    "                     Storage: set DOCUMENTS_STORAGE and the rest as the platform has them",
  ],
  run: setTemplate,
};
