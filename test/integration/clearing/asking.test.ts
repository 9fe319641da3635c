/** What force queue, force export and deletions do in every state of a day. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listIncoming, listOutgoing } from "../../../shared/database/clearing/clearings.js";
import { deleteIncoming, deleteOutgoing } from "../../../shared/database/clearing/deletions.js";
import {
  forceExport,
  forceQueue,
  queueDaily,
  type ClearingDay,
} from "../../../shared/database/clearing/requests.js";
import { waitingItems } from "../../../shared/database/clearing/incoming-source.js";
import { openClearings } from "../../../shared/database/clearing/flow-state.js";
import { staleRuns } from "../../../shared/database/settlement/runs.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { cardOf } from "../../support/card/cards.js";
import {
  aDay,
  bookmarkOf,
  charge,
  clearDay,
  drive,
  present,
  queueDay,
  stepsOf,
} from "../../support/clearing/driven.js";
import { countOf } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  globex,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let clearings: WalletTest;
let database: Database;
let cardId: string;
let othersCardId: string;

beforeAll(async () => {
  clearings = await openWalletTest();
  ({ database } = clearings);
  cardId = await cardOf(database, "acme");
  othersCardId = await cardOf(database, "globex");
});
afterAll(() => clearings.end());

type State =
  "Queued" | "running" | "Completed" | "Failed" | "failed export" | "resting" | "emptied";

/** A day in this state, with a presentment of two affiliates each. */
const dayIn = async (state: State): Promise<ClearingDay> => {
  const day = aDay();
  for (const card of [cardId, othersCardId]) await present(database, card);
  const take = stepsOf(database);
  switch (state) {
    case "Queued":
      await queueDay(database, day);
      break;
    case "running":
      await queueDay(database, day);
      await drive(database, day, take, "export");
      break;
    case "Completed":
      await clearDay(database, day);
      break;
    case "resting":
      await clearDay(database, day, "ImportOnly");
      break;
    case "emptied": {
      const { clearingBookmarkId } = await clearDay(database, day, "ImportOnly");
      const [file] = made(await listIncoming(database, clearingBookmarkId));
      made(
        await deleteIncoming(database, acme, clearingBookmarkId, file?.incomingClearingId ?? ""),
      );
      await drive(database, day);
      break;
    }
    case "Failed":
    case "failed export":
      await queueDay(database, day);
      await drive(database, day, take, state === "Failed" ? "aggregate" : "export");
      await database.execute(
        `update borsello.clearing_bookmark set status = 'Failed', feedback = 'No.'
         where clearing_date = $1`,
        [day.clearingDate],
      );
      if (state === "Failed")
        await database.execute(
          `update borsello.incoming_clearing set is_verified = false where clearing_bookmark_id in (
             select clearing_bookmark_id from borsello.clearing_bookmark where clearing_date = $1)`,
          [day.clearingDate],
        );
      break;
  }
  return day;
};

/** To its end, so that no day leaves anything to the next one. */
const finish = async (day: ClearingDay): Promise<void> => {
  await queueDay(database, day);
  expect(await drive(database, day)).toMatchObject({ status: "Completed" });
  const { clearingBookmarkId } = await bookmarkOf(database, day);
  const records = "select count(*) from borsello.clearing_record where clearing_bookmark_id = $1";
  expect(await countOf(database, records, [clearingBookmarkId])).toBe(2);
};

describe.each([
  ["Queued", "Queued", "Queued", "Queued"],
  ["running", "Queued", "Queued", "Queued"],
  ["Completed", "Ignored", "Ignored", "Ignored"],
  ["Failed", "Queued", "Queued", "Ignored"],
  ["failed export", "Queued", "Queued", "Queued"],
  ["resting", "Queued", "Ignored", "Queued"],
  ["emptied", "Queued", "Queued", "Ignored"],
] as const)("a day that is %s", (state, full, importOnly, exportOnly) => {
  test.each([
    ["Full", full],
    ["ImportOnly", importOnly],
    ["ExportOnly", exportOnly],
  ] as const)("answers a force queue %s with %s, and is cleared once", async (mode, status) => {
    const day = await dayIn(state);
    const before = await bookmarkOf(database, day);
    expect(await queueDay(database, day, mode)).toBe(status);
    const after = await drive(database, day);
    if (status === "Ignored") expect(after).toEqual(before);
    else if (mode !== "ImportOnly" || state === "running" || state === "Queued")
      expect(after).toMatchObject({ status: "Completed", feedback: null });
    else expect(after).toMatchObject({ status: "Exporting", isResting: true });
    await finish(day);
  });
});

