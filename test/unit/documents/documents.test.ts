/** Contract and mandate PDFs: a real form, filled and flattened, with a seal that verifies. */
import { spawnSync } from "node:child_process";
import { verify, X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PDF } from "@libpdf/core";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  contractTemplate,
  fillContract,
  type ContractHolder,
} from "../../../shared/documents/contract-pdf.js";
import { childrenOf, retagged } from "../../../shared/documents/der.js";
import { fitText, wrapText } from "../../../shared/documents/fit-text.js";
import { makeForm } from "../../../shared/documents/pdf-form.js";
import { sealPdf, signedDigest, signedRange } from "../../../shared/documents/seal.js";
import {
  madeSealKey,
  makeSealKey,
  sealKeyOfP12,
  type SealKey,
} from "../../../shared/documents/seal-key.js";

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
  test("the contract's template has a text field for each of the holder's data", async () => {
    expect(await fieldNames(await contractTemplate())).toEqual([
      ...["walletId", "partnerKey", "firstName", "lastName", "taxId", "address", "city"],
      ...["country", "phoneNumber", "email", "iban"],
    ]);
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

describe("the seal", () => {
  let key: SealKey;
  let sealed: Buffer;
  beforeAll(async () => {
    key = madeSealKey(await makeSealKey(Date.parse("2026-11-20T00:00:00Z")));
    sealed = Buffer.from(
      await sealPdf(await fillContract(holder), key, new Date("2026-11-20T10:00:00Z")),
    );
  });

  const signature = (pdf: Buffer): Buffer => {
    const [, length, restStart] = signedRange(pdf);
    return Buffer.from(pdf.subarray(length + 1, restStart - 1).toString("latin1"), "hex");
  };

  /** What lies behind tag and length. */
  const contentOf = (element: Buffer): Buffer => {
    const first = element.readUInt8(1);
    return element.subarray(first < 0x80 ? 2 : 2 + (first & 0x7f));
  };

  /** The signer's signed attributes and signature, out of ContentInfo → SignedData → SignerInfo. */
  const signerParts = (pdf: Buffer) => {
    const [, content] = childrenOf(signature(pdf));
    const [signedData] = childrenOf(content ?? Buffer.alloc(0));
    const [signerInfo] = childrenOf(
      childrenOf(signedData ?? Buffer.alloc(0)).at(-1) ?? Buffer.alloc(0),
    );
    const [, , , attributes, , value] = childrenOf(signerInfo ?? Buffer.alloc(0));
    if (attributes === undefined || value === undefined) throw new Error("no signer");
    return {
      attributes: Buffer.concat([Buffer.of(0x31), attributes.subarray(1)]),
      value: contentOf(value),
    };
  };

  test("it is a PAdES signature over the whole document but its own bytes", () => {
    expect(sealed.toString("latin1")).toContain("/SubFilter /ETSI.CAdES.detached");
    const [start, length, restStart, restLength] = signedRange(sealed);
    expect(start).toBe(0);
    expect(restStart + restLength).toBe(sealed.length);
    expect(sealed.subarray(length, restStart).toString("latin1")).toMatch(/^<[0-9a-f]+>$/);
  });

  test("the signature verifies with the certificate's key and holds the document's digest", () => {
    const certificate = new X509Certificate(Buffer.from(key.certificate));
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    const { attributes, value } = signerParts(sealed);
    expect(verify("sha256", attributes, certificate.publicKey, value)).toBe(true);
    expect(attributes.includes(signedDigest(sealed))).toBe(true);
  });

  test.each(["rsa", "ec"])("the %s key of a PKCS #12 file seals as well", async (kind) => {
    const p12 = await readFile(
      new URL(`../../support/documents/seal-${kind}.p12`, import.meta.url),
    );
    const own = await sealKeyOfP12(p12, "secret");
    const pdf = Buffer.from(await sealPdf(await contractTemplate(), own, new Date()));
    const { attributes, value } = signerParts(pdf);
    const { publicKey } = new X509Certificate(Buffer.from(own.certificate));
    expect(verify("sha256", attributes, publicKey, value)).toBe(true);
    await expect(sealKeyOfP12(p12, "wrong")).rejects.toThrow();
  });

  /** The checker of the poppler tools, where the machine has it. */
  const hasPdfsig = spawnSync("pdfsig", ["-v"]).error === undefined;

  test.skipIf(!hasPdfsig)("pdfsig finds it valid, over the whole document", async () => {
    const folder = await mkdtemp(join(tmpdir(), "borsello-seal-"));
    try {
      const file = join(folder, "sealed.pdf");
      await writeFile(file, sealed);
      const checked = spawnSync("pdfsig", [file], { encoding: "utf8" }).stdout;
      expect(checked).toContain("Signature Type: ETSI.CAdES.detached");
      expect(checked).toContain("Signature Validation: Signature is Valid.");
      expect(checked).toContain("Total document signed");
      const altered = Buffer.from(sealed);
      altered.writeUInt8(altered.readUInt8(altered.length - 10) ^ 1, altered.length - 10);
      await writeFile(file, altered);
      expect(spawnSync("pdfsig", [file], { encoding: "utf8" }).stdout).not.toContain(
        "Signature is Valid.",
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("it has no signing-time attribute, which PAdES forbids", () => {
    const signingTime = Buffer.from("06092a864886f70d010905", "hex");
    expect(signature(sealed).includes(signingTime)).toBe(false);
  });

  test("a document changed by one byte has another digest than the signed one", () => {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(1000) ^ 1, 1000);
    expect(signerParts(changed).attributes.includes(signedDigest(changed))).toBe(false);
  });

  test("a retagged element keeps its length and content", () => {
    expect(retagged(0, Buffer.from([0x31, 0x01, 0x05]))).toEqual(Buffer.from([0xa0, 0x01, 0x05]));
  });
});
