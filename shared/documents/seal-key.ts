/** The key and certificate of the seal: an administrator's, or a self-made one outside production. */
import { createPrivateKey, KeyObject, randomBytes, sign, webcrypto } from "node:crypto";
import { z } from "zod";
import { pdfLibrary } from "./pdf-library.js";

export interface SealKey {
  /** DER. */
  readonly certificate: Uint8Array;
  /** The certificates that lead to its root, DER. */
  readonly chain: readonly Uint8Array[];
  readonly keyType: "RSA" | "EC";
  /** RSA: PKCS #1 version 1.5; EC: DER. Both over SHA-256 of the data. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

/** How a self-made key is kept: PEM and base64. */
export const MadeSealKey = z.object({ privateKey: z.string(), certificate: z.string() });
export type MadeSealKey = z.infer<typeof MadeSealKey>;

const yearMs = 365.25 * 86_400_000;
/** The end of time in a certificate (RFC 5280). */
const lastSecondMs = Date.parse("9999-12-31T23:59:59Z");
/** From 2050 on a certificate tells its years in four digits. */
const generalizedSinceMs = Date.parse("2050-01-01T00:00:00Z");

const serialNumber = (): Buffer => {
  const bytes = randomBytes(16);
  // The first byte stays positive and not zero, as DER asks of an integer.
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes;
};

/** An X.509 certificate that a key makes for itself; valid for ten years around a day's clock skew. */
const selfSigned = async (keys: webcrypto.CryptoKeyPair, nowMs: number): Promise<Buffer> => {
  const [asn1, pki] = await Promise.all([import("asn1js"), import("pkijs")]);
  const certificate = new pki.Certificate();
  certificate.version = 2;
  certificate.serialNumber = new asn1.Integer({ valueHex: serialNumber() });
  const part = (type: string, value: string) =>
    new asn1.Set({
      value: [
        new pki.AttributeTypeAndValue({
          type,
          value: new asn1.Utf8String({ value }),
        }).toSchema(),
      ],
    });
  const organization = part("2.5.4.10", "Borsello");
  const commonName = part("2.5.4.3", "Borsello sandbox seal");
  // Put together from its parts, the library's name would have but one, with two values.
  const name = new asn1.Sequence({ value: [organization, commonName] }).toBER();
  certificate.issuer = pki.RelativeDistinguishedNames.fromBER(name);
  certificate.subject = pki.RelativeDistinguishedNames.fromBER(name);
  const time = (atMs: number) =>
    new pki.Time({
      type: atMs < generalizedSinceMs ? pki.TimeType.UTCTime : pki.TimeType.GeneralizedTime,
      value: new Date(atMs),
    });
  certificate.notBefore = time(nowMs - 86_400_000);
  certificate.notAfter = time(Math.min(nowMs + 10 * yearMs, lastSecondMs));
  const keyUsage = new asn1.BitString({ valueHex: Buffer.of(0xc0), unusedBits: 6 });
  certificate.extensions = [
    new pki.Extension({
      extnID: "2.5.29.15", // key usage: digitalSignature and nonRepudiation
      critical: true,
      extnValue: keyUsage.toBER(),
    }),
  ];
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  await certificate.sign(keys.privateKey, "SHA-256");
  return Buffer.from(certificate.toSchema(true).toBER());
};

/** A key on the curve P-256: it signs in a tenth of the time that an RSA key of its strength takes. */
export const makeSealKey = async (nowMs: number): Promise<MadeSealKey> => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  return {
    privateKey: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: (await selfSigned(keys, nowMs)).toString("base64"),
  };
};

/** Older databases hold an RSA key. A signature takes less than handing it to a thread and back. */
export const madeSealKey = ({ privateKey, certificate }: MadeSealKey): SealKey => {
  const key = createPrivateKey(privateKey);
  return {
    certificate: Buffer.from(certificate, "base64"),
    chain: [],
    keyType: key.asymmetricKeyType === "ec" ? "EC" : "RSA",
    sign: async (data) => sign("sha256", data, key),
  };
};

/** The key of a PKCS #12 file, as certification authorities hand it out. */
export const sealKeyOfP12 = async (p12: Uint8Array, password: string): Promise<SealKey> => {
  const { P12Signer } = await pdfLibrary();
  const signer = await P12Signer.create(p12, password);
  return {
    certificate: signer.certificate,
    chain: signer.certificateChain,
    keyType: signer.keyType,
    sign: (data) => signer.sign(data, "SHA-256"),
  };
};
