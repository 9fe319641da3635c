/** The seal of a PDF: a PAdES signature that other software than ours finds valid. */
import { spawnSync } from "node:child_process";
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  verify,
  webcrypto,
  X509Certificate,
} from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBER } from "asn1js";
import { ContentInfo, CryptoEngine, IssuerAndSerialNumber, SignedData } from "pkijs";
import { beforeAll, describe, expect, test } from "vitest";
import { makeContractTemplate } from "../../../shared/documents/contracts/made-template.js";
import { pdfSealer, signedDigest, signedRange } from "../../../shared/documents/seal.js";
import {
  madeSealKey,
  makeSealKey,
  sealKeyOfP12,
  type SealKey,
} from "../../../shared/documents/seal-key.js";

const madeAtMs = Date.parse("2026-11-20T00:00:00Z");

const sealWith = async (key: SealKey): Promise<Buffer> => {
  const seal = await pdfSealer(key);
  return Buffer.from(
    await seal(await makeContractTemplate("Acme"), new Date("2026-11-20T10:00:00Z")),
  );
};

/** The signature's bytes; what fills its place up behind them is left out. */
const signatureOf = (pdf: Buffer): Buffer => {
  const [, length, restStart] = signedRange(pdf);
  const place = Buffer.from(pdf.subarray(length + 1, restStart - 1).toString("latin1"), "hex");
  return place.subarray(0, fromBER(place).offset);
};

const signedDataOf = (signature: Buffer): SignedData =>
  new SignedData({ schema: ContentInfo.fromBER(signature).content });

/** What the signature covers: the document but its own bytes. */
const coveredBy = (pdf: Buffer): Buffer => {
  const [start, length, restStart, restLength] = signedRange(pdf);
  return Buffer.concat([
    pdf.subarray(start, start + length),
    pdf.subarray(restStart, restStart + restLength),
  ]);
};

/** An engine of its own: the PDF library puts one in place that cannot verify. */
const engine = new CryptoEngine({ crypto: webcrypto });

/** Whether the PKI library finds the signature good, its chain of trust aside. */
const isValid = async (pdf: Buffer): Promise<boolean> => {
  const data = new Uint8Array(coveredBy(pdf)).buffer;
  try {
    return await signedDataOf(signatureOf(pdf)).verify({ signer: 0, data }, engine);
  } catch (error) {
    if (String(error).includes("Message digest doesn't match")) return false;
    throw error;
  }
};

