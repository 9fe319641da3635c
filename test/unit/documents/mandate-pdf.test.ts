/** A mandate's PDF has what a SEPA Core mandate needs, whatever of it is known. */
import { PDF } from "@libpdf/core";
import { expect, test } from "vitest";
import { fillMandateForm, type MandateForm } from "../../../shared/documents/mandate-pdf.js";

const at = "2026-11-22T09:00:00.000Z";
const form: MandateForm = {
  mandate: {
    mandateId: "01a1fc82-eec5-792e-9f93-cbdb76556124",
    walletId: "01a1fc82-eec5-792e-9f93-cbdb76556123",
    storeId: null,
    type: "Seda",
    partnerKey: "acme",
    mandateUniqueReference: "BRS01A1FC82EEC5792E9F93CBDB76556124",
    debtorName: "Niccolò D’Angelo",
    debtorIban: "IT60X0542811101000000123456",
    amount: 100.5,
    frequency: "Weekly",
    creationDate: at,
    fillDate: at,
    activationRequestDate: null,
    activationDate: null,
    disableRequestDate: null,
    disabledDate: null,
    rejectionDate: null,
    status: "Filled",
    nextDepositRequestDate: null,
    lastDepositRequestedDate: null,
    addressStreet: "Via dell'Università 7/b",
    city: "Forlì",
    lastError: null,
    lastFailureDate: null,
    nextDepositDate: null,
    lastDepositDate: null,
  },
  terms: {
    debtorTaxId: "DNGNCL80A01H501X",
    debtorBic: "UNCRITMMXXX",
    zipCode: "47121",
    province: "FC",
    country: "IT",
    creditorIdentifier: "IT91ZZZACME000000000001",
    creditorName: "Acme",
    creditorAddress: "Via Appia 1, 00179 Roma, IT",
    preNotificationDays: 5,
    signatureDate: "2026-11-22",
  },
};

const pageOf = async (given: MandateForm): Promise<string> => {
  const pages = (await PDF.load(await fillMandateForm(given))).extractText();
  expect(pages).toHaveLength(1);
  return pages.map(({ text }) => text).join("\n");
};

test("creditor, reference, debtor, account, kind, pre-notification, place and date are on it", async () => {
  const text = await pageOf(form);
  for (const shown of [
    "BRS01A1FC82EEC5792E9F93CBDB76556124",
    "IT91ZZZACME000000000001",
    "Acme",
    "Via Appia 1, 00179 Roma, IT",
    "Niccolò D’Angelo",
    "Via dell'Università 7/b, 47121 Forlì FC, IT",
    "DNGNCL80A01H501X",
    "IT60X0542811101000000123456",
    "UNCRITMMXXX",
    "Ricorrente / Recurrent",
    "100.50",
    "Settimanale / Weekly",
    "5 giorni / days",
    "Forlì, 2026-11-22",
  ])
    expect(text).toContain(shown);
});

test("what is not known is said so, and a form that nobody has signed has no date", async () => {
  const text = await pageOf({
    mandate: { ...form.mandate, addressStreet: null, city: null },
    terms: {
      ...form.terms,
      zipCode: null,
      province: null,
      country: null,
      debtorBic: null,
      signatureDate: null,
    },
  });
  expect(text.match(/Non indicato \/ Not stated/g)).toHaveLength(2);
  expect(text).toContain("Online, alla firma / at signature");
});
