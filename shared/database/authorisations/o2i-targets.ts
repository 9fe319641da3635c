/** Where an affiliate is asked: its settings, or outside production what the sandbox was told. */
import { z } from "zod";
import {
  O2iEndpoint,
  O2iResponseCode,
  type O2iTarget,
} from "../../contracts/platform/o2i-settings.js";
import type { Queryable } from "../platform/database.js";

const SandboxTarget = z.object({ endpoint: O2iEndpoint, standIn: O2iResponseCode.nullable() });
export type SandboxTarget = z.output<typeof SandboxTarget>;

/** In force with the next request. */
export const setSandboxTarget = async (
  database: Queryable,
  partnerKey: string,
  { endpoint, standIn }: SandboxTarget,
): Promise<void> => {
  await database.execute(
    `insert into borsello.sandbox_o2i_target (partner_key, endpoint, stand_in)
     values ($1, $2, $3) on conflict (partner_key) do update
     set endpoint = excluded.endpoint, stand_in = excluded.stand_in`,
    [partnerKey, endpoint, standIn],
  );
};

interface AskedPartner {
  readonly partnerKey: string;
  readonly settings: { readonly cards: { readonly o2i: O2iTarget } };
}

/** What the sandbox was told is asked without a key: that one is for the address in the settings. */
export const o2iTargetOf = async (
  database: Queryable,
  { partnerKey, settings }: AskedPartner,
  isSandbox: boolean,
): Promise<O2iTarget> => {
  const told = isSandbox
    ? await database.row(
        SandboxTarget,
        `select endpoint, stand_in as "standIn" from borsello.sandbox_o2i_target
         where partner_key = $1`,
        [partnerKey],
      )
    : undefined;
  return told === undefined ? settings.cards.o2i : { ...told, auth: { kind: "none" } };
};
