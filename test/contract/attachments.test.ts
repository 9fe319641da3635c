/** Attachments over HTTP: what is taken, what is refused, and that nothing half-done stays. */
import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  getAttachmentRoute,
  listAttachmentsRoute,
  postAttachmentRoute,
} from "../../shared/contracts/ticketing/attachments.js";
import type { Route } from "../../shared/contracts/route.js";
import type { Database } from "../../shared/database/database.js";
import { ticketStatuses } from "../../shared/domain/ticketing/status.js";
import type { Client } from "../../shared/http/client.js";
import {
  addressOf,
  clientOf,
  headersOf,
  openStackDatabase,
  send,
  type Answer,
} from "../support/api.js";
import { jpegFile, pdfFile, pngFile, writeTicket } from "../support/attachments.js";
import { countOf } from "../support/bank-fixtures.js";
import { readOpenApi, type Misfits } from "../support/openapi-check.js";
import { startTestStack, type TestStack } from "../support/stack.js";

let stack: TestStack;
let database: Database;
let acme: Client;
let token: string;
let misfits: Misfits;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  acme = clientOf(stack, "acme");
  token = await acme.token();
  misfits = await readOpenApi(stack, "ticketing");
});

afterAll(async () => {
  await database.close();
  await stack.stop();
});

interface Upload {
  readonly filename?: string;
  readonly body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly type?: string;
}

const bytesOf = (bytes: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

const post = (
  caseNumber: string,
  { filename, body = bytesOf(pngFile), type }: Upload,
): Promise<Answer> => {
  const query = filename === undefined ? "" : `?${new URLSearchParams({ filename }).toString()}`;
  const address = addressOf(postAttachmentRoute, { casenumber: caseNumber });
  return send(stack, `${address}${query}`, {
    method: "POST",
    body,
    duplex: "half",
    headers: {
      ...headersOf(postAttachmentRoute, token),
      ...(type === undefined ? {} : { "content-type": type }),
    },
  });
};

const upload = async (caseNumber: string, filename: string, body: Buffer) => {
  const input = { params: { casenumber: caseNumber }, query: { filename }, body: bytesOf(body) };
  const added = await acme.call(postAttachmentRoute, input);
  if (!added.ok) throw new Error(added.error.errorDescription);
  return added.value;
};

const listed = async (caseNumber: string) => {
  const found = await acme.call(listAttachmentsRoute, { params: { casenumber: caseNumber } });
  if (!found.ok) throw new Error(found.error.errorDescription);
  return found.value.response;
};

const contentOf = async (caseNumber: string, id: number): Promise<Buffer> => {
  const params = { casenumber: caseNumber, attachmentid: String(id) };
  const found = await acme.call(getAttachmentRoute, { params });
  if (!found.ok) throw new Error(found.error.errorDescription);
  return Buffer.from(found.value.response.filecontent, "base64");
};

/** Rows of every kind that uploads leave; those of the ticket alone where they name it. */
const traces = (caseNumber: string): Promise<number> =>
  countOf(
    database,
    `select (select count(*) from borsello.attachment where case_number = $1)
       + (select count(*) from borsello.attachment_upload where case_number = $1)
       + (select count(*) from borsello.ticket_timeline where case_number = $1)
       + (select count(*) from borsello.outbox where session_id = $1)
       + (select count(*) from borsello.document where document_key like $2)
       + (select count(*) from borsello.document_piece where document_key like $2) as count`,
    [caseNumber, `attachments/${caseNumber}/%`],
  );

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
  const ticket = await writeTicket(database);
  const picture = Buffer.concat([pngFile, randomBytes(700_001)]);
  const first = await upload(ticket, "schermata è.png", picture);
  expect(first).toEqual({
    message: expect.stringContaining(ticket) as unknown,
    id: 1,
    caseNumber: ticket,
    filename: "schermata è.png",
  });
  expect((await upload(ticket, "estratto.pdf", pdfFile)).id).toBe(2);
  expect(await contentOf(ticket, 1)).toEqual(picture);
  expect(await contentOf(ticket, 2)).toEqual(pdfFile);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown;
  expect(await listed(ticket)).toEqual([
    { id: 1, filename: "schermata è.png", createdOn: at, contentType: "image/png" },
    { id: 2, filename: "estratto.pdf", createdOn: at, contentType: "application/pdf" },
  ]);
});

