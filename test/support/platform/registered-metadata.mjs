// Prints what the built app registers, as the genuine host's index of it would have it: JSON, to stdout.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const built = (file) => import(pathToFileURL(resolve("dist", file)).href);

const { createRegistrations, installCoreApi } = await built("local/host/app/core-api.js");
const registrations = createRegistrations({ library: () => undefined });
installCoreApi(registrations.api);
await built("functions/main.js");
const functions = registrations.functions.map(({ metadata }) => metadata);
process.stdout.write(JSON.stringify({ functions, duplicates: registrations.duplicates }), () => {
  // The app holds connections open by now, and was never asked to stop.
  process.exit(0);
});
