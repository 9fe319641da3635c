/** A day's clearing on the whole platform: from the processor's word to the affiliates' files, and its refusals. */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as clearings from "../../shared/contracts/clearing/clearings.js";
import {
  triggerClearingExportRoute,
  triggerClearingRoute,
} from "../../shared/contracts/clearing/flows.js";
import { getClearingFileRoute } from "../../shared/contracts/clearing/files.js";
import { chargeFeeRoute, presentRoute } from "../../shared/contracts/sandbox/card-processor.js";
import { getFlowRunRoute } from "../../shared/contracts/settlement/flows.js";
import type { Database } from "../../shared/database/platform/database.js";
import type { Client } from "../../shared/http/client.js";
import { cardOf } from "../support/card/cards.js";
import { clientOf, openStackDatabase, valueOf } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { countOf } from "../support/wallet/bank-fixtures.js";

let stack: TestStack;
let database: Database;
let acme: Client;
let globex: Client;
let initech: Client;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  acme = clientOf(stack, "acme");
  globex = clientOf(stack, "globex");
  initech = clientOf(stack, "initech");
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

const waitFor = (items: number) =>
  expect
    .poll(() => countOf(database, "select count(*) from borsello.clearing_item", []))
    .toBe(items);

interface Asked {
  readonly clearingDate?: string;
  readonly issuerKey?: string;
  readonly mode?: "Full" | "ImportOnly" | "ExportOnly";
}

const run = async (body: Asked) => {
  const asked = valueOf(await acme.call(triggerClearingRoute, { body }));
  const params = { runId: asked.runId };
  const seen = async () => valueOf(await acme.call(getFlowRunRoute, { params }));
  await expect
    .poll(async () => (await seen()).status, { interval: 50 })
    .toMatch(/Completed|Failed|Ignored/);
  return { asked, ended: await seen() };
};

const bookmarkOf = async (clearingDate: string) => {
  const query = { fromDate: clearingDate, toDate: clearingDate };
  const { items } = valueOf(await acme.call(clearings.listClearingBookmarksRoute, { query }));
  const [bookmark] = items;
  if (bookmark === undefined) throw new Error(`${clearingDate} has no bookmark`);
  return bookmark;
};

const unknown = "01890a5d-ac96-774b-bcce-b302099a8057";
const refused = (status: number, errorCode: string) => ({ status, error: { errorCode } });

test("what the processor presents is imported, rests, is given back, and ends in the affiliates' files", async () => {
  const [own, others] = [await cardOf(database, "acme"), await cardOf(database, "globex")];
  const purchase = {
    ...{ amount: 12.5, currency: "EUR", merchantName: "Bar Centrale", merchantCountry: "ITA" },
  };
  valueOf(await acme.call(presentRoute, { body: { cardId: own, ...purchase } }));
  valueOf(await globex.call(presentRoute, { body: { cardId: others, ...purchase } }));
  const fee = { feeType: "Membership", feeCode: "MF01", feeDescription: "Yearly fee" };
  const charged = { cardId: own, amount: 2, currency: "EUR", ...fee };
  valueOf(await acme.call(chargeFeeRoute, { body: charged }));
  await waitFor(3);
  const clearingDate = "2026-03-10";
  const imported = await run({ clearingDate, mode: "ImportOnly" });
  expect(imported.asked).toMatchObject({ flow: "Clearing", status: "Queued" });
  expect(imported.ended).toMatchObject({ status: "Completed", items: 3, failures: 0 });
  const { clearingBookmarkId: bookmarkId, ...bookmark } = await bookmarkOf(clearingDate);
  expect(bookmark).toMatchObject({
    status: "Exporting",
    interchangeDebitAmount: 25,
    endDate: null,
  });

  const params = { bookmarkId };
  const listIncoming = async () =>
    valueOf(await acme.call(clearings.listIncomingClearingsRoute, { params }));
  const listOutgoing = async (who: Client) =>
    valueOf(await who.call(clearings.listOutgoingClearingsRoute, { params }));
  const [presentments] = await listIncoming();
  const incomingClearingId = presentments?.incomingClearingId ?? "";
  const [foreign] = await listOutgoing(globex);
  const ofForeign = { ...params, outgoingClearingId: foreign?.outgoingClearingId ?? "" };
  expect(
    await acme.call(clearings.deleteOutgoingClearingRoute, { params: ofForeign }),
  ).toMatchObject(refused(403, "AccountOfAnotherAffiliate"));
  expect(
    valueOf(
      await acme.call(clearings.deleteIncomingClearingRoute, {
        params: { ...params, incomingClearingId },
      }),
    ),
  ).toMatchObject({
    affiliateKey: null,
    availableRecords: 2,
    outgoingClearingId: incomingClearingId,
  });
  expect(await listIncoming()).toHaveLength(1);
  await expect
    .poll(() =>
      countOf(
        database,
        "select count(*) from borsello.clearing_item where incoming_clearing_id is null",
        [],
      ),
    )
    .toBe(2);

  expect((await run({ clearingDate })).ended).toMatchObject({ status: "Completed", items: 3 });
  expect(await bookmarkOf(clearingDate)).toMatchObject({ status: "Completed" });
  expect((await run({ clearingDate })).asked.status).toBe("Ignored");
  const [clearing, fees] = await listOutgoing(acme);
  expect(clearing?.fileName).toBe("borsello_20260310_CLEARINGMULTISCHEME_acme.jsonl");
  expect([clearing?.interchangeDebitAmountEuroZone, fees?.feeDebitAmountEuroZone]).toEqual([
    12.5, 2,
  ]);
  const outgoingClearingId = clearing?.outgoingClearingId ?? "";
  const file = { params: { ...params, outgoingClearingId } };
  expect((await acme.call(getClearingFileRoute, file)).ok).toBe(true);
  expect(await acme.call(clearings.deleteOutgoingClearingRoute, file)).toMatchObject(
    refused(400, "ClearingFileAlreadyDelivered"),
  );
  const body = { clearingBookmarkId: bookmarkId };
  expect(valueOf(await globex.call(triggerClearingExportRoute, { body }))).toMatchObject({
    ...{ flow: "ClearingExport", status: "Ignored" },
  });
});

test("every refusal of clearings is answered as its document says", async () => {
  const asking = (who: Client, body: Asked) => who.call(triggerClearingRoute, { body });
  expect(await asking(initech, {})).toMatchObject(refused(403, "PermissionMissing"));
  expect(await asking(acme, { clearingDate: "2999-01-01" })).toMatchObject(
    refused(422, "ValidationFailed"),
  );
  expect(await asking(acme, { issuerKey: "another" })).toMatchObject(
    refused(422, "ValidationFailed"),
  );
  expect(await asking(acme, { clearingDate: "2020-01-01", mode: "ExportOnly" })).toMatchObject(
    refused(404, "ClearingBookmarkNotFound"),
  );
  const body = { clearingBookmarkId: unknown };
  expect(await acme.call(triggerClearingExportRoute, { body })).toMatchObject(
    refused(404, "ClearingBookmarkNotFound"),
  );
  const params = { bookmarkId: unknown };
  for (const listed of [
    await initech.call(clearings.listIncomingClearingsRoute, { params }),
    await initech.call(clearings.listOutgoingClearingsRoute, { params }),
  ])
    expect(listed).toMatchObject(refused(404, "ClearingBookmarkNotFound"));
  const query = { fromDate: "2026-03-10", toDate: "2026-03-09T10:00:00Z" };
  expect(await initech.call(clearings.listClearingBookmarksRoute, { query })).toMatchObject(
    refused(400, "DateRangeInvalid"),
  );
});
