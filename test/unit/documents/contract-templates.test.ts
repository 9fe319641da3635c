/** A partner's own contract: which forms are taken, and that a filled one shows the data where its fields were. */
import { PDF } from "@libpdf/core";
import { expect, test } from "vitest";
import { templateFaults } from "../../../shared/documents/contracts/template-form.js";
import {
  contractFormsInMemory,
  ownForm,
  type OwnField,
} from "../../support/documents/contract-forms.js";

const identifying: readonly OwnField[] = [
  { name: "firstName" },
  { name: "lastName" },
  { name: "taxId" },
];

const holder = {
  walletId: "01a1fc82-eec5-792e-9f93-cbdb76556123",
  partnerKey: "acme",
  ...{ firstName: "Niccolò", lastName: "D’Angelo", taxId: "DNGNCL80A01H501X" },
  ...{ addressStreet: "Via Roma", addressNumber: "1", zipCode: "47121", city: "Forlì" },
  ...{ province: "FC", country: "IT", phoneNumber: "+393331234567", email: "n@example.com" },
  iban: null,
};

test("a partner's form is filled where its fields were, on each page, twice where it is named twice", async () => {
  const template = await ownForm([
    ...identifying,
    { name: "iban", page: 1, x: 60, y: 500 },
    { name: "city", page: 1, x: 60, y: 400, height: 60 },
  ]);
  expect(await templateFaults(template)).toEqual([]);
  const filled = await contractFormsInMemory(async () => template).fill("made", holder);
  const pdf = await PDF.load(filled ?? new Uint8Array());
  expect(pdf.getForm()?.getFields() ?? []).toEqual([]);
  const [first, second] = pdf.extractText();
  for (const shown of ["Termini di Esempio S.p.A., 1", "Niccolò", "D’Angelo", "DNGNCL80A01H501X"])
    expect(first?.text).toContain(shown);
  for (const shown of [
    "Termini di Esempio S.p.A., 2",
    "47121 Forlì FC",
    "non indicato / not given",
  ])
    expect(second?.text).toContain(shown);
  const place = second?.lines.find(({ text }) => text.includes("non indicato"));
  expect(place?.bbox.x).toBeCloseTo(63, 0);
  expect(place?.bbox.y).toBeGreaterThan(500);
  expect(place?.bbox.y).toBeLessThan(524);
});

test.each<[string, readonly OwnField[], Parameters<typeof ownForm>[1], string]>([
  ["no form", [], {}, "The file has no form: add text fields (AcroForm) for the holder's data."],
  [
    "nobody's name",
    [{ name: "firstName" }, { name: "taxId" }],
    {},
    "The field lastName is missing: the contract must say who signs it.",
  ],
  [
    "a field that nothing fills",
    [...identifying, { name: "favouriteColour" }],
    {},
    "The field favouriteColour is not known: the names are walletId, partnerKey, firstName, " +
      "lastName, taxId, address, city, country, phoneNumber, email, iban.",
  ],
  [
    "a box to be ticked",
    [...identifying, { name: "agreed", kind: "checkbox" }],
    {},
    "The field agreed is no text field: remove it.",
  ],
  [
    "a field that has a value",
    [...identifying, { name: "city", value: "Roma" }],
    {},
    "The field city has a value: leave it empty.",
  ],
  [
    "a field too small to be read",
    [...identifying, { name: "city", width: 20 }],
    {},
    "The field city is too small: at least 40 by 8 points.",
  ],
  [
    "a page that is turned",
    identifying,
    { rotation: 90 },
    "The field firstName is on a page that is turned: turn the page's content instead.",
  ],
  [
    "a password",
    identifying,
    { password: "secret" },
    "The file is encrypted: save it without a password.",
  ],
  ["too many pages", identifying, { pages: 21 }, "The file has more than 20 pages."],
])("a form with %s is refused, with what to change", async (_what, fields, change, sentence) => {
  expect(await templateFaults(await ownForm(fields, change))).toContain(sentence);
});

test("what is no PDF, or too large, is refused", async () => {
  expect(await templateFaults(Buffer.from("Dear customer"))).toEqual(["The file is no sound PDF."]);
  const form = await ownForm(identifying);
  expect(await templateFaults(form.subarray(0, form.length / 2))).toEqual([
    "The file is no sound PDF.",
  ]);
  expect(await templateFaults(Buffer.alloc(2 * 1024 * 1024 + 1))).toEqual([
    "The file has more than 2097152 bytes.",
  ]);
});

test("a template that is missing is looked for again", async () => {
  expect(await contractFormsInMemory().has("nowhere")).toBe(false);
  expect(await contractFormsInMemory().fill("nowhere", holder)).toBeUndefined();
});
