// Makes a PDF form a partner's contract.
//   npm run contract-template -- --database URL --partner KEY FILE
// Exits with 0 where it is set, 1 where the form or the partner is not right, 2 where it could not look.
import { open } from "node:fs/promises";
import { parseArgs } from "node:util";
import { setContractTemplate } from "../dist/functions/kit/contract-forms.js";
import { documentStore } from "../dist/functions/kit/document-store.js";
import { openDatabase } from "../dist/shared/database/platform/database.js";
import { templateBytesMax } from "../dist/shared/documents/contracts/template-form.js";
import { readDocumentsConnection } from "../dist/shared/platform/document-settings.js";
import { createLogger } from "../dist/shared/platform/logger.js";

const usage =
  "npm run contract-template -- --database postgresql://… --partner KEY FILE\n" +
  "  --database  the platform's database\n" +
  "  --partner   whose contract it is\n" +
  "  FILE        a PDF form; its fields are named in docs/operating.md\n" +
  "Documents in Blob Storage: set DOCUMENTS_STORAGE and the rest as the platform has them.";

const given = () => {
  const { values, positionals } = parseArgs({
    options: { database: { type: "string" }, partner: { type: "string" } },
    allowPositionals: true,
  });
  const [file, ...more] = positionals;
  if (values.database === undefined) throw new Error("--database is missing.");
  if (values.partner === undefined) throw new Error("--partner is missing.");
  if (file === undefined || more.length > 0) throw new Error("One FILE is needed.");
  return { url: values.database, partnerKey: values.partner, file };
};

/** One byte more than a form may have is enough to see that it is too large. */
const readForm = async (file) => {
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(templateBytesMax + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = (await handle.read(bytes, length)).bytesRead;
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
};

const main = async () => {
  let options;
  let documents;
  try {
    options = given();
    documents = readDocumentsConnection(process.env);
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    return 2;
  }
  const bytes = await readForm(options.file);
  const connection = { kind: "url", url: options.url };
  const logger = createLogger("error", (_level, line) => console.error(line));
  const database = openDatabase({ connection, logger, poolSize: 1 });
  try {
    const store = documentStore(documents, database);
    const { faults, documentKey } = await setContractTemplate(
      database,
      store,
      options.partnerKey,
      bytes,
    );
    for (const fault of faults) console.error(fault);
    if (faults.length > 0) return 1;
    console.log(`${options.partnerKey} has its contract from ${documentKey}.`);
    return 0;
  } finally {
    await database.close();
  }
};

process.exitCode = await main().catch((error) => {
  console.error(`The contract could not be set: ${error.message}`);
  return 2;
});
