/** Uploads and look-ups as acme, for tests of attachments over HTTP. */
import {
  getAttachmentRoute,
  listAttachmentsRoute,
  postAttachmentRoute,
  type AttachmentSummary,
} from "../../../shared/contracts/ticketing/attachments.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { CallResult } from "../../../shared/http/client.js";
import {
  addressOf,
  clientOf,
  headersOf,
  openStackDatabase,
  send,
  type Answer,
} from "../platform/api.js";
import { pngFile } from "./attachments.js";
import { countOf } from "../wallet/bank-fixtures.js";
import { startTestStack, type TestStack } from "../platform/stack.js";

export const mebibyte = 1024 * 1024;
export const overLimit = Buffer.concat([pngFile, Buffer.alloc(10 * mebibyte)]);
export const atLimit = overLimit.subarray(0, 10 * mebibyte);

export const bytesOf = (bytes: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

export interface Upload {
  readonly filename?: string;
  readonly body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly type?: string;
}

export interface AttachmentCalls {
  readonly stack: TestStack;
  readonly database: Database;
  readonly token: string;
  post(caseNumber: string, upload: Upload): Promise<Answer>;
  /** The new attachment, where it is taken. */
  upload(
    caseNumber: string,
    filename: string,
    body: Buffer,
  ): Promise<{ readonly id: number; readonly message: string }>;
  listed(caseNumber: string): Promise<readonly AttachmentSummary[]>;
  contentOf(caseNumber: string, id: number): Promise<Buffer>;
  /** Rows of every kind that uploads to the ticket leave. */
  traces(caseNumber: string): Promise<number>;
  end(): Promise<void>;
}

const valueOf = <Value>(result: CallResult<Value>): Value => {
  if (!result.ok) throw new Error(`${result.status}: ${result.error.errorDescription}`);
  return result.value;
};

const traces = (database: Database, caseNumber: string): Promise<number> =>
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

/** A platform of its own, and the calls. */
export const openAttachmentCalls = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<AttachmentCalls> => {
  const stack = await startTestStack({ environment });
  const database = openStackDatabase(stack);
  const acme = clientOf(stack, "acme");
  const token = await acme.token();
  return {
    stack,
    database,
    token,
    post: (casenumber, { filename, body = bytesOf(pngFile), type }) => {
      const query = filename === undefined ? "" : `?${String(new URLSearchParams({ filename }))}`;
      return send(stack, `${addressOf(postAttachmentRoute, { casenumber })}${query}`, {
        method: "POST",
        body,
        duplex: "half",
        headers: {
          ...headersOf(postAttachmentRoute, token),
          ...(type === undefined ? {} : { "content-type": type }),
        },
      });
    },
    upload: async (casenumber, filename, body) => {
      const input = { params: { casenumber }, query: { filename }, body: bytesOf(body) };
      return valueOf(await acme.call(postAttachmentRoute, input));
    },
    listed: async (casenumber) =>
      valueOf(await acme.call(listAttachmentsRoute, { params: { casenumber } })).response,
    contentOf: async (casenumber, id) => {
      const params = { casenumber, attachmentid: String(id) };
      const { response } = valueOf(await acme.call(getAttachmentRoute, { params }));
      return Buffer.from(response.filecontent, "base64");
    },
    traces: (caseNumber) => traces(database, caseNumber),
    end: async () => {
      await database.close();
      await stack.stop();
    },
  };
};
