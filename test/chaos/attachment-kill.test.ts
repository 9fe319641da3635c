/** The platform dies when an upload's bytes are stored and nothing tells of them yet: nothing stays. */
import { afterEach, expect, test } from "vitest";
import {
  openAttachmentCalls,
  type AttachmentCalls,
} from "../support/ticketing/attachment-calls.js";
import { pngFile, writeTicket } from "../support/ticketing/attachments.js";
import { countOf } from "../support/wallet/bank-fixtures.js";
import { ticketsAt } from "../support/ticketing/tickets.js";

let calls: AttachmentCalls;
afterEach(() => calls.end());

/** So long ago that whoever began the uploads must be gone. */
const age = (caseNumber: string): Promise<number> =>
  calls.database.execute(
    "update borsello.attachment_upload set started_at = now() - interval '2 hours' where case_number = $1",
    [caseNumber],
  );

const documentsOf = (caseNumber: string): Promise<number> =>
  countOf(calls.database, "select count(*) from borsello.document where document_key like $1", [
    `attachments/${caseNumber}/%`,
  ]);

// The second hit strikes: the first upload is spared, and the one after the restart is a first again.
test("killed once an attachment is stored, it shows none, sweeps its bytes and takes the next", async () => {
  calls = await openAttachmentCalls({ FAULT_POINTS: "attachment.stored:2" });
  const ticket = await writeTicket(calls.database);
  await calls.upload(ticket, "spared.png", pngFile);
  const before = await calls.traces(ticket);

  await expect(calls.post(ticket, { filename: "struck.png" })).rejects.toThrow();
  await calls.stack.restart();
  expect((await calls.listed(ticket)).map(({ filename }) => filename)).toEqual(["spared.png"]);
  expect(await documentsOf(ticket)).toBe(2);

  await age(ticket);
  // The clock's move makes every timer that is due fire.
  await ticketsAt(calls.stack).moveClock(new Date().toISOString(), 1);
  await expect.poll(() => calls.traces(ticket)).toBe(before);
  expect(await documentsOf(ticket)).toBe(1);

  expect((await calls.upload(ticket, "next.png", pngFile)).id).toBe(2);
  expect(await calls.contentOf(ticket, 1)).toEqual(pngFile);
  expect(await calls.contentOf(ticket, 2)).toEqual(pngFile);
});
