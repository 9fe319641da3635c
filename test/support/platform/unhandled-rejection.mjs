// Loads the built app as a worker does and leaves a rejection unhandled: exit code 7 if it outlives that.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const built = (file) => import(pathToFileURL(resolve("dist", file)).href);

const { createRegistrations, installCoreApi } = await built("local/host/app/core-api.js");
installCoreApi(createRegistrations({ library: () => undefined }).api);
await built("functions/main.js");
Promise.reject(new Error("a link that did not close"));
setTimeout(() => process.exit(7), 200);
