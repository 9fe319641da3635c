/** Settings of where documents lie: the database, or a container of Azure Blob Storage. */
import { z } from "zod";
import { settingShapes } from "./setting-shapes.js";

export const documentSettings = {
  DOCUMENTS_STORAGE: z
    .enum(["database", "blob"])
    .default("database")
    .register(settingShapes, { shape: "database or blob" }),
  /** Reached with the app's own identity. */
  DOCUMENTS_BLOB_ACCOUNT_URL: z
    .url({ protocol: /^https$/ })
    .optional()
    .register(settingShapes, { shape: "an address such as https://account.blob.core.windows.net" }),
  /** Instead of the address: an account key, or an emulator. */
  DOCUMENTS_BLOB_CONNECTION_STRING: z
    .string()
    .min(1)
    .optional()
    .register(settingShapes, { shape: "a connection string", isSecret: true }),
  DOCUMENTS_BLOB_CONTAINER: z
    .string()
    .regex(/^(?!.*--)[a-z\d][a-z\d-]{1,61}[a-z\d]$/)
    .default("documents")
    .register(settingShapes, {
      shape: "the name of a container: 3 to 63 lower-case letters, digits and single hyphens",
    }),
} as const;
type DocumentSettings = z.output<z.ZodObject<typeof documentSettings>>;

export interface BlobConnection {
  readonly kind: "blob";
  readonly account: { readonly accountUrl: string } | { readonly connectionString: string };
  readonly container: string;
}

export type DocumentsConnection = { readonly kind: "database" } | BlobConnection;

/** Undefined: blobs are asked for, and nothing says where. */
export const documentsConnectionOf = (
  settings: DocumentSettings,
): DocumentsConnection | undefined => {
  if (settings.DOCUMENTS_STORAGE === "database") return { kind: "database" };
  const { DOCUMENTS_BLOB_ACCOUNT_URL: accountUrl, DOCUMENTS_BLOB_CONTAINER: container } = settings;
  const connectionString = settings.DOCUMENTS_BLOB_CONNECTION_STRING;
  if (connectionString !== undefined)
    return { kind: "blob", account: { connectionString }, container };
  return accountUrl === undefined
    ? undefined
    : { kind: "blob", account: { accountUrl }, container };
};

/** For tools beside the app, which need no other setting of it; throws a sentence where one is wrong. */
export const readDocumentsConnection = (
  environment: Readonly<Record<string, string | undefined>>,
): DocumentsConnection => {
  const settings = z.object(documentSettings).safeParse(environment);
  if (!settings.success) throw new Error(z.prettifyError(settings.error));
  const connection = documentsConnectionOf(settings.data);
  if (connection === undefined)
    throw new Error(
      "DOCUMENTS_BLOB_ACCOUNT_URL or DOCUMENTS_BLOB_CONNECTION_STRING must be set with DOCUMENTS_STORAGE=blob.",
    );
  return connection;
};