describe("the seal", () => {
  let key: SealKey;
  let sealed: Buffer;
  beforeAll(async () => {
    key = madeSealKey(await makeSealKey(madeAtMs));
    sealed = await sealWith(key);
  });

  test("it is a PAdES signature over the whole document but its own bytes", () => {
    expect(sealed.toString("latin1")).toContain("/SubFilter /ETSI.CAdES.detached");
    expect(sealed.toString("latin1")).toContain("(D:20261120100000Z)");
    const [start, length, restStart, restLength] = signedRange(sealed);
    expect(start).toBe(0);
    expect(restStart + restLength).toBe(sealed.length);
    expect(sealed.subarray(length, restStart).toString("latin1")).toMatch(/^<[0-9a-f]+>$/);
  });

  test("the PKI library finds it valid, and not where one byte is changed", async () => {
    expect(await isValid(sealed)).toBe(true);
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(1000) ^ 1, 1000);
    expect(await isValid(changed)).toBe(false);
  });

  test("what is encoded once and for all is what the PKI library writes each time", () => {
    const signature = signatureOf(sealed);
    const { contentType } = ContentInfo.fromBER(signature);
    const content: unknown = signedDataOf(signature).toSchema(true);
    const again = new ContentInfo({ contentType, content }).toSchema().toBER();
    expect(signature.equals(Buffer.from(again))).toBe(true);
  });

  test("its attributes hold the document's digest and name the signing certificate", async () => {
    const [signer] = signedDataOf(signatureOf(sealed)).signerInfos;
    const attributes = Buffer.from(signer?.signedAttrs?.encodedValue ?? new ArrayBuffer(0));
    const certificate = new X509Certificate(Buffer.from(key.certificate));
    expect(attributes.includes(signedDigest(sealed))).toBe(true);
    expect(attributes.includes(createHash("sha256").update(certificate.raw).digest())).toBe(true);
    const signature = Buffer.from(signer?.signature.valueBlock.valueHexView ?? Buffer.alloc(0));
    expect(verify("sha256", attributes, certificate.publicKey, signature)).toBe(true);
  });

  test("it has no signing-time attribute, which PAdES forbids", () => {
    const signingTime = Buffer.from("06092a864886f70d010905", "hex");
    expect(signatureOf(sealed).includes(signingTime)).toBe(false);
  });

  test("sealed at once, each document has its own digest", async () => {
    const seal = await pdfSealer(key);
    const times = [1, 2, 3, 4].map((second) => new Date(madeAtMs + second * 1000));
    const template = await makeContractTemplate("Acme");
    const pdfs = await Promise.all(times.map(async (at) => Buffer.from(await seal(template, at))));
    expect(await Promise.all(pdfs.map(isValid))).toEqual([true, true, true, true]);
  });

  test("pdfsig finds it valid, over the whole document", async ({ skip }) => {
    const isMissing = spawnSync("pdfsig", ["-v"]).error !== undefined;
    skip(isMissing, "pdfsig of the poppler tools is not installed");
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
});

describe("the seal's key", () => {
  test("the self-made certificate is signed by its own key and may sign documents", async () => {
    const made = await makeSealKey(madeAtMs);
    const certificate = new X509Certificate(Buffer.from(made.certificate, "base64"));
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.equals(createPublicKey(made.privateKey))).toBe(true);
    expect(certificate.subject).toBe("O=Borsello\nCN=Borsello sandbox seal");
    expect(new Date(certificate.validFrom).getTime()).toBe(madeAtMs - 86_400_000);
    expect(new Date(certificate.validTo).getUTCFullYear()).toBe(2036);
    expect(certificate.raw.includes(Buffer.from("0603551d0f0101ff0404030206c0", "hex"))).toBe(true);
  });

  test("a clock near the end of the calendar makes a certificate that ends with it", async () => {
    const made = await makeSealKey(Date.parse("9998-06-01T00:00:00Z"));
    const certificate = new X509Certificate(Buffer.from(made.certificate, "base64"));
    expect(new Date(certificate.validTo).toISOString()).toBe("9999-12-31T23:59:59.000Z");
    expect(await isValid(await sealWith(madeSealKey(made)))).toBe(true);
  });

  test("an RSA key, as earlier releases made it, goes on sealing", async () => {
    const p12 = await readFile(new URL("../../support/documents/seal-rsa.p12", import.meta.url));
    const { certificate } = await sealKeyOfP12(p12, "secret");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = madeSealKey({
      privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      certificate: Buffer.from(certificate).toString("base64"),
    });
    const data = Buffer.from("data");
    expect(key.keyType).toBe("RSA");
    expect(verify("sha256", data, createPublicKey(privateKey), await key.sign(data))).toBe(true);
  });

  test.each(["rsa", "ec"])("the %s key of a PKCS #12 file seals as well", async (kind) => {
    const p12 = await readFile(
      new URL(`../../support/documents/seal-${kind}.p12`, import.meta.url),
    );
    const key = await sealKeyOfP12(p12, "secret");
    const sealed = await sealWith(key);
    expect(await isValid(sealed)).toBe(true);
    const [signer] = signedDataOf(signatureOf(sealed)).signerInfos;
    const signerId: unknown = signer?.sid;
    if (!(signerId instanceof IssuerAndSerialNumber)) throw new Error("no signer by its issuer");
    const { issuer, serialNumber } = signerId;
    for (const part of [issuer.valueBeforeDecode, serialNumber.toBER()]) {
      expect(part.byteLength).toBeGreaterThan(0);
      expect(Buffer.from(key.certificate).includes(Buffer.from(part))).toBe(true);
    }
    await expect(sealKeyOfP12(p12, "wrong")).rejects.toThrow();
  });
});
