/** Changes what administrators set for a partner, with an audit row that says from what to what. */
import { z } from "zod";
import {
  checkSettings,
  settingChanges,
  type SettingChange,
} from "../../contracts/platform/given-settings.js";
import type { Database, Queryable } from "../platform/database.js";
import { auditPartner } from "./audit.js";
import { collectionFaults, lockPartners } from "./registration.js";

const Row = z.object({ settings: z.record(z.string(), z.unknown()) });
export type StoredSettings = z.output<typeof Row>["settings"];

export interface SettingsEdit {
  /** What speaks against it, as sentences; then nothing is changed. */
  readonly faults: readonly string[];
  readonly changes: readonly SettingChange[];
  /** Customers whose instructions name the collection account that is another now. */
  readonly misdirected: number;
}

export interface EditOptions {
  /** Only says what would change. */
  readonly isDryRun: boolean;
}

/** Set by a command of its own, which looks at the form first. */
const ownPath = "contract.template";

const accountPath = "ibanVerification.destinationIban";

/** What they pay to the account of before belongs to nobody then. */
const misdirectedBy = async (
  queryable: Queryable,
  partnerKey: string,
  changes: readonly SettingChange[],
): Promise<number> => {
  if (!changes.some(({ path }) => path === accountPath)) return 0;
  return queryable.execute(
    "select from borsello.iban_validation where partner_key = $1 and status = 'Waiting'",
    [partnerKey],
  );
};

/** `edit` makes the new settings of those that are there. */
export const editSettings = (
  database: Database,
  partnerKey: string,
  edit: (before: StoredSettings) => unknown,
  { isDryRun }: EditOptions,
): Promise<SettingsEdit> =>
  database.transaction(async (tx): Promise<SettingsEdit> => {
    await lockPartners(tx);
    const row = await tx.row(
      Row,
      "select settings from borsello.partner where partner_key = $1 and removed_at is null",
      [partnerKey],
    );
    const nothing = { changes: [], misdirected: 0 };
    if (row === undefined) return { ...nothing, faults: [`There is no partner ${partnerKey}.`] };
    const after = edit(row.settings);
    const checked = checkSettings(after);
    const changes = settingChanges(row.settings, after);
    if (!checked.ok) return { ...nothing, faults: checked.faults };
    const faults = [
      ...(changes.some(({ path }) => path === ownPath)
        ? [`${ownPath} is set by npm run partner -- contract-template.`]
        : []),
      ...(await collectionFaults(tx, partnerKey, checked.given)),
    ];
    const misdirected = await misdirectedBy(tx, partnerKey, changes);
    const edited = { faults, changes, misdirected };
    if (faults.length > 0 || changes.length === 0 || isDryRun) return edited;
    await tx.execute("update borsello.partner set settings = $2 where partner_key = $1", [
      partnerKey,
      JSON.stringify(checked.given),
    ]);
    await auditPartner(tx, partnerKey, "changeSettings", { changes });
    return edited;
  });
