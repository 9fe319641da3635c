/** The key and certificate of the seal: an administrator's, or a self-made one outside production. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  randomBytes,
  sign,
  type KeyObject,
} from "node:crypto";
import { promisify } from "node:util";
import { z } from "zod";
import {
  bitString,
  generalizedTime,
  integer,
  nil,
  octetString,
  oid,
  sequence,
  setOf,
  tagged,
  utf8String,
} from "./der.js";
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

const sha256WithRsa = sequence(oid("1.2.840.113549.1.1.11"), nil);

const name = (organization: string, commonName: string): Buffer =>
  sequence(
    setOf(sequence(oid("2.5.4.10"), utf8String(organization))),
    setOf(sequence(oid("2.5.4.3"), utf8String(commonName))),
  );

/** Key usage: digitalSignature and nonRepudiation; critical. */
const keyUsage = sequence(
  oid("2.5.29.15"),
  Buffer.from([0x01, 0x01, 0xff]),
  octetString(Buffer.from([0x03, 0x02, 0x06, 0xc0])),
);

const yearMs = 365.25 * 86_400_000;

/** An X.509 certificate that a key makes for itself; valid for ten years around a day's clock skew. */
const selfSigned = (privateKey: KeyObject, nowMs: number): Buffer => {
  const subject = name("Borsello", "Borsello sandbox seal");
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const version3 = tagged(0, integer(Buffer.of(2)));
  const serialNumber = randomBytes(16);
  // The first byte stays positive and not zero, as DER asks of an integer.
  serialNumber.writeUInt8((serialNumber.readUInt8(0) & 0x3f) | 0x40, 0);
  const toBeSigned = sequence(
    version3,
    integer(serialNumber),
    sha256WithRsa,
    subject,
    sequence(
      generalizedTime(new Date(nowMs - 86_400_000)),
      generalizedTime(new Date(nowMs + 10 * yearMs)),
    ),
    subject,
    publicKey,
    tagged(3, sequence(keyUsage)),
  );
  return sequence(toBeSigned, sha256WithRsa, bitString(sign("sha256", toBeSigned, privateKey)));
};

export const makeSealKey = async (nowMs: number): Promise<MadeSealKey> => {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  return {
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: selfSigned(privateKey, nowMs).toString("base64"),
  };
};

export const madeSealKey = ({ privateKey, certificate }: MadeSealKey): SealKey => {
  const key = createPrivateKey(privateKey);
  return {
    certificate: Buffer.from(certificate, "base64"),
    chain: [],
    keyType: "RSA",
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
