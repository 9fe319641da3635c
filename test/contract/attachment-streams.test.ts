/** Large attachments, many at once, and uploads that break off: limits hold, and nothing half-done stays. */
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postAttachmentRoute } from "../../shared/contracts/ticketing/attachments.js";
import { bytesPerPiece } from "../../shared/database/documents/pieces.js";
import { addressOf } from "../support/platform/api.js";
import {
  atLimit,
  mebibyte,
  openAttachmentCalls,
  type AttachmentCalls,
} from "../support/ticketing/attachment-calls.js";
import { pngFile, writeTicket } from "../support/ticketing/attachments.js";
import { countOf } from "../support/wallet/bank-fixtures.js";

let calls: AttachmentCalls;
beforeAll(async () => {
  calls = await openAttachmentCalls();
});
afterAll(() => calls.end());

/** Resident memory, as the system counts it. */
const residentBytes = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
};

test("the largest attachment is taken and comes back whole", async () => {
  const ticket = await writeTicket(calls.database);
  await calls.upload(ticket, "a.png", atLimit);
  expect((await calls.contentOf(ticket, 1)).equals(atLimit)).toBe(true);
});

test("of uploads at once, a ticket takes as many as fit, each with a number of its own", async () => {
  const ticket = await writeTicket(calls.database);
  for (let attachment = 0; attachment < 17; attachment += 1)
    await calls.upload(ticket, "a.png", pngFile);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => calls.post(ticket, { filename: "a.png" })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200, 200, 200, 409, 409, 409, 409, 409,
  ]);
  expect((await calls.listed(ticket)).map(({ id }) => id)).toEqual(
    Array.from({ length: 20 }, (_one, index) => index + 1),
  );
  const stored = await countOf(
    calls.database,
    "select count(*) from borsello.document where document_key like $1",
    [`attachments/${ticket}/%`],
  );
  expect(stored).toBe(20);
});

test("a ticket's attachments have 50 MiB together", async () => {
  const ticket = await writeTicket(calls.database);
  for (let attachment = 0; attachment < 4; attachment += 1)
    await calls.upload(ticket, "a.png", atLimit);
  const last = atLimit.subarray(0, 10 * mebibyte - 1);
  await calls.upload(ticket, "a.png", last);
  const tooMuch = await calls.post(ticket, { filename: "b.png" });
  expect([tooMuch.status, tooMuch.body]).toMatchObject([
    413,
    { error_description: expect.stringContaining("52428800 bytes together") as unknown },
  ]);
  expect(await calls.listed(ticket)).toHaveLength(5);
});

describe("an upload that breaks off", () => {
  /** Sends the beginning of an upload; resolves once the platform has stored what it can of it. */
  const begin = async (
    ticket: string,
    framing: string,
    body: Buffer,
    sentBytes = body.length,
  ): Promise<Socket> => {
    const { port, hostname } = new URL(calls.stack.url);
    const socket = connect(Number(port), hostname);
    const address = addressOf(postAttachmentRoute, { casenumber: ticket });
    socket.write(
      `POST ${address}?filename=a.png HTTP/1.1\r\nHost: ${hostname}\r\n` +
        `Authorization: Bearer ${calls.token}\r\nX-Tenant: acme\r\n${framing}\r\n\r\n`,
    );
    socket.write(body);
    const stored = (): Promise<number> =>
      countOf(
        calls.database,
        "select count(*) from borsello.document_piece where document_key like $1",
        [`attachments/${ticket}/%`],
      );
    await expect.poll(stored).toBe(Math.floor(sentBytes / bytesPerPiece));
    return socket;
  };

  const breakOff = async (...upload: Parameters<typeof begin>): Promise<void> => {
    const socket = await begin(...upload);
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
    const ticket = await writeTicket(calls.database);
    await breakOff(ticket, framing, piece, mebibyte);
    await expect.poll(() => calls.traces(ticket)).toBe(0);
    expect(await calls.listed(ticket)).toEqual([]);
  });

  test("is not in the memory: of sixteen at once a small part is, and none of it stays stored", async ({
    skip,
  }) => {
    skip(process.platform !== "linux", "memory is read from /proc");
    const tickets = await Promise.all(
      Array.from({ length: 16 }, () => writeTicket(calls.database)),
    );
    const before = await residentBytes(calls.stack.pid);
    const sent = atLimit.subarray(0, 8 * mebibyte);
    const framing = `Content-Length: ${atLimit.length}`;
    const sockets = await Promise.all(tickets.map((ticket) => begin(ticket, framing, sent)));
    const grown = (await residentBytes(calls.stack.pid)) - before;
    expect(grown).toBeLessThan((sockets.length * sent.length * 3) / 4);
    for (const socket of sockets) socket.destroy();
    for (const ticket of tickets) await expect.poll(() => calls.traces(ticket)).toBe(0);
  });

  test("is no failure in the log, and the ticket takes the next one", async () => {
    const ticket = await writeTicket(calls.database);
    await breakOff(ticket, `Content-Length: ${atLimit.length}`, atLimit.subarray(0, mebibyte));
    await expect.poll(() => calls.traces(ticket)).toBe(0);
    expect((await calls.upload(ticket, "a.png", pngFile)).id).toBe(1);
    expect(calls.stack.output()).not.toContain("A call failed");
  });
});
