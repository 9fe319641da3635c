/** Uploads that end badly on our side: nothing half-done stays, and nothing whole is lost. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseDocuments } from "../../../functions/kit/document-store.js";
import { sweepUploads } from "../../../functions/schedule/attachment-sweep.js";
import type { Services } from "../../../functions/kit/services.js";
import { storeAttachment } from "../../../functions/ticketing/attachment-upload.js";
import { findAttachments } from "../../../shared/database/ticketing/attachments.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { DocumentStore } from "../../../shared/documents/documents.js";
import { attachmentTypeOf } from "../../../shared/domain/ticketing/attachment-types.js";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import { pngFile, writeTicket } from "../../support/ticketing/attachments.js";
import {
  countOf,
  openBankTest,
  silentLogger,
  type BankTest,
} from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
let database: Database;
let documents: DocumentStore;

beforeAll(async () => {
  bank = await openBankTest();
  database = bank.database;
  documents = databaseDocuments(database);
});
afterAll(() => bank.end());

const caller = { partnerKey: "acme", userName: "acme-client", isOperator: false };
const limits = { bytesMax: 1_000_000, countMax: 20, totalBytesMax: 10_000_000 };

async function* file(): AsyncGenerator<Uint8Array> {
  yield pngFile;
  yield Buffer.alloc(600_000);
}

const png = attachmentTypeOf("a.png");
if (png === undefined) throw new Error("no type");
const type = png;

interface Means {
  readonly documents?: DocumentStore;
  readonly database?: Database;
}

/** Only what an upload needs of the services. */
const servicesOf = (means: Means): Services =>
  ({ database, documents, faults: noFaultPoints, logger: silentLogger, ...means }) as Services;

const store = (caseNumber: string, means: Means = {}, pieces = file()) =>
  storeAttachment(
    servicesOf(means),
    caller,
    { caseNumber, fileName: "a.png", type, pieces },
    limits,
  );

const numberOf = async (caseNumber: string): Promise<number> => {
  const found = await findAttachments(database, caller, caseNumber);
  return found.ok ? found.value.length : -1;
};

const notes = (caseNumber: string): Promise<number> =>
  countOf(database, "select count(*) from borsello.attachment_upload where case_number = $1", [
    caseNumber,
  ]);

const stored = (caseNumber: string): Promise<number> =>
  countOf(
    database,
    `select (select count(*) from borsello.document where document_key like $1)
       + (select count(*) from borsello.document_piece where document_key like $1) as count`,
    [`attachments/${caseNumber}/%`],
  );

/** What a killed process leaves: an upload that goes no further after this point. */
const dieAt = (point: "while writing" | "once stored", ticket: string): Promise<void> =>
  new Promise((reached) => {
    const stand = (): Promise<never> => {
      reached();
      return new Promise(() => undefined);
    };
    const dying = (async function* () {
      yield* file();
      if (point === "while writing") await stand();
    })();
    const standing: Partial<DocumentStore> = {
      write: async (...args) => {
        await documents.write(...args);
        return stand();
      },
    };
    void store(ticket, { documents: { ...documents, ...standing } }, dying);
  });

test.each(["while writing", "once stored"] as const)(
  "what a crash %s left is swept",
  async (point) => {
    const ticket = await writeTicket(database);
    await dieAt(point, ticket);
    expect(await stored(ticket)).toBeGreaterThan(0);
    expect(await notes(ticket)).toBe(1);
    expect(await sweepUploads({ database, documents }, 0)).toBe(1);
    expect([await stored(ticket), await notes(ticket), await numberOf(ticket)]).toEqual([0, 0, 0]);
    expect(await sweepUploads({ database, documents }, 0)).toBe(0);
  },
);

test("an upload under way is not swept before its time, nor is an attachment ever", async () => {
  const ticket = await writeTicket(database);
  await dieAt("once stored", ticket);
  await store(ticket);
  expect(await sweepUploads({ database, documents })).toBe(0);
  expect([await notes(ticket), await numberOf(ticket)]).toEqual([1, 1]);
  await sweepUploads({ database, documents }, 0);
  expect([await notes(ticket), await numberOf(ticket)]).toEqual([0, 1]);
  expect(await stored(ticket)).toBeGreaterThan(0);
});

