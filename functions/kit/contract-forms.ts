/** The partners' contract templates in the document store; outside production the sandbox's are made there. */
import {
  sandboxTemplateKey,
  sandboxTemplatePartner,
} from "../../shared/database/sandbox/partners.js";
import { makeContractTemplate } from "../../shared/documents/contracts/made-template.js";
import {
  contractTemplates,
  type ContractTemplates,
} from "../../shared/documents/contracts/contract-templates.js";
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
