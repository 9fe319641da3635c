/** The sandbox's signing key: made once per database, by whoever asks first. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const keyRow = z.object({ privateJwk: z.record(z.string(), z.unknown()) });
export type StoredJwk = z.output<typeof keyRow>["privateJwk"];

const selectKey = `select private_jwk as "privateJwk" from borsello.sandbox_signing_key`;

export const sandboxSigningKey = async (
  database: Queryable,
  make: () => Promise<StoredJwk>,
): Promise<StoredJwk> => {
  const stored = await database.row(keyRow, selectKey);
  if (stored !== undefined) return stored.privateJwk;
  await database.execute(
    "insert into borsello.sandbox_signing_key (private_jwk) values ($1) on conflict do nothing",
    [JSON.stringify(await make())],
  );
  // Another instance may have been faster: its key is the one that everybody uses.
  const kept = await database.row(keyRow, selectKey);
  if (kept === undefined) throw new Error("the sandbox's signing key vanished");
  return kept.privateJwk;
};
