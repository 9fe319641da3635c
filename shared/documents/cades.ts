/** A detached CAdES signature (RFC 5652, RFC 5035) as PAdES baseline profiles want it. */
import { createHash } from "node:crypto";
import {
  childrenOf,
  integer,
  nil,
  octetString,
  oid,
  retagged,
  sequence,
  setOf,
  tagged,
} from "./der.js";
import type { SealKey } from "./seal-key.js";

const data = oid("1.2.840.113549.1.7.1");
const signedData = oid("1.2.840.113549.1.7.2");
const contentType = oid("1.2.840.113549.1.9.3");
const messageDigest = oid("1.2.840.113549.1.9.4");
const signingCertificateV2 = oid("1.2.840.113549.1.9.16.2.47");
const sha256 = sequence(oid("2.16.840.1.101.3.4.2.1"));
const signatureAlgorithms = {
  RSA: sequence(oid("1.2.840.113549.1.1.1"), nil),
  EC: sequence(oid("1.2.840.10045.4.3.2")),
} as const;
const one = integer(Buffer.of(1));

const digestOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/** Issuer and serial number, from a certificate: version, serial number, algorithm, issuer, … */
const identityOf = (certificate: Uint8Array): { issuer: Buffer; serialNumber: Buffer } => {
  const [toBeSigned] = childrenOf(Buffer.from(certificate));
  const [, serialNumber, , issuer] = toBeSigned === undefined ? [] : childrenOf(toBeSigned);
  if (serialNumber === undefined || issuer === undefined)
    throw new Error("The seal's certificate cannot be read.");
  return { issuer, serialNumber };
};

/**
 * The signed attributes. There is no signing time among them: PAdES forbids it, since the PDF's own
 * signature dictionary tells the time.
 */
const attributesOf = (digest: Uint8Array, certificate: Uint8Array): Buffer => {
  const { issuer, serialNumber } = identityOf(certificate);
  const certificateId = sequence(
    octetString(digestOf(certificate)),
    sequence(sequence(tagged(4, issuer)), serialNumber),
  );
  return setOf(
    sequence(contentType, setOf(data)),
    sequence(messageDigest, setOf(octetString(digest))),
    sequence(signingCertificateV2, setOf(sequence(sequence(certificateId)))),
  );
};

/** Signs a SHA-256 digest; DER of a CMS ContentInfo. */
export const signDigest = async (digest: Uint8Array, key: SealKey): Promise<Buffer> => {
  const attributes = attributesOf(digest, key.certificate);
  const { issuer, serialNumber } = identityOf(key.certificate);
  const signerInfo = sequence(
    one,
    sequence(issuer, serialNumber),
    sha256,
    retagged(0, attributes),
    signatureAlgorithms[key.keyType],
    octetString(await key.sign(attributes)),
  );
  return sequence(
    signedData,
    tagged(
      0,
      sequence(
        one,
        setOf(sha256),
        sequence(data),
        tagged(0, key.certificate, ...key.chain),
        setOf(signerInfo),
      ),
    ),
  );
};
