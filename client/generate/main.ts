/** Writes what the package has of the platform's routes and events: declarations, and the table of routes. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { endpointsOf } from "../../functions/endpoints.js";
import { eventCatalogue } from "../../shared/contracts/events/catalogue.js";
import { apiDeclaration } from "./api.js";
import { declaredSchemas } from "./declared-schemas.js";
import { errorDeclarations } from "./errors.js";
import { eventDeclarations } from "./events.js";
import { clientApis, tableOf } from "./lines.js";
import { models } from "./models.js";
import { indented, pascal } from "./text.js";

const indexDeclaration = (): string => `import type { ClientOptions } from "./kernel/connect.js";
${clientApis.map((api) => `import type { ${pascal(api)}Api } from "./${api}.js";\n`).join("")}
export type * from "./errors.js";
export type * from "./models.js";
${clientApis.map((api) => `export type { ${pascal(api)}Api } from "./${api}.js";\n`).join("")}export type { AttemptReport } from "./kernel/attempt-report.js";
export type { ClientOptions } from "./kernel/connect.js";
export type { CallOptions, ChoosingCallOptions, KeyedCallOptions } from "./kernel/call.js";
export type { PagedCall } from "./kernel/pages.js";
export type { AnyRefusal, Failure, Result, Success } from "./kernel/result.js";
export { AnswerTooLargeError } from "./kernel/answer.js";
export { NoAnswerError, RefusedError, valueOf } from "./kernel/result.js";
export { TokenRefusedError } from "./kernel/tokens.js";

/** The platform's APIs; each has one method for each of its routes, named by its operation id. */
export interface BorselloClient {
${indented(clientApis.map((api) => `readonly ${api}: ${pascal(api)}Api;\n`).join(""))}}

export function createClient(options: ClientOptions): BorselloClient;
`;

const index = (version: string): string => `import { connect } from "./kernel/connect.js";
import { routes } from "./routes.js";

export { AnswerTooLargeError } from "./kernel/answer.js";
export { NoAnswerError, RefusedError, valueOf } from "./kernel/result.js";
export { TokenRefusedError } from "./kernel/tokens.js";

export const createClient = (options) => connect(routes, options, ${JSON.stringify(`borsello-client/${version}`)});
`;

const events = `export { EventReadingError, readEvents } from "./kernel/events.js";\n`;

const header = "// Made of the platform's routes when the package is built.\n";

const files = async (version: string): Promise<Readonly<Record<string, string>>> => {
  // Every environment's routes: a package serves development and production alike.
  const routes = endpointsOf("development").map(({ route }) => route);
  const known = models();
  const apis = clientApis.map(
    (api) => [`${api}.d.ts`, apiDeclaration(api, routes, known)] as const,
  );
  return {
    "index.js": index(version),
    "index.d.ts": indexDeclaration(),
    "routes.js": `export const routes = ${JSON.stringify(tableOf(routes), null, 1)};\n`,
    "errors.d.ts": errorDeclarations(),
    ...Object.fromEntries(apis),
    "models.d.ts": await declaredSchemas(known.schemas()),
    "events.js": events,
    "events.d.ts": await eventDeclarations(eventCatalogue),
  };
};

/** Into this folder, for this version of the package. */
export const generate = async (folder: string, version: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(await files(version)))
    await writeFile(join(folder, name), header + text);
};
