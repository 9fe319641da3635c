/** The partners' contract templates in the document store; outside production the sandbox's are made there. */
import { createHash } from "node:crypto";
import { assignContractTemplate } from "../../shared/database/onboarding/contract-templates.js";
import type { Database } from "../../shared/database/platform/database.js";
import {
  sandboxTemplateKey,
  sandboxTemplatePartner,
} from "../../shared/database/sandbox/partners.js";
import { makeContractTemplate } from "../../shared/documents/contracts/made-template.js";
import {
  contractTemplates,
  type ContractTemplates,
} from "../../shared/documents/contracts/contract-templates.js";
import { templateFaults } from "../../shared/documents/contracts/template-form.js";
import { pdfContentType, type Documents } from "../../shared/documents/documents.js";

const nameOf = (partnerKey: string): string =>
  partnerKey.charAt(0).toUpperCase() + partnerKey.slice(1);

/** When it is first asked for: no start waits for the library that draws it. */
const makeSandboxTemplate = async (
  documents: Documents,
  documentKey: string,
): Promise<Uint8Array | undefined> => {
  const partnerKey = sandboxTemplatePartner(documentKey);
  if (partnerKey === undefined) return undefined;
  const bytes = await makeContractTemplate(nameOf(partnerKey));
  await documents.putOnce(sandboxTemplateKey(partnerKey), { contentType: pdfContentType, bytes });
  // Another process may have been first.
  return (await documents.get(documentKey))?.bytes;
};

export const openContractForms = (
  documents: Documents,
  isProduction: boolean,
): ContractTemplates =>
  isProduction
    ? contractTemplates(documents)
    : contractTemplates(documents, (documentKey) => makeSandboxTemplate(documents, documentKey));

export interface SetTemplate {
  /** What is wrong with the file, or with the partner's name; then nothing was changed. */
  readonly faults: readonly string[];
  readonly documentKey: string;
}

/** Makes a PDF form the partner's contract, for signatures from now on; what is signed stays as it is. */
export const setContractTemplate = async (
  database: Database,
  documents: Pick<Documents, "putOnce">,
  partnerKey: string,
  bytes: Uint8Array,
): Promise<SetTemplate> => {
  // By its content: a document never changes, so another form is another document.
  const hash = createHash("sha256").update(bytes).digest("hex");
  const documentKey = `contract-template/${partnerKey}/${hash}`;
  const faults = await templateFaults(bytes);
  if (faults.length > 0) return { faults, documentKey };
  await documents.putOnce(documentKey, { contentType: pdfContentType, bytes });
  const isSet = await assignContractTemplate(database, partnerKey, documentKey);
  return { faults: isSet ? [] : [`There is no partner ${partnerKey}.`], documentKey };
};
