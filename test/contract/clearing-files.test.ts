/** Clearing files and their structures through the front door: the very bytes, their digest, and whose they are. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseDocuments } from "../../functions/kit/document-store.js";
import { getClearingFileRoute } from "../../shared/contracts/clearing/files.js";
import * as structures from "../../shared/contracts/clearing/structures.js";
import { exportNextFile } from "../../shared/database/clearing/exports.js";
import { noFaultPoints } from "../../shared/platform/fault-points.js";
import { openCardDesk, type CardDesk, type Caller } from "../support/card/card-desk.js";
import {
  outgoingOf,
  writeSummedClearing,
  type SummedOutgoing,
} from "../support/clearing/exported.js";
import type { Answer } from "../support/platform/api.js";

let desk: CardDesk;
let bookmarkId: string;
/** The files of acme are written, those of globex not yet. */
let outgoing: readonly SummedOutgoing[];

/** So many that a file has several pieces. */
const records = 600;

beforeAll(async () => {
  desk = await openCardDesk();
  const { database } = desk;
  bookmarkId = await writeSummedClearing(database, { records, affiliates: ["acme", "globex"] });
  const means = { database, documents: databaseDocuments(database), faults: noFaultPoints };
  for (let isOver = false; !isOver;)
    ({ isOver } = await exportNextFile(means, bookmarkId, ["acme"]));
  outgoing = await outgoingOf(database, bookmarkId);
});

afterAll(() => desk.stop());

const fileOf = (affiliateKey: string, type = "CLEARINGMULTISCHEME"): string => {
  const found = outgoing.find((one) => one.affiliateKey === affiliateKey && one.type === type);
  return found?.outgoingClearingId ?? "";
};

const fileAs = (as: Caller, outgoingClearingId: string, of = bookmarkId): Promise<Answer> =>
  desk.ask(getClearingFileRoute, { params: { bookmarkId: of, outgoingClearingId }, as });

test.each(["CLEARINGMULTISCHEME", "FEEMULTISCHEME"])(
  "a file of %s comes as it was written, with its length, name and digest",
  async (type) => {
    const answer = await fileAs("acme", fileOf("acme", type));
    const text = String(answer.body);
    const sha256 = createHash("sha256").update(text).digest("base64");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/x-ndjson",
      "content-length": String(Buffer.byteLength(text)),
      "content-disposition": `inline; filename="borsello_20261120_${type}_acme.jsonl"`,
      "repr-digest": `sha-256=:${sha256}:`,
    });
    const [header = "", ...lines] = text.trimEnd().split("\n");
    expect(lines).toHaveLength(records);
    expect(JSON.parse(header)).toMatchObject({ type, declaredRecordsInFile: records });
  },
);

test("operators read every affiliate's files", async () => {
  const own = await fileAs("acme", fileOf("acme"));
  expect((await fileAs("platform", fileOf("acme"))).body).toBe(own.body);
});

test.each([
  ["of another affiliate", "globex", () => [fileOf("acme")], 403, "AccountOfAnotherAffiliate"],
  ["not yet written", "globex", () => [fileOf("globex")], 404, "ClearingFileNotFound"],
  ["that is none", "acme", () => [bookmarkId], 404, "ClearingFileNotFound"],
  [
    "of no clearing",
    "acme",
    () => [fileOf("acme"), fileOf("acme")],
    404,
    "ClearingBookmarkNotFound",
  ],
  ["of no identifier", "acme", () => ["1"], 400, "IdentifierInvalid"],
] as const)("a file %s is refused", async (_what, partner, ids, status, errorCode) => {
  const [outgoingClearingId = "", of] = ids();
  const answer = await fileAs(partner, outgoingClearingId, of);
  expect(answer).toMatchObject({ status, body: { errorCode } });
});

test.each([
  [structures.getClearingHeaderStructureRoute, structures.exampleLines.clearingHeader],
  [structures.getClearingRecordStructureRoute, structures.exampleLines.clearingRecord],
  [structures.getFeeHeaderStructureRoute, structures.exampleLines.feeHeader],
  [structures.getFeeRecordStructureRoute, structures.exampleLines.feeRecord],
])("$0.path shows an example", async (route, example) => {
  expect(await desk.ask(route)).toMatchObject({ status: 200, body: example });
});
