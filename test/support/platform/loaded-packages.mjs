// Prints which packages of OpenTelemetry the built app has loaded once it is registered: JSON, to stdout.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const built = (file) => import(pathToFileURL(resolve("dist", file)).href);
const { createRegistrations, installCoreApi } = await built("local/host/app/core-api.js");
installCoreApi(createRegistrations({ library: () => undefined }).api);
await built("functions/main.js");
const loaded = Object.keys(createRequire(import.meta.url).cache).flatMap((file) => {
  const [, name] =
    /node_modules\/(@opentelemetry\/[\w-]+|@azure\/monitor[\w-]+)\//.exec(file) ?? [];
  return name === undefined ? [] : [name];
});
process.stdout.write(`\n${JSON.stringify([...new Set(loaded)].sort())}\n`, () => process.exit(0));