const sweptWhileWriting = (ticket: string) => {
  const slow = (async function* () {
    yield* file();
    await sweepUploads({ database, documents }, 0);
  })();
  return store(ticket, {}, slow);
};

const sweptOnceStored = (ticket: string) =>
  store(ticket, {
    documents: {
      ...documents,
      write: async (...args) => {
        const written = await documents.write(...args);
        await sweepUploads({ database, documents }, 0);
        return written;
      },
    },
  });

test.each([
  ["while it was written", sweptWhileWriting],
  ["before it was added", sweptOnceStored],
])("an upload that the sweep gave up %s fails and leaves nothing", async (_when, upload) => {
  const ticket = await writeTicket(database);
  await expect(upload(ticket)).rejects.toThrow(/the upload|its pieces/);
  expect([await stored(ticket), await notes(ticket), await numberOf(ticket)]).toEqual([0, 0, 0]);
});

test("an attachment whose commit was not answered keeps its bytes", async () => {
  const ticket = await writeTicket(database);
  const unanswered: Database = {
    ...database,
    transaction: async (work) => {
      await database.transaction(work);
      throw new Error("the connection broke");
    },
  };
  await expect(store(ticket, { database: unanswered })).rejects.toThrow("the connection broke");
  expect([await numberOf(ticket), await notes(ticket)]).toEqual([1, 0]);
  expect(await stored(ticket)).toBeGreaterThan(0);
});

test("what cannot be cleared away at once is left to the sweep", async () => {
  const ticket = await writeTicket(database);
  const away: DocumentStore = {
    ...documents,
    write: async (...args) => {
      await documents.write(...args);
      throw new Error("the store is away");
    },
    remove: () => Promise.reject(new Error("still away")),
  };
  await expect(store(ticket, { documents: away })).rejects.toThrow("the store is away");
  expect(await notes(ticket)).toBe(1);
  expect(await sweepUploads({ database, documents }, 0)).toBe(1);
  expect([await stored(ticket), await notes(ticket), await numberOf(ticket)]).toEqual([0, 0, 0]);
});

test("a ticket that closes while the upload is under way takes it no more", async () => {
  const ticket = await writeTicket(database);
  const closing = (async function* () {
    yield* file();
    await database.execute(
      `update borsello.ticket set status = 'Canceled', closure_date = now()
       where case_number = $1`,
      [ticket],
    );
  })();
  expect(await store(ticket, {}, closing)).toMatchObject({ ok: false, code: "TicketOver" });
  expect([await stored(ticket), await notes(ticket), await numberOf(ticket)]).toEqual([0, 0, 0]);
});

test("the partner's own limits hold", async () => {
  const ticket = await writeTicket(database);
  const tight = { ...limits, bytesMax: 500_000 };
  const upload = { caseNumber: ticket, fileName: "a.png", type, pieces: file() };
  const refused = await storeAttachment(servicesOf({}), caller, upload, tight);
  expect(refused).toMatchObject({ ok: false, code: "AttachmentTooLarge" });
  expect([await stored(ticket), await notes(ticket)]).toEqual([0, 0]);
});

test("an upload whose bytes its store refuses to remove holds up none of the others", async () => {
  const ticket = await writeTicket(database);
  await database.execute(
    `insert into borsello.attachment_upload (upload_id, case_number, document_key, started_at)
     select gen_random_uuid(), $1, kind || number, now() - make_interval(hours => hours)
     from generate_series(1, 100) as number, (values ('bad', 3), ('good', 2)) as age (kind, hours)`,
    [ticket],
  );
  const refusing: DocumentStore = {
    ...documents,
    remove: (key) => (key.startsWith("bad") ? Promise.reject(new Error(key)) : Promise.resolve()),
  };
  let failures = 0;
  for (let runs = 0; runs < 40 && (await notes(ticket)) > 100; runs += 1)
    await sweepUploads({ database, documents: refusing }).catch(() => (failures += 1));
  expect(await notes(ticket)).toBe(100);
  expect(failures).toBeGreaterThan(0);
});