test("a timer leaves alone what somebody has begun, and clears what nobody has", async () => {
  const day = aDay();
  // Without anything to clear the day stays open for whoever asks later.
  expect(await queueDaily(database, day)).toBe(false);
  await present(database, cardId);
  expect(await queueDaily(database, day)).toBe(true);
  expect(await queueDaily(database, day)).toBe(false);
  await drive(database, day);
  const resting = await dayIn("resting");
  expect(await queueDaily(database, resting)).toBe(false);
  expect(await bookmarkOf(database, resting)).toMatchObject({ isResting: true });
  await finish(resting);
});

test("a day that is not begun can't be exported", async () => {
  expect(await forceQueue(database, acme, aDay(), "ExportOnly")).toMatchObject({
    code: "ClearingBookmarkNotFound",
  });
});

const asked = (clearingBookmarkId: string, affiliateKeys: string[] | null = null) => ({
  ...{ clearingBookmarkId, issuerKey: null, clearingDate: null, affiliateKeys },
});

test("files are written for those who are named, and the day rests until everybody has theirs", async () => {
  const day = await dayIn("resting");
  const { clearingBookmarkId } = await bookmarkOf(database, day);
  const exporting = async (keys: string[] | null) =>
    made(await forceExport(database, acme, asked(clearingBookmarkId, keys))).status;
  expect(await exporting(["globex"])).toBe("Queued");
  expect(await drive(database, day)).toMatchObject({ status: "Exporting", isResting: true });
  const delivered = `select count(*) from borsello.outgoing_clearing
    where clearing_bookmark_id = $1 and delivered_at is not null`;
  expect(await countOf(database, delivered, [clearingBookmarkId])).toBe(1);
  expect(await exporting(["nobody"])).toBe("Queued");
  expect(await drive(database, day)).toMatchObject({ isResting: true });
  expect(await exporting(null)).toBe("Queued");
  expect(await drive(database, day)).toMatchObject({ status: "Completed" });
  expect(await exporting(null)).toBe("Ignored");
});

test("who joins an import that was to rest has its files written all the same", async () => {
  const day = aDay();
  await present(database, cardId);
  await queueDay(database, day, "ImportOnly");
  await drive(database, day, stepsOf(database), "aggregate");
  const { clearingBookmarkId } = await bookmarkOf(database, day);
  made(await forceExport(database, globex, asked(clearingBookmarkId)));
  expect(await drive(database, day)).toMatchObject({ status: "Completed" });
});

test("an export names a clearing by its id, and its issuer and day must fit where they are given", async () => {
  const day = await dayIn("Completed");
  const { clearingBookmarkId } = await bookmarkOf(database, day);
  const unknown = "00000000-0000-4000-8000-000000000000";
  for (const request of [
    asked(unknown),
    { ...asked(clearingBookmarkId), issuerKey: "another" },
    { ...asked(clearingBookmarkId), clearingDate: "2024-01-01" },
  ])
    expect(await forceExport(database, acme, request)).toMatchObject({
      code: "ClearingBookmarkNotFound",
    });
  const fits = { ...asked(clearingBookmarkId), ...day };
  expect(made(await forceExport(database, acme, fits)).status).toBe("Ignored");
});

test.each([
  ["Queued", "ClearingBookmarkStatusInvalid"],
  ["running", "ClearingBookmarkStatusInvalid"],
  ["Completed", "ClearingFileAlreadyDelivered"],
  ["failed export", null],
  ["resting", null],
] as const)("files of a day that is %s: deleting them is %s", async (state, code) => {
  const day = await dayIn(state);
  const { clearingBookmarkId } = await bookmarkOf(database, day);
  const [incoming] = made(await listIncoming(database, clearingBookmarkId));
  const [own] = made(await listOutgoing(database, clearingBookmarkId, "acme"));
  const unknown = "00000000-0000-4000-8000-000000000000";
  if (own !== undefined) {
    const { outgoingClearingId } = own;
    expect(
      await deleteOutgoing(
        database,
        { ...globex, mayAll: false },
        clearingBookmarkId,
        outgoingClearingId,
      ),
    ).toMatchObject({
      code: "AccountOfAnotherAffiliate",
    });
    const deleted = await deleteOutgoing(
      database,
      { ...acme, mayAll: false },
      clearingBookmarkId,
      outgoingClearingId,
    );
    expect(deleted).toMatchObject(code === null ? { ok: true, value: own } : { code });
  }
  if (incoming !== undefined) {
    const { incomingClearingId, fileName, interchangeDebitAmountEuroZone } = incoming;
    const deleted = await deleteIncoming(database, globex, clearingBookmarkId, incomingClearingId);
    expect(deleted).toMatchObject(
      code === null
        ? { value: { affiliateKey: null, fileName, interchangeDebitAmountEuroZone } }
        : { code },
    );
    expect(await deleteIncoming(database, acme, clearingBookmarkId, unknown)).toMatchObject({
      code: "ClearingFileNotFound",
    });
  }
  expect(await deleteIncoming(database, acme, unknown, unknown)).toMatchObject({
    code: "ClearingBookmarkNotFound",
  });
  await finish(day);
});

