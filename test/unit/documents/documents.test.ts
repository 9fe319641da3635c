/** Contract and mandate PDFs: a real form, prepared once, filled and flattened. */
import { PDF } from "@libpdf/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ContractHolder } from "../../../shared/documents/contracts/contract-pdf.js";
import { makeContractTemplate } from "../../../shared/documents/contracts/made-template.js";
import { fitText, wrapText } from "../../../shared/documents/fit-text.js";
import { makeForm } from "../../../shared/documents/pdf-form.js";
import { contractFormsInMemory } from "../../support/documents/contract-forms.js";

const holder: ContractHolder = {
  walletId: "01a1fc82-eec5-792e-9f93-cbdb76556123",
  partnerKey: "acme",
  firstName: "Niccolò Łukasz",
  lastName: "D’Angelo",
  taxId: "DNGNCL80A01H501X",
  addressStreet: "Via dell'Università",
  addressNumber: "7/b",
  zipCode: "47121",
  city: "Forlì",
  province: "FC",
  country: null,
  phoneNumber: "+393331234567",
  email: "niccolo@example.com",
  iban: null,
};

const forms = contractFormsInMemory();

const fillContract = async (shown: ContractHolder): Promise<Uint8Array> => {
  const filled = await forms.fill("made", shown);
  if (filled === undefined) throw new Error("no template");
  return filled;
};

const textOf = async (pdf: Uint8Array): Promise<string> => {
  const document = await PDF.load(pdf);
  return document
    .extractText()
    .map(({ text }) => text)
    .join("\n");
};

const fieldNames = async (pdf: Uint8Array): Promise<string[]> =>
  (await PDF.load(pdf))
    .getForm()
    ?.getTextFields()
    .map(({ name }) => name) ?? [];

describe("the form", () => {
  test("the sandbox's template has a text field for each of the holder's data", async () => {
    expect(await fieldNames(await makeContractTemplate("Acme"))).toEqual([
      ...["walletId", "partnerKey", "firstName", "lastName", "taxId", "address", "city"],
      ...["country", "phoneNumber", "email", "iban"],
    ]);
  });

  test("it names its partner, and is the same bytes each time", async () => {
    const [acme, again, globex] = await Promise.all(
      ["Acme", "Acme", "Globex"].map(makeContractTemplate),
    );
    expect(acme).toEqual(again);
    expect(await textOf(acme ?? new Uint8Array())).toContain("Tra Acme, che offre");
    expect(await textOf(globex ?? new Uint8Array())).toContain("Tra Globex, che offre");
  });

  test("the same declaration gives the same bytes", async () => {
    const declaration = {
      title: "Title – à",
      subtitle: "Subtitle",
      introduction: "Introduction",
      fields: [{ name: "one", label: "One" }],
      clauses: ["1. Clause"],
      closing: "Closing",
      edition: new Date("2026-01-01T00:00:00Z"),
    };
    const [first, second] = [await makeForm(declaration), await makeForm(declaration)];
    expect(Buffer.compare(first, second)).toBe(0);
  });

  test("filled, it shows the data with their accents and has no fields left", async () => {
    const filled = await fillContract(holder);
    const text = await textOf(filled);
    for (const shown of ["Niccolò Łukasz", "D’Angelo", "Via dell'Università 7/b", "47121 Forlì FC"])
      expect(text).toContain(shown);
    expect(await fieldNames(filled)).toEqual([]);
  });

  test("what the wallet has no value for says so in words", async () => {
    const nothing = { addressStreet: null, addressNumber: null, zipCode: null, city: null };
    const text = await textOf(await fillContract({ ...holder, ...nothing, province: null }));
    // Address, city, country and IBAN.
    expect(text.match(/non indicato \/ not given/g)).toHaveLength(4);
    expect((await textOf(await fillContract(holder))).match(/non indicato/g)).toHaveLength(2);
  });

  test("a form is laid out once: filled, it is the same bytes with a small update behind them", async () => {
    const [one, other] = await Promise.all(
      ["Anna", "Bartolomeo"].map(async (firstName) => fillContract({ ...holder, firstName })),
    );
    if (one === undefined || other === undefined) throw new Error("nothing filled");
    const common = one.findIndex((byte, index) => byte !== other[index]);
    expect(one.length - common).toBeLessThan(one.length / 10);
  });

  test("the same data give the same bytes, so that a repeated step changes nothing", async () => {
    const common = { ...holder, firstName: "Niccolò" };
    const [first, second] = [await fillContract(common), await fillContract(common)];
    expect(Buffer.compare(first, second)).toBe(0);
  });

  test("letters beyond those of most names come with the document that needs them", async () => {
    const text = await textOf(
      await fillContract({
        ...holder,
        firstName: "Βασίλης",
        lastName: "Țepeș Żółć",
        city: "София",
      }),
    );
    for (const shown of ["Βασίλης", "Țepeș Żółć", "47121 София FC", "Via dell'Università 7/b"])
      expect(text).toContain(shown);
  });

  test("letters that the font lacks become question marks, the rest stays", async () => {
    const text = await textOf(await fillContract({ ...holder, city: "Tōkyō 東京" }));
    expect(text).toContain("Tōkyō ??");
  });

  test("forms filled one after another or at once show each its own data, and only that", async () => {
    const holders = ["Ærøskøbing", "Żółć", "Ÿves-Noël"].map((lastName) => ({
      ...holder,
      lastName,
    }));
    const filled = await Promise.all([...holders, ...holders].map(fillContract));
    const texts = await Promise.all(filled.map(textOf));
    for (const [index, text] of texts.entries())
      expect(holders.map(({ lastName }) => text.includes(lastName))).toEqual(
        holders.map((_, other) => other === index % holders.length),
      );
  });

  test("the longest names that a wallet takes are there to their last letter", async () => {
    const lastName = `${"Àlvarez ".repeat(31)}Öztürk`;
    const firstName = `${"w".repeat(249)}finisé`;
    const text = await textOf(await fillContract({ ...holder, firstName, lastName }));
    // Read line by line from the top, the label stands in the middle of a value of several lines.
    const value = text.replace(/\s|(Cogn|N)ome\s*\/\s*(First|Last) name/g, "");
    expect([lastName.length, firstName.length]).toEqual([254, 255]);
    expect(value).toContain(lastName.replaceAll(" ", ""));
    expect(value).toContain(firstName);
  });
});

describe("fitting text", () => {
  const measure = (text: string, size: number): number => text.length * size * 0.6;
  const box = { width: 320, height: 20 };

  test("what fits stays on one line at full size", () => {
    expect(fitText("Rossi", box, measure)).toMatchObject({ size: 11, lines: ["Rossi"] });
    expect(fitText("", box, measure).lines).toEqual([]);
  });

  test("up to 255 letters of a name are kept whole, however they are broken", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "m", " "), maxLength: 255 }), (name) => {
        const { lines, size, lineHeight } = fitText(name, box, measure);
        expect(lines.join("").replaceAll(" ", "")).toBe(name.replaceAll(" ", ""));
        for (const line of lines) expect(measure(line, size)).toBeLessThanOrEqual(box.width);
        expect(lines.length * lineHeight).toBeLessThanOrEqual(box.height);
      }),
    );
  });

  test("a character wider than the box gets a line of its own", () => {
    expect(wrapText("ab", 1, 10, measure)).toEqual(["a", "b"]);
  });
});
