/** Encodes a self-signed certificate for servers on this machine (RFC 5280). */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { AsnType } from "asn1js";

const types = {
  commonName: "2.5.4.3",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  basicConstraints: "2.5.29.19",
  keyUsage: "2.5.29.15",
  extendedKeyUsage: "2.5.29.37",
  serverAuthentication: "1.3.6.1.5.5.7.3.1",
  subjectAltName: "2.5.29.17",
} as const;

const alternativeName = { dns: 2, ip: 7 } as const;
const ipv4Loopback = Buffer.from([127, 0, 0, 1]);
const ipv6Loopback = Buffer.concat([Buffer.alloc(15), Buffer.from([1])]);

const pem = (label: string, der: Buffer): string => {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
};

export interface CertificatePems {
  readonly certificate: string;
  readonly key: string;
}

/** A key and its certificate for `localhost` and the loopback addresses, in PEM. */
export const makeCertificate = async (
  notBefore: Date,
  notAfter: Date,
): Promise<CertificatePems> => {
  // Loaded for the one time in years that a certificate is made.
  const asn1 = await import("asn1js");
  const sequence = (...value: AsnType[]) => new asn1.Sequence({ value });
  const oid = (value: string) => new asn1.ObjectIdentifier({ value });
  const octets = (valueHex: ArrayBuffer | Uint8Array) => new asn1.OctetString({ valueHex });
  const tagged = (tagNumber: number, ...value: AsnType[]) =>
    new asn1.Constructed({ idBlock: { tagClass: 3, tagNumber }, value });
  const named = (tagNumber: number, valueHex: Uint8Array) =>
    new asn1.Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex });
  const extension = (type: string, isCritical: boolean, value: AsnType) =>
    sequence(
      oid(type),
      ...(isCritical ? [new asn1.Boolean({ value: true })] : []),
      octets(value.toBER()),
    );

  const { publicKey, privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const algorithm = sequence(oid(types.ecdsaWithSha256));
  const commonName = sequence(oid(types.commonName), new asn1.Utf8String({ value: "localhost" }));
  const name = sequence(new asn1.Set({ value: [commonName] }));
  // A serial number is positive, and short enough for everybody.
  const serial = Buffer.concat([Buffer.from([0x4c]), randomBytes(15)]);
  const digitalSignature = new asn1.BitString({ valueHex: Buffer.from([0x80]), unusedBits: 7 });
  const toBeSigned = sequence(
    tagged(0, new asn1.Integer({ value: 2 })),
    new asn1.Integer({ valueHex: serial }),
    algorithm,
    name,
    sequence(new asn1.UTCTime({ valueDate: notBefore }), new asn1.UTCTime({ valueDate: notAfter })),
    name,
    asn1.fromBER(publicKey).result,
    tagged(
      3,
      sequence(
        extension(types.basicConstraints, true, sequence()),
        extension(types.keyUsage, true, digitalSignature),
        extension(types.extendedKeyUsage, false, sequence(oid(types.serverAuthentication))),
        extension(
          types.subjectAltName,
          false,
          sequence(
            named(alternativeName.dns, Buffer.from("localhost")),
            named(alternativeName.ip, ipv4Loopback),
            named(alternativeName.ip, ipv6Loopback),
          ),
        ),
      ),
    ),
  );
  const signature = sign("sha256", Buffer.from(toBeSigned.toBER()), createPrivateKey(privateKey));
  const signed = sequence(toBeSigned, algorithm, new asn1.BitString({ valueHex: signature }));
  return { certificate: pem("CERTIFICATE", Buffer.from(signed.toBER())), key: privateKey };
};
