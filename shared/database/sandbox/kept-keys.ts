/** The sandbox's own keys, each made once per database by whoever asks first: for tokens, and for PINs. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const keyRow = z.object({ privateJwk: z.record(z.string(), z.unknown()) });
export type StoredJwk = z.output<typeof keyRow>["privateJwk"];

const keptKey = async (
  database: Queryable,
  table: "sandbox_signing_key" | "sandbox_card_key",
  make: () => Promise<StoredJwk>,
): Promise<StoredJwk> => {
  const selectKey = `select private_jwk as "privateJwk" from borsello.${table}`;
  const stored = await database.row(keyRow, selectKey);
  if (stored !== undefined) return stored.privateJwk;
  await database.execute(
    `insert into borsello.${table} (private_jwk) values ($1) on conflict do nothing`,
    [JSON.stringify(await make())],
  );
  // Another instance may have been faster: its key is the one that everybody uses.
  const kept = await database.row(keyRow, selectKey);
  if (kept === undefined) throw new Error(`the key in ${table} vanished`);
  return kept.privateJwk;
};

/** What the sandbox's identity provider signs tokens with. */
export const sandboxSigningKey = (
  database: Queryable,
  make: () => Promise<StoredJwk>,
): Promise<StoredJwk> => keptKey(database, "sandbox_signing_key", make);

/** What the sandbox's card processor opens PINs with. */
export const sandboxCardKey = (
  database: Queryable,
  make: () => Promise<StoredJwk>,
): Promise<StoredJwk> => keptKey(database, "sandbox_card_key", make);