test("a deleted file gives back what it had taken: it waits again, and the next file of the day has the next number", async () => {
  const day = aDay();
  await present(database, cardId);
  await charge(database, cardId);
  const { clearingBookmarkId } = await clearDay(database, day, "ImportOnly");
  const cleared = "select count(*) from borsello.card_transaction where status = 'Cleared'";
  const before = await countOf(database, cleared, []);
  const [file, fees] = made(await listIncoming(database, clearingBookmarkId));
  made(await deleteIncoming(database, acme, clearingBookmarkId, file?.incomingClearingId ?? ""));
  expect(await openClearings(database, null, 10)).toMatchObject([{ clearingBookmarkId, round: 2 }]);
  const emptied = await drive(database, day);
  expect(emptied).toMatchObject({ isResting: true });
  expect(await openClearings(database, null, 10)).toEqual([]);
  expect(await countOf(database, cleared, [])).toBe(before - 1);
  expect(made(await listOutgoing(database, clearingBookmarkId, null))).toMatchObject([
    { type: "FEEMULTISCHEME" },
  ]);
  await present(database, othersCardId);
  await queueDay(database, day);
  expect(await drive(database, day)).toMatchObject({ status: "Completed" });
  expect(made(await listIncoming(database, clearingBookmarkId))).toMatchObject([
    { recordsInFile: 2, fileSequenceNumber: 2 },
    { incomingClearingId: fees?.incomingClearingId, fileSequenceNumber: 1 },
  ]);
  expect(made(await listOutgoing(database, clearingBookmarkId, null))).toHaveLength(3);
});

test("what an affiliate may have fetched is kept, and so is what it was made of, though the day rests", async () => {
  const day = await dayIn("resting");
  const { clearingBookmarkId } = await bookmarkOf(database, day);
  made(await forceExport(database, acme, asked(clearingBookmarkId, ["globex"])));
  expect(await drive(database, day)).toMatchObject({ isResting: true });
  const [file, fees] = made(await listIncoming(database, clearingBookmarkId));
  const deleting = async (incomingClearingId = "") =>
    deleteIncoming(database, acme, clearingBookmarkId, incomingClearingId);
  const outgoing = async (partnerKey: string) =>
    made(await listOutgoing(database, clearingBookmarkId, partnerKey))[0]?.outgoingClearingId ?? "";
  const deletingOf = async (actor: typeof acme) =>
    deleteOutgoing(
      database,
      { ...actor, mayAll: false },
      clearingBookmarkId,
      await outgoing(actor.partnerKey),
    );
  const code = "ClearingFileAlreadyDelivered";
  expect(await deleting(file?.incomingClearingId)).toMatchObject({ code });
  expect(await deletingOf(globex)).toMatchObject({ code });
  expect(await deletingOf(acme)).toMatchObject({ ok: true });
  // Nobody has a file of it.
  expect(await deleting(fees?.incomingClearingId)).toMatchObject({ ok: true });
  await finish(day);
});

test("who still opens a file that was deleted meanwhile takes nothing into it", async () => {
  const day = aDay();
  await present(database, cardId);
  const { clearingBookmarkId } = await clearDay(database, day, "ImportOnly");
  const [file] = made(await listIncoming(database, clearingBookmarkId));
  if (file === undefined) throw new Error("There is no incoming clearing.");
  made(await deleteIncoming(database, acme, clearingBookmarkId, file.incomingClearingId));
  await drive(database, day);
  await waitingItems(database).open(file);
  await present(database, othersCardId);
  await finish(day);
});

test("runs of clearings are no business of the sweep of runs", async () => {
  const day = aDay();
  await queueDay(database, day);
  await database.execute(
    "update borsello.flow_run set requested_at = requested_at - interval '1 day'",
  );
  expect(await staleRuns(database, null, 10)).toEqual([]);
  await finish(await dayIn("Queued"));
  await drive(database, day);
});
