/** Puts the seal together: the key that signs, and where it comes from. */
import type { Database } from "../../shared/database/platform/database.js";
import { madeOnce } from "../../shared/database/platform/made-once.js";
import { pdfSealer } from "../../shared/documents/seal.js";
import {
  MadeSealKey,
  madeSealKey,
  makeSealKey,
  sealKeyOfP12,
  type SealKey,
} from "../../shared/documents/seal-key.js";
import type { Clock } from "../../shared/platform/clock.js";
import { lazy } from "../../shared/platform/lazy.js";
import type { WalletConfig } from "../../shared/platform/settings/wallet-settings.js";

/** Seals a PDF; the key is loaded, or made, when the first one comes. */
export type Seal = (pdf: Uint8Array) => Promise<Uint8Array>;

export const createSeal = (
  { sealCertificate }: Pick<WalletConfig, "sealCertificate">,
  database: Database,
  clock: Clock,
): Seal => {
  const load = async (): Promise<SealKey> =>
    sealCertificate === null
      ? madeSealKey(
          await madeOnce(database, "sealKey", MadeSealKey, () => makeSealKey(clock.nowMs())),
        )
      : sealKeyOfP12(sealCertificate.p12, sealCertificate.password);
  // A load that failed (the database was away) is tried again by the next document.
  const sealer = lazy(async () => pdfSealer(await load()));
  return async (pdf) => (await sealer())(pdf, new Date(clock.nowMs()));
};
