/** A partner's own form of a contract, an AcroForm PDF: checked when it is handed in, prepared when it is filled. */
import type { FormField, PDF, PDFPage, TextField } from "@libpdf/core";
import { fillPrepared, finishForm, type PlacedBox, type PreparedForm } from "../prepared-form.js";
import { embedFont, pdfLibrary } from "../pdf-library.js";
import {
  contractFields,
  contractValues,
  identifyingFields,
  type ContractHolder,
} from "./contract-pdf.js";

export const templateBytesMax = 2 * 1024 * 1024;
const pagesMax = 20;
/** Points: room for a line that can be read. */
const boxMin = { width: 40, height: 8 };

const isText = (field: FormField): field is TextField => field.type === "text";

const pageOfWidget = (
  pages: readonly PDFPage[],
  widget: ReturnType<TextField["getWidgets"]>[number],
): number => {
  const { pageRef } = widget;
  return pages.findIndex(({ ref }) => ref.objectNumber === pageRef?.objectNumber);
};

/** A box on page -1 is on none. */
const boxesOf = (pdf: PDF, field: TextField): PlacedBox[] => {
  const pages = pdf.getPages();
  return field.getWidgets().map((widget) => {
    const [left, bottom, right, top] = widget.rect;
    return {
      name: field.name,
      page: pageOfWidget(pages, widget),
      x: Math.min(left, right),
      y: Math.min(bottom, top),
      width: Math.abs(right - left),
      height: Math.abs(top - bottom),
    };
  });
};

/** Whether an empty field shows anything: a border, a background. */
const isFramed = (field: TextField): boolean =>
  field.getWidgets().some((widget) => {
    const look = widget.getAppearanceCharacteristics();
    return look?.borderColor !== undefined || look?.backgroundColor !== undefined;
  });

/** The form with its fields gone, ready to be filled. */
export const prepareTemplate = async (template: Uint8Array): Promise<PreparedForm> => {
  const { PDF } = await pdfLibrary();
  const pdf = await PDF.load(template);
  const form = pdf.getForm();
  const fields = form?.getTextFields() ?? [];
  const boxes = fields.flatMap((field) => boxesOf(pdf, field));
  for (const field of fields) if (!isFramed(field)) form?.removeField(field);
  // The borders and backgrounds of the others become a part of the page.
  form?.flatten();
  return finishForm(pdf, boxes, await embedFont(pdf, "regular"));
};

const fieldFaults = (pdf: PDF, field: FormField): string[] => {
  const { name } = field;
  if (!isText(field)) return [`The field ${name} is no text field: remove it.`];
  if (!contractFields.some((known) => known === name))
    return [`The field ${name} is not known: the names are ${contractFields.join(", ")}.`];
  const faults: string[] = [];
  if (field.getValue() !== "") faults.push(`The field ${name} has a value: leave it empty.`);
  const boxes = boxesOf(pdf, field);
  if (boxes.length === 0 || boxes.some(({ page }) => page < 0))
    faults.push(`The field ${name} is on no page.`);
  if (boxes.some(({ width, height }) => width < boxMin.width || height < boxMin.height))
    faults.push(
      `The field ${name} is too small: at least ${boxMin.width} by ${boxMin.height} points.`,
    );
  if (boxes.some(({ page }) => pdf.getPage(page)?.rotation !== 0))
    faults.push(`The field ${name} is on a page that is turned: turn the page's content instead.`);
  return faults;
};

const widest: ContractHolder = {
  walletId: "01a1fc82-eec5-792e-9f93-cbdb76556123",
  partnerKey: "partner",
  ...{ firstName: "W".repeat(255), lastName: "Ж".repeat(255), taxId: "RSSMRA85T10A562S" },
  ...{ addressStreet: "W".repeat(255), addressNumber: "W".repeat(255) },
  ...{ zipCode: "00000", city: "W".repeat(255), province: "W".repeat(255), country: null },
  ...{ phoneNumber: "+390000000000", email: "w@example.com", iban: null },
};

/** Does now what every signature will do, with the longest values that there are. */
const fillingFault = async (template: Uint8Array): Promise<string[]> => {
  try {
    await fillPrepared(await prepareTemplate(template), contractValues(widest));
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [`The form cannot be filled: ${why}`];
  }
};

const open = async (template: Uint8Array): Promise<PDF | undefined> => {
  const { PDF } = await pdfLibrary();
  try {
    return await PDF.load(template);
  } catch {
    return undefined;
  }
};

/** What is wrong with a template, a sentence each that says what to change; nothing: it can be used. */
export const templateFaults = async (template: Uint8Array): Promise<readonly string[]> => {
  if (template.length > templateBytesMax)
    return [`The file has more than ${templateBytesMax} bytes.`];
  const pdf = await open(template);
  if (pdf === undefined || pdf.recoveredViaBruteForce) return ["The file is no sound PDF."];
  if (pdf.isEncrypted) return ["The file is encrypted: save it without a password."];
  if (pdf.getPageCount() > pagesMax) return [`The file has more than ${pagesMax} pages.`];
  const form = pdf.getForm();
  const fields = form?.getFields() ?? [];
  if (form === null || fields.length === 0)
    return ["The file has no form: add text fields (AcroForm) for the holder's data."];
  if (form.acroForm().getDict().has("XFA")) return ["The form is XFA: save it as an AcroForm."];
  const missing = identifyingFields
    .filter((name) => !fields.some((field) => field.name === name))
    .map((name) => `The field ${name} is missing: the contract must say who signs it.`);
  const faults = [...missing, ...fields.flatMap((field) => fieldFaults(pdf, field))];
  return faults.length > 0 ? faults : fillingFault(template);
};
