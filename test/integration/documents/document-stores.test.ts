/** What a document store promises, kept by both: PostgreSQL and Blob Storage. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { ContainerClient } from "@azure/storage-blob";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { databaseDocuments } from "../../../functions/kit/document-store.js";
import {
  getAttachmentRoute,
  postAttachmentRoute,
} from "../../../shared/contracts/ticketing/attachments.js";
import { openDatabase, type Database } from "../../../shared/database/platform/database.js";
import { blobDocuments, openContainer } from "../../../shared/documents/blob-documents.js";
import type { DocumentStore } from "../../../shared/documents/documents.js";
import type { BlobConnection } from "../../../shared/platform/settings/document-settings.js";
import { clientOf, openStackDatabase } from "../../support/platform/api.js";
import { pngFile, writeTicket } from "../../support/ticketing/attachments.js";
import { countOf, silentLogger } from "../../support/wallet/bank-fixtures.js";
import { startBlobStorage, withTokens } from "../../support/documents/blob-storage.js";
import { createDatabase } from "../../support/database/database.js";
import { startManagedIdentity } from "../../support/documents/managed-identity.js";
import { startTestStack } from "../../support/platform/stack.js";

interface Place {
  readonly documents: DocumentStore;
  /** Everything that is stored under the key, seen or not yet. */
  traces(documentKey: string): Promise<number>;
  readonly stop: () => Promise<void>;
}

const databaseAt = (url: string): Database =>
  openDatabase({ connection: { kind: "url", url }, logger: silentLogger });

const inDatabase = async (): Promise<Place> => {
  const created = await createDatabase({ migrated: true });
  const database = databaseAt(created.url);
  return {
    documents: databaseDocuments(database),
    traces: (key) =>
      countOf(
        database,
        `select (select count(*) from borsello.document where document_key = $1)
           + (select count(*) from borsello.document_piece where document_key = $1) as count`,
        [key],
      ),
    stop: async () => {
      await database.close();
      await created.drop();
    },
  };
};

const openDocuments = (account: BlobConnection["account"]): Promise<ContainerClient> =>
  openContainer({ account, container: "documents" });

const blobTraces = async (container: ContainerClient, key: string): Promise<number> => {
  let found = 0;
  const pages = container.listBlobsFlat({ prefix: key, includeUncommitedBlobs: true });
  for await (const { name } of pages) if (name === key) found += 1;
  return found;
};

const inBlobs = async (): Promise<Place> => {
  const storage = await startBlobStorage();
  const container = await openDocuments(storage);
  return {
    documents: blobDocuments(async () => container),
    traces: (key) => blobTraces(container, key),
    stop: () => storage.stop(),
  };
};

/** As on Azure: who has the key makes the container, and the app comes with its own identity. */
const inBlobsByIdentity = async (): Promise<Place> => {
  const storage = await startBlobStorage(withTokens);
  const identity = await startManagedIdentity();
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  const container = await openDocuments(storage);
  const { accountUrl } = storage;
  return {
    documents: blobDocuments(() => openDocuments({ accountUrl })),
    traces: (key) => blobTraces(container, key),
    stop: async () => {
      expect(identity.resources).toEqual(["https://storage.azure.com"]);
      await identity.stop();
      await storage.stop();
    },
  };
};

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

async function* broken(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new Error("the sender is gone");
}

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/** Two and a half of the larger store's pieces, so that both write several and a last short one. */
const large = randomBytes(2_621_447);

