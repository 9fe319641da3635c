/** Documents in a container of Azure Blob Storage: a block for each piece, a blob once all are there. */
import { createHash, randomUUID } from "node:crypto";
import type { BlockBlobClient, ContainerClient } from "@azure/storage-blob";
import type { BlobConnection } from "../platform/settings/document-settings.js";
import { DependencyUnavailableError } from "../platform/dependency-unavailable.js";
import { isOutage, passOutage } from "../platform/outage.js";
import { piecesOf } from "../platform/pieces.js";
import type { DocumentStore, OpenedDocument, WrittenDocument } from "./documents.js";

const bytesPerBlock = 1024 * 1024;

/** Whoever calls answers its own caller: rather an outage soon than an answer after minutes. */
const retryOptions = {
  maxTries: 3,
  tryTimeoutInMs: 30_000,
  retryDelayInMs: 200,
  maxRetryDelayInMs: 2_000,
};

export const openContainer = async ({
  account,
  container,
}: Omit<BlobConnection, "kind">): Promise<ContainerClient> => {
  // Loaded only where it is needed: the library costs more start time than all our own code.
  const { BlobServiceClient } = await import("@azure/storage-blob");
  if ("connectionString" in account) {
    const { connectionString } = account;
    const service = BlobServiceClient.fromConnectionString(connectionString, { retryOptions });
    const client = service.getContainerClient(container);
    // Who has the account's key may make the container; an identity finds the one it may use.
    await client.createIfNotExists();
    return client;
  }
  const { DefaultAzureCredential } = await import("@azure/identity");
  const service = new BlobServiceClient(account.accountUrl, new DefaultAzureCredential(), {
    retryOptions,
  });
  return service.getContainerClient(container);
};

/** What the service answered, where it answered. */
interface ServiceError extends Error {
  readonly statusCode?: number;
  readonly code?: string;
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && error.name === "RestError";

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  isServiceError(error) && error.code !== undefined && codes.includes(error.code);

const isAway = (error: unknown): boolean =>
  isServiceError(error)
    ? error.statusCode === undefined || error.statusCode === 429 || error.statusCode >= 500
    : isOutage(error);

const guarded = async <Value>(call: Promise<Value>): Promise<Value> => {
  try {
    return await call;
  } catch (error) {
    if (isAway(error)) throw new DependencyUnavailableError("the document store", error);
    throw error;
  }
};

const onlyNew = { conditions: { ifNoneMatch: "*" } };

const isTaken = (error: unknown): boolean =>
  hasCode(error, "BlobAlreadyExists", "ConditionNotMet", "TargetConditionNotMet");

/** False: there is one already. */
const unlessTaken = async (create: Promise<unknown>): Promise<boolean> => {
  try {
    await guarded(create);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
};

/**
 * Throws staged blocks away, which the service itself would do after a week: an empty blob takes
 * their place and is deleted. A blob that another write has finished meanwhile stays.
 */
const discardBlocks = async (blob: BlockBlobClient): Promise<void> => {
  try {
    const { etag } = await guarded(blob.commitBlockList([], onlyNew));
    await guarded(blob.delete(etag === undefined ? {} : { conditions: { ifMatch: etag } }));
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
};

const commit = async (
  blob: BlockBlobClient,
  blocks: readonly string[],
  contentType: string,
): Promise<boolean> => {
  const options = { ...onlyNew, blobHTTPHeaders: { blobContentType: contentType } };
  try {
    return await unlessTaken(blob.commitBlockList([...blocks], options));
  } catch (error) {
    // A finished write throws the blocks of all others away.
    if (hasCode(error, "InvalidBlockList") && (await guarded(blob.exists()))) return false;
    throw error;
  }
};

const write = async (
  blob: BlockBlobClient,
  contentType: string,
  source: AsyncIterable<Uint8Array>,
): Promise<WrittenDocument | undefined> => {
  const writeId = randomUUID();
  const hash = createHash("sha256");
  const blocks: string[] = [];
  let bytes = 0;
  let isWritten = false;
  try {
    for await (const piece of piecesOf(bytesPerBlock, source)) {
      const block = `${writeId}-${String(blocks.length).padStart(6, "0")}`;
      const blockId = Buffer.from(block).toString("base64");
      await guarded(blob.stageBlock(blockId, piece, piece.length));
      blocks.push(blockId);
      hash.update(piece);
      bytes += piece.length;
    }
    isWritten = await commit(blob, blocks, contentType);
    return isWritten ? { bytes, sha256: hash.digest() } : undefined;
  } finally {
    // Where the store is away, the blocks stay unseen until the key is removed, or a week.
    if (!isWritten && blocks.length > 0) await discardBlocks(blob).catch(passOutage);
  }
};

async function* bytesOf(
  stream: AsyncIterable<string | Buffer>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of stream) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

const open = async (blob: BlockBlobClient): Promise<OpenedDocument | undefined> => {
  try {
    const found = await guarded(blob.download(0, undefined, { maxRetryRequests: 3 }));
    const { contentType = "application/octet-stream", contentLength = 0 } = found;
    const { readableStreamBody: stream } = found;
    if (stream === undefined) throw new Error("the document store gave no stream");
    return { contentType, bytes: contentLength, pieces: bytesOf(stream) };
  } catch (error) {
    if (hasCode(error, "BlobNotFound")) return undefined;
    throw error;
  }
};

const remove = async (blob: BlockBlobClient): Promise<void> => {
  const { succeeded } = await guarded(blob.deleteIfExists());
  if (!succeeded) await discardBlocks(blob);
};

/** The container is opened by the first call; a failure to open it is tried again by the next. */
export const blobDocuments = (connect: () => Promise<ContainerClient>): DocumentStore => {
  let container: Promise<ContainerClient> | undefined;
  const blobAt = async (documentKey: string): Promise<BlockBlobClient> => {
    container ??= guarded(connect()).catch((error: unknown) => {
      container = undefined;
      throw error;
    });
    return (await container).getBlockBlobClient(documentKey);
  };
  return {
    putOnce: async (documentKey, { contentType, bytes }) => {
      const options = { ...onlyNew, blobHTTPHeaders: { blobContentType: contentType } };
      const blob = await blobAt(documentKey);
      return unlessTaken(blob.upload(bytes, bytes.byteLength, options));
    },
    get: async (documentKey) => {
      const opened = await open(await blobAt(documentKey));
      if (opened === undefined) return undefined;
      const pieces: Uint8Array[] = [];
      for await (const piece of opened.pieces) pieces.push(piece);
      return { contentType: opened.contentType, bytes: Buffer.concat(pieces) };
    },
    write: async (documentKey, contentType, pieces) =>
      write(await blobAt(documentKey), contentType, pieces),
    open: async (documentKey) => open(await blobAt(documentKey)),
    remove: async (documentKey) => remove(await blobAt(documentKey)),
  };
};
