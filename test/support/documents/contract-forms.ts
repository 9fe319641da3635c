/** Contracts for tests: the sandbox's form from memory, and a partner's own form of any fields. */
import { makeContractTemplate } from "../../../shared/documents/contracts/made-template.js";
import {
  contractTemplates,
  type ContractTemplates,
} from "../../../shared/documents/contracts/contract-templates.js";
import { pdfContentType } from "../../../shared/documents/documents.js";
import { pdfLibrary } from "../../../shared/documents/pdf-library.js";

/** One template, `made`, without a document store. */
export const contractFormsInMemory = (
  make: () => Promise<Uint8Array> = () => makeContractTemplate("Acme"),
): ContractTemplates =>
  contractTemplates({
    get: async (key) =>
      key === "made" ? { contentType: pdfContentType, bytes: await make() } : undefined,
  });

export interface OwnField {
  readonly name: string;
  /** Points from the left lower corner; by default one below the other. */
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
  readonly page?: number;
  readonly value?: string;
  readonly kind?: "text" | "checkbox";
}

/** A partner's form as another program would make it: two pages, its own words, framed fields. */
export const ownForm = async (
  fields: readonly OwnField[],
  change: { readonly rotation?: 90; readonly password?: string; readonly pages?: number } = {},
): Promise<Uint8Array> => {
  const { PDF, grayscale } = await pdfLibrary();
  const pdf = PDF.create();
  for (let page = 0; page < (change.pages ?? 2); page += 1)
    pdf
      .addPage({ size: "a4" })
      .drawText(`Termini di Esempio S.p.A., ${page + 1}`, { x: 50, y: 800 });
  const form = pdf.getOrCreateForm();
  for (const [index, field] of fields.entries()) {
    const { name, x = 100, y = 750 - index * 40, width = 300, height = 24, page = 0 } = field;
    const frame = { borderColor: grayscale(0.5), borderWidth: 1 };
    const made =
      field.kind === "checkbox" ? form.createCheckbox(name) : form.createTextField(name, frame);
    if (field.value !== undefined && made.type === "text") made.setValue(field.value);
    pdf.getPage(page)?.drawField(made, { x, y, width, height });
  }
  if (change.rotation !== undefined) pdf.getPage(0)?.setRotation(change.rotation);
  if (change.password !== undefined)
    pdf.setProtection({ userPassword: change.password, ownerPassword: change.password });
  return pdf.save();
};
