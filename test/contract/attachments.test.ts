/** Attachments over HTTP: what is taken, what is told of it, and what is refused without a trace. */
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Route } from "../../shared/contracts/route.js";
import {
  getAttachmentRoute,
  listAttachmentsRoute,
  postAttachmentRoute,
} from "../../shared/contracts/ticketing/attachments.js";
import { ticketStatuses } from "../../shared/domain/ticketing/status.js";
import { addressOf, headersOf, send, type Answer } from "../support/platform/api.js";
import {
  bytesOf,
  openAttachmentCalls,
  overLimit,
  type AttachmentCalls,
  type Upload,
} from "../support/ticketing/attachment-calls.js";
import { jpegFile, pdfFile, pngFile, writeTicket } from "../support/ticketing/attachments.js";
import { readOpenApi, type Misfits } from "../support/platform/openapi-check.js";

let calls: AttachmentCalls;
let misfits: Misfits;

beforeAll(async () => {
  calls = await openAttachmentCalls();
  misfits = await readOpenApi(calls.stack, "ticketing");
});
afterAll(() => calls.end());

const expectRefusal = (route: Route, answer: Answer, status: number, words: RegExp): void => {
  expect([answer.status, answer.body]).toEqual([
    status,
    {
      error: expect.any(String) as unknown,
      error_description: expect.stringMatching(words) as unknown,
    },
  ]);
  expect(misfits(route, answer)).toEqual([]);
};

test("an attachment comes back byte by byte, and the list tells all but its content", async () => {
  const ticket = await writeTicket(calls.database);
  const picture = Buffer.concat([pngFile, randomBytes(700_001)]);
  const first = await calls.upload(ticket, "schermata è.png", picture);
  expect(first).toEqual({
    message: expect.stringContaining(ticket) as unknown,
    id: 1,
    caseNumber: ticket,
    filename: "schermata è.png",
  });
  expect((await calls.upload(ticket, "estratto.pdf", pdfFile)).id).toBe(2);
  expect(await calls.contentOf(ticket, 1)).toEqual(picture);
  expect(await calls.contentOf(ticket, 2)).toEqual(pdfFile);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown;
  expect(await calls.listed(ticket)).toEqual([
    { id: 1, filename: "schermata è.png", createdOn: at, contentType: "image/png" },
    { id: 2, filename: "estratto.pdf", createdOn: at, contentType: "application/pdf" },
  ]);
});

test("what is answered fits the OpenAPI document, the content too", async () => {
  const ticket = await writeTicket(calls.database);
  const added = await calls.post(ticket, { filename: "a.png" });
  expect([added.status, misfits(postAttachmentRoute, added)]).toEqual([200, []]);
  const headers = headersOf(getAttachmentRoute, calls.token);
  for (const route of [getAttachmentRoute, listAttachmentsRoute]) {
    const params = { casenumber: ticket, attachmentid: "1" };
    const answer = await send(calls.stack, addressOf(route, params), { headers });
    expect([answer.status, misfits(route, answer)]).toEqual([200, []]);
  }
});

const Told = z.object({
  timeline: z.array(z.unknown()),
  audit: z.array(z.unknown()),
  event: z.unknown(),
  destinations: z.array(z.string()),
});

test("timeline, audit and event tell of an attachment once it is there", async () => {
  const ticket = await writeTicket(calls.database);
  await calls.upload(ticket, "a.png", pngFile);
  const told = await calls.database.row(
    Told,
    `select (select json_agg(json_build_array(created_by, text)) from borsello.ticket_timeline
         where case_number = $1) as timeline,
       (select json_agg(json_build_array(actor, partner_key, action)) from borsello.audit
         where entity = 'Ticket' and entity_id = $1) as audit,
       body as event, destinations
     from borsello.outbox where session_id = $1 and subject = 'TicketAttachmentAdded'`,
    [ticket],
  );
  expect(told).toMatchObject({
    timeline: [["acme-client", "acme-client added the attachment [a.png]"]],
    audit: [["acme-client", "acme", "attach"]],
    destinations: ["acme", "platform-events"],
    event: {
      casenumber: ticket,
      partnerKey: "acme",
      attachmentId: 1,
      filename: "a.png",
      contentType: "image/png",
      bytes: pngFile.length,
      sha256: createHash("sha256").update(pngFile).digest("hex"),
      messagePublisher: "Borsello",
    },
  });
});

