/** Settings of the wallet platform alone: the account that customers pay to, the seal's certificate. */
import { z } from "zod";
import { settingShapes } from "./setting-shapes.js";

export const walletSettings = {
  /** The account that verifying transfers go to, unless the partner's settings name another. */
  COLLECTION_IBAN: z
    .string()
    .regex(/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/)
    .optional()
    .register(settingShapes, { shape: "an IBAN without spaces" }),
  COLLECTION_OWNER: z.string().min(1).optional().register(settingShapes, { shape: "a name" }),
  /** PKCS #12, base64. */
  SEAL_CERTIFICATE_P12: z
    .base64()
    .optional()
    .register(settingShapes, { shape: "a PKCS #12 file in base64", isSecret: true }),
  SEAL_CERTIFICATE_PASSWORD: z
    .string()
    .default("")
    .register(settingShapes, { shape: "a text", isSecret: true }),
} as const;
type WalletSettings = z.output<z.ZodObject<typeof walletSettings>>;

export interface CollectionAccount {
  readonly iban: string;
  readonly owner: string;
}

export interface WalletConfig {
  /** Null: only partners whose own settings name an account can verify IBANs. */
  readonly collectionAccount: CollectionAccount | null;
  /** Null outside production only: the seal's key is then made once and kept in the database. */
  readonly sealCertificate: { readonly p12: Uint8Array; readonly password: string } | null;
}

/** An account of a bank that does not exist. */
const sandboxAccount: CollectionAccount = {
  iban: "IT19W0999903200BORSELLO0001",
  owner: "Borsello Sandbox",
};

/** Undefined: the seal's certificate is missing in production. */
export const walletConfigOf = (
  settings: WalletSettings,
  isProduction: boolean,
): WalletConfig | undefined => {
  const { COLLECTION_IBAN: iban, COLLECTION_OWNER: owner = "Borsello" } = settings;
  const { SEAL_CERTIFICATE_P12: p12, SEAL_CERTIFICATE_PASSWORD: password } = settings;
  if (p12 === undefined && isProduction) return undefined;
  const ownAccount = iban === undefined ? null : { iban, owner };
  return {
    collectionAccount: ownAccount ?? (isProduction ? null : sandboxAccount),
    sealCertificate: p12 === undefined ? null : { p12: Buffer.from(p12, "base64"), password },
  };
};
