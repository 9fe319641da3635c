/** A detached CAdES signature (RFC 5652, RFC 5035) as PAdES baseline profiles want it. */
import { createHash } from "node:crypto";
import type { AsnType, BaseBlock } from "asn1js";
import type { SealKey } from "./seal-key.js";

const contentTypes = { data: "1.2.840.113549.1.7.1", signedData: "1.2.840.113549.1.7.2" } as const;
const attributeTypes = {
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingCertificateV2: "1.2.840.113549.1.9.16.2.47",
} as const;
const sha256 = "2.16.840.1.101.3.4.2.1";
const signatureAlgorithms = { RSA: "1.2.840.113549.1.1.1", EC: "1.2.840.10045.4.3.2" } as const;

/** Loaded when the first document is sealed: a start needs neither. */
const pkiLibraries = async () => {
  const [asn1, pki] = await Promise.all([import("asn1js"), import("pkijs")]);
  return { asn1, pki };
};
type PkiLibraries = Awaited<ReturnType<typeof pkiLibraries>>;

const der = (block: Pick<BaseBlock, "toBER">): Buffer => Buffer.from(block.toBER());

/** Writers of constructed elements whose members are encoded already. */
const enclosing = ({ asn1 }: PkiLibraries) => {
  const enclose = (tagClass: number, tagNumber: number, members: readonly Uint8Array[]): Buffer => {
    const valueHex = Buffer.concat(members);
    const element = new asn1.Primitive({ idBlock: { tagClass, tagNumber }, valueHex });
    element.idBlock.isConstructed = true;
    return der(element);
  };
  return {
    sequence: (...members: readonly Uint8Array[]) => enclose(1, 16, members),
    /** The members come in the order that DER asks for: of ours, shorter ones first. */
    set: (...members: readonly Uint8Array[]) => enclose(1, 17, members),
    tagged: (tag: number, ...members: readonly Uint8Array[]) => enclose(3, tag, members),
  };
};

/** What all signatures with one key have in common, encoded. */
const commonParts = ({ asn1, pki }: PkiLibraries, { certificate, keyType }: SealKey) => {
  const sequence = (...value: readonly AsnType[]) => new asn1.Sequence({ value: [...value] });
  const attribute = (type: string, value: AsnType) =>
    der(new pki.Attribute({ type, values: [value] }).toSchema());
  const { issuer, serialNumber } = pki.Certificate.fromBER(certificate);
  const issuerNames = new pki.GeneralNames({
    names: [new pki.GeneralName({ type: 4, value: issuer })], // 4: a directory's name
  });
  const certificateId = sequence(
    new asn1.OctetString({ valueHex: createHash("sha256").update(certificate).digest() }),
    sequence(issuerNames.toSchema(), serialNumber),
  );
  const signatureAlgorithm = { algorithmId: signatureAlgorithms[keyType] };
  const data = new asn1.ObjectIdentifier({ value: contentTypes.data });
  return {
    version: der(new asn1.Integer({ value: 1 })),
    signedData: der(new asn1.ObjectIdentifier({ value: contentTypes.signedData })),
    encapsulated: der(sequence(data)),
    signerId: der(new pki.IssuerAndSerialNumber({ issuer, serialNumber }).toSchema()),
    digestAlgorithm: der(new pki.AlgorithmIdentifier({ algorithmId: sha256 }).toSchema()),
    signatureAlgorithm: der(
      new pki.AlgorithmIdentifier(
        keyType === "RSA"
          ? { ...signatureAlgorithm, algorithmParams: new asn1.Null() }
          : signatureAlgorithm,
      ).toSchema(),
    ),
    contentType: attribute(attributeTypes.contentType, data),
    signingCertificate: attribute(
      attributeTypes.signingCertificateV2,
      sequence(sequence(certificateId)),
    ),
  };
};

/** Signs a SHA-256 digest; resolves to the DER of a CMS ContentInfo. */
export type DigestSigner = (digest: Uint8Array) => Promise<Buffer>;

/**
 * A signer with this key. What its signatures have in common is encoded here, once: for each one
 * anew it would cost more than the signing itself. There is no signing time among the signed
 * attributes: PAdES forbids it, since the PDF's own signature dictionary tells the time.
 */
export const digestSigner = async (key: SealKey): Promise<DigestSigner> => {
  const libraries = await pkiLibraries();
  const { asn1, pki } = libraries;
  const { sequence, set, tagged } = enclosing(libraries);
  const common = commonParts(libraries, key);
  const certificates = tagged(0, key.certificate, ...key.chain);

  const octets = (valueHex: Uint8Array) => new asn1.OctetString({ valueHex });
  return async (digest) => {
    const messageDigest = new pki.Attribute({
      type: attributeTypes.messageDigest,
      values: [octets(digest)],
    });
    const attributes = [
      common.contentType,
      der(messageDigest.toSchema()),
      common.signingCertificate,
    ];
    const signerInfo = sequence(
      common.version,
      common.signerId,
      common.digestAlgorithm,
      tagged(0, ...attributes),
      common.signatureAlgorithm,
      der(octets(await key.sign(set(...attributes)))),
    );
    const content = sequence(
      common.version,
      set(common.digestAlgorithm),
      common.encapsulated,
      certificates,
      set(signerInfo),
    );
    return sequence(common.signedData, tagged(0, content));
  };
};