/** A body whose length nobody is told beforehand. */
const unannounced = (bytes: Buffer): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (let start = 0; start < bytes.length; start += 65_536)
        controller.enqueue(bytes.subarray(start, start + 65_536));
      controller.close();
    },
  });

describe("refusals", () => {
  test.each<[string, Upload, number, RegExp]>([
    ["no file name", {}, 400, /filename is required/],
    ["an empty file name", { filename: "" }, 400, /filename must not be empty/],
    ["a path", { filename: "../../etc/a.png" }, 400, /without a path/],
    ["a name that turns direction", { filename: "a\u202egnp.exe" }, 400, /cannot be seen/],
    ["a name of 256 characters", { filename: `${"a".repeat(252)}.png` }, 400, /255 characters/],
    ["no bytes", { filename: "a.png", body: new Uint8Array() }, 400, /has no bytes/],
    [
      "no bytes, chunked",
      { filename: "a.png", body: unannounced(pngFile.subarray(0, 0)) },
      400,
      /has no bytes/,
    ],
    ["too many bytes", { filename: "a.png", body: bytesOf(overLimit) }, 413, /10485760/],
    [
      "too many bytes, chunked",
      { filename: "a.png", body: unannounced(overLimit) },
      413,
      /10485760/,
    ],
    ["a type that is not taken", { filename: "a.exe" }, 415, /pdf, png/],
    ["no extension", { filename: "png" }, 415, /pdf, png/],
    [
      "another content",
      { filename: "a.png", body: bytesOf(jpegFile) },
      415,
      /It must have the content that its extension says/,
    ],
    [
      "a content that is cut",
      { filename: "a.png", body: bytesOf(pngFile.subarray(0, 5)) },
      415,
      /extension/,
    ],
    ["another declared type", { filename: "a.png", type: "image/jpeg" }, 415, /image\/png/],
    ["a type of no attachment", { filename: "a.png", type: "text/html" }, 415, /octet-stream/],
  ])("%s: refused, and nothing stays", async (_case, what, status, words) => {
    const ticket = await writeTicket(calls.database);
    expectRefusal(postAttachmentRoute, await calls.post(ticket, what), status, words);
    expect(await calls.traces(ticket)).toBe(0);
  });

  test.each(ticketStatuses)("a ticket that is %s", async (status) => {
    const ticket = await writeTicket(calls.database, status);
    const answer = await calls.post(ticket, { filename: "a.png" });
    const isOver = ["Closed", "Canceled", "Rejected"].includes(status);
    if (isOver) expectRefusal(postAttachmentRoute, answer, 409, /closed, canceled or rejected/);
    else expect(answer.status).toBe(200);
    expect(await calls.listed(ticket)).toHaveLength(isOver ? 0 : 1);
  });

  test("another partner's ticket is answered like one that there is not", async () => {
    const foreign = await writeTicket(calls.database, "New", "globex");
    const known = new RegExp(foreign, "g");
    const answers: unknown[] = [];
    for (const casenumber of [foreign, "T-UNKNOWN"]) {
      const params = { casenumber, attachmentid: "1" };
      const headers = headersOf(getAttachmentRoute, calls.token);
      for (const answer of [
        await calls.post(casenumber, { filename: "a.png" }),
        await send(calls.stack, addressOf(listAttachmentsRoute, params), { headers }),
        await send(calls.stack, addressOf(getAttachmentRoute, params), { headers }),
      ])
        answers.push([answer.status, JSON.stringify(answer.body).replace(known, "T-UNKNOWN")]);
    }
    expect(answers.slice(0, 3)).toEqual(answers.slice(3));
    for (const answer of answers) expect(answer).toMatchObject([404, /TicketNotFound|casenumber/]);
    expect(await calls.traces(foreign)).toBe(0);
  });

  test.each([
    ["2", 404, /attachmentid 2 is not known/],
    ["0", 404, /attachmentid 0/],
    ["-1", 404, /attachmentid -1/],
    ["999999999999999", 404, /attachmentid/],
    ["one", 400, /attachmentid must be a whole number/],
    ["1.5", 400, /whole number/],
  ])("the attachment %s of a ticket that has one", async (attachmentid, status, words) => {
    const ticket = await writeTicket(calls.database);
    await calls.upload(ticket, "a.png", pngFile);
    const address = addressOf(getAttachmentRoute, { casenumber: ticket, attachmentid });
    const answer = await send(calls.stack, address, {
      headers: headersOf(getAttachmentRoute, calls.token),
    });
    expectRefusal(getAttachmentRoute, answer, status, words);
  });
});