describe.each([
  ["PostgreSQL", inDatabase],
  ["Blob Storage", inBlobs],
  ["Blob Storage by identity", inBlobsByIdentity],
] as const)("documents in %s", (_name, start) => {
  let place: Place;
  let documents: DocumentStore;
  beforeAll(async () => {
    place = await start();
    documents = place.documents;
  });
  afterAll(() => place.stop());

  const written = async (bytes: Buffer, size = 65_536): Promise<string> => {
    const key = `attachments/T1/${randomUUID()}`;
    const result = await documents.write(key, "image/png", inParts(bytes, size));
    expect(result).toEqual({ bytes: bytes.length, sha256: sha256(bytes) });
    return key;
  };

  const readOf = async (key: string) => {
    const opened = await documents.open(key);
    if (opened === undefined) return undefined;
    const pieces: Uint8Array[] = [];
    for await (const piece of opened.pieces) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    return { contentType: opened.contentType, bytes: opened.bytes, sha256: sha256(bytes) };
  };

  test("a document comes back as it was put, and the first under a key stays", async () => {
    const key = randomUUID();
    const first = { contentType: "application/pdf", bytes: Buffer.from("first") };
    expect(await documents.putOnce(key, first)).toBe(true);
    expect(await documents.putOnce(key, { ...first, bytes: Buffer.from("second") })).toBe(false);
    expect(await documents.get(key)).toEqual(first);
    expect(await readOf(key)).toEqual({
      contentType: "application/pdf",
      bytes: 5,
      sha256: sha256(first.bytes),
    });
  });

  test("what is not there is undefined, and removing it does no harm", async () => {
    expect(await documents.get("nothing")).toBeUndefined();
    expect(await documents.open("nothing")).toBeUndefined();
    await documents.remove("nothing");
    expect(await place.traces("nothing")).toBe(0);
  });

  test.each([
    ["of many pieces", large],
    ["of one byte", large.subarray(0, 1)],
    ["of exactly one piece", large.subarray(0, 255 * 1024)],
    ["of exactly one block", large.subarray(0, 1024 * 1024)],
  ])("a stream %s is written whole and read whole", async (_size, bytes) => {
    const key = await written(bytes);
    expect(await readOf(key)).toEqual({
      contentType: "image/png",
      bytes: bytes.length,
      sha256: sha256(bytes),
    });
    expect((await documents.get(key))?.bytes.byteLength).toBe(bytes.length);
  });

  test("a stream in crumbs is the same document", async () => {
    const bytes = large.subarray(0, 20_000);
    expect(await readOf(await written(bytes, 7))).toMatchObject({ sha256: sha256(bytes) });
  });

  test("a stream that breaks off leaves nothing, and its error is the one that is thrown", async () => {
    const key = randomUUID();
    await expect(documents.write(key, "image/png", broken(large))).rejects.toThrow(
      "the sender is gone",
    );
    expect(await documents.open(key)).toBeUndefined();
    expect(await place.traces(key)).toBe(0);
  });

  test("a document is not there before its last piece is", async () => {
    const key = randomUUID();
    const seen: unknown[] = [];
    const watched = (async function* () {
      yield large;
      seen.push(await documents.open(key));
    })();
    await documents.write(key, "image/png", watched);
    expect(seen).toEqual([undefined]);
  });

  test("what a crash left of a write is gone once its key is removed", async () => {
    const key = randomUUID();
    // A writer that stands still for ever after its first pieces, as a killed process leaves it.
    await new Promise<void>((reached) => {
      const stuck = (async function* () {
        yield large;
        reached();
        await new Promise(() => undefined);
      })();
      void documents.write(key, "image/png", stuck);
    });
    expect(await place.traces(key)).toBeGreaterThan(0);
    await documents.remove(key);
    expect(await place.traces(key)).toBe(0);
  });

  test("of several writers under one key one wins, and the others leave nothing of theirs", async () => {
    const key = randomUUID();
    const versions = [1, 2, 3].map(() => randomBytes(300_000));
    const results = await Promise.all(
      versions.map(async (bytes) => documents.write(key, "image/png", inParts(bytes, 50_000))),
    );
    const winners = results.filter((result) => result !== undefined);
    expect(winners).toHaveLength(1);
    expect(await readOf(key)).toMatchObject({ sha256: winners[0]?.sha256 });
    const before = await place.traces(key);
    await documents.write(key, "image/png", inParts(large, 65_536));
    expect(await place.traces(key)).toBe(before);
    expect(await readOf(key)).toMatchObject({ sha256: winners[0]?.sha256 });
  });

  test("a removed document is gone with all its pieces", async () => {
    const key = await written(large);
    await documents.remove(key);
    expect(await documents.open(key)).toBeUndefined();
    expect(await place.traces(key)).toBe(0);
  });

  test("a reader who stops early keeps nothing busy", async () => {
    const key = await written(large);
    for (let reader = 0; reader < 40; reader += 1)
      for await (const piece of (await documents.open(key))?.pieces ?? []) {
        expect(piece.byteLength).toBeGreaterThan(0);
        break;
      }
    expect(await readOf(key)).toMatchObject({ bytes: large.length });
  });
});

test("the platform keeps attachments in Blob Storage where its settings say so", async () => {
  const storage = await startBlobStorage();
  const stack = await startTestStack({
    environment: {
      DOCUMENTS_STORAGE: "blob",
      DOCUMENTS_BLOB_CONNECTION_STRING: storage.connectionString,
      DOCUMENTS_BLOB_CONTAINER: "papers",
    },
  });
  const database = openStackDatabase(stack);
  try {
    const casenumber = await writeTicket(database);
    const acme = clientOf(stack, "acme");
    const file = Buffer.concat([pngFile, large]);
    const added = await acme.call(postAttachmentRoute, {
      params: { casenumber },
      query: { filename: "a.png" },
      body: new Uint8Array(file),
    });
    expect(added).toMatchObject({ ok: true, value: { id: 1 } });
    const params = { casenumber, attachmentid: "1" };
    expect(await acme.call(getAttachmentRoute, { params })).toMatchObject({
      value: { response: { filecontent: file.toString("base64") } },
    });
    expect(await countOf(database, "select count(*) from borsello.document_piece")).toBe(0);
    const account = { connectionString: storage.connectionString };
    const container = await openContainer({ account, container: "papers" });
    const names: string[] = [];
    for await (const { name } of container.listBlobsFlat()) names.push(name);
    expect(names).toEqual([expect.stringContaining(`attachments/${casenumber}/`)]);
  } finally {
    await database.close();
    await stack.stop();
    await storage.stop();
  }
});