test("what is answered fits the OpenAPI document, the content too", async () => {
  const ticket = await writeTicket(database);
  const added = await post(ticket, { filename: "a.png" });
  expect([added.status, misfits(postAttachmentRoute, added)]).toEqual([200, []]);
  const headers = headersOf(getAttachmentRoute, token);
  for (const route of [getAttachmentRoute, listAttachmentsRoute]) {
    const params = { casenumber: ticket, attachmentid: "1" };
    const answer = await send(stack, addressOf(route, params), { headers });
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
  const ticket = await writeTicket(database);
  await upload(ticket, "a.png", pngFile);
  const told = await database.row(
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

const mebibyte = 1024 * 1024;
const overLimit = Buffer.concat([pngFile, Buffer.alloc(10 * mebibyte)]);
const atLimit = overLimit.subarray(0, 10 * mebibyte);

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
      /not what its extension says/,
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
    const ticket = await writeTicket(database);
    expectRefusal(postAttachmentRoute, await post(ticket, what), status, words);
    expect(await traces(ticket)).toBe(0);
  });

  test.each(ticketStatuses)("a ticket that is %s", async (status) => {
    const ticket = await writeTicket(database, status);
    const answer = await post(ticket, { filename: "a.png" });
    const isOver = ["Closed", "Canceled", "Rejected"].includes(status);
    if (isOver) expectRefusal(postAttachmentRoute, answer, 409, /closed, canceled or rejected/);
    else expect(answer.status).toBe(200);
    expect(await listed(ticket)).toHaveLength(isOver ? 0 : 1);
  });

  test("another partner's ticket is answered like one that there is not", async () => {
    const foreign = await writeTicket(database, "New", "globex");
    const known = new RegExp(foreign, "g");
    const answers: unknown[] = [];
    for (const casenumber of [foreign, "T-UNKNOWN"]) {
      const params = { casenumber, attachmentid: "1" };
      const headers = headersOf(getAttachmentRoute, token);
      for (const answer of [
        await post(casenumber, { filename: "a.png" }),
        await send(stack, addressOf(listAttachmentsRoute, params), { headers }),
        await send(stack, addressOf(getAttachmentRoute, params), { headers }),
      ])
        answers.push([answer.status, JSON.stringify(answer.body).replace(known, "T-UNKNOWN")]);
    }
    expect(answers.slice(0, 3)).toEqual(answers.slice(3));
    for (const answer of answers) expect(answer).toMatchObject([404, /TicketNotFound|casenumber/]);
    expect(await traces(foreign)).toBe(0);
  });

  test.each([
    ["2", 404, /attachmentid 2 is not known/],
    ["0", 404, /attachmentid 0/],
    ["-1", 404, /attachmentid -1/],
    ["999999999999999", 404, /attachmentid/],
    ["one", 400, /attachmentid must be a whole number/],
    ["1.5", 400, /whole number/],
  ])("the attachment %s of a ticket that has one", async (attachmentid, status, words) => {
    const ticket = await writeTicket(database);
    await upload(ticket, "a.png", pngFile);
    const address = addressOf(getAttachmentRoute, { casenumber: ticket, attachmentid });
    const answer = await send(stack, address, { headers: headersOf(getAttachmentRoute, token) });
    expectRefusal(getAttachmentRoute, answer, status, words);
  });
});

test("the largest attachment is taken and comes back whole", async () => {
  const ticket = await writeTicket(database);
  await upload(ticket, "a.png", atLimit);
  expect((await contentOf(ticket, 1)).equals(atLimit)).toBe(true);
});

test("of uploads at once, a ticket takes as many as fit, each with a number of its own", async () => {
  const ticket = await writeTicket(database);
  for (let attachment = 0; attachment < 17; attachment += 1) await upload(ticket, "a.png", pngFile);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post(ticket, { filename: "a.png" })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200, 200, 200, 409, 409, 409, 409, 409,
  ]);
  expect((await listed(ticket)).map(({ id }) => id)).toEqual(
    Array.from({ length: 20 }, (_one, index) => index + 1),
  );
  const stored = await countOf(
    database,
    "select count(*) from borsello.document where document_key like $1",
    [`attachments/${ticket}/%`],
  );
  expect(stored).toBe(20);
});

test("a ticket's attachments have 50 MiB together", async () => {
  const ticket = await writeTicket(database);
  for (let attachment = 0; attachment < 4; attachment += 1) await upload(ticket, "a.png", atLimit);
  const last = atLimit.subarray(0, 10 * mebibyte - 1);
  await upload(ticket, "a.png", last);
  const tooMuch = await post(ticket, { filename: "b.png" });
  expectRefusal(postAttachmentRoute, tooMuch, 413, /52428800 bytes together/);
  expect(await listed(ticket)).toHaveLength(5);
});

describe("an upload that breaks off", () => {
  /** Sends the beginning of an upload, and hangs up once the platform has stored some of it. */
  const breakOff = async (ticket: string, framing: string, piece: Buffer): Promise<void> => {
    const { port, hostname } = new URL(stack.url);
    const socket = connect(Number(port), hostname);
    const address = addressOf(postAttachmentRoute, { casenumber: ticket });
    socket.write(
      `POST ${address}?filename=a.png HTTP/1.1\r\nHost: ${hostname}\r\n` +
        `Authorization: Bearer ${token}\r\nX-Tenant: acme\r\n${framing}\r\n\r\n`,
    );
    socket.write(piece);
    const stored = (): Promise<number> =>
      countOf(database, "select count(*) from borsello.document_piece where document_key like $1", [
        `attachments/${ticket}/%`,
      ]);
    await expect.poll(stored).toBeGreaterThan(0);
    socket.destroy();
  };

  test.each([
    ["of an announced length", `Content-Length: ${atLimit.length}`, atLimit.subarray(0, mebibyte)],
    [
      "of unknown length",
      "Transfer-Encoding: chunked",
      Buffer.concat([
        Buffer.from(`${mebibyte.toString(16)}\r\n`),
        atLimit.subarray(0, mebibyte),
        Buffer.from("\r\n"),
      ]),
    ],
  ])("%s leaves nothing behind", async (_framing, framing, piece) => {
    const ticket = await writeTicket(database);
    await breakOff(ticket, framing, piece);
    await expect.poll(() => traces(ticket), { timeout: 5_000 }).toBe(0);
    expect(await listed(ticket)).toEqual([]);
  });

  test("is no failure in the log, and the ticket takes the next one", async () => {
    const ticket = await writeTicket(database);
    await breakOff(ticket, `Content-Length: ${atLimit.length}`, atLimit.subarray(0, mebibyte));
    await expect.poll(() => traces(ticket)).toBe(0);
    expect((await upload(ticket, "a.png", pngFile)).id).toBe(1);
    expect(stack.output()).not.toContain("A call failed");
  });
});
