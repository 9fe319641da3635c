/** Restate as a contender: the chain of three as ctx.run steps, called over its HTTP ingress. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { postJson } from "../../dist/bench/durable/post-json.js";
import { serveSlots } from "../../dist/bench/durable/slot-program.js";

const [dataFolder] = process.argv.slice(2);

// Node 20 lacks it, and the SDK needs nothing else of Node 22.
Promise.withResolvers ??= function withResolvers() {
  let resolve;
  let reject;
  const promise = new this((onDone, onFailed) => {
    resolve = onDone;
    reject = onFailed;
  });
  return { promise, resolve, reject };
};
const restate = await import("@restatedev/restate-sdk");

/** So many different ports: all are held until the last is found. */
const freePorts = async (count) => {
  const probes = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(probes.map((probe) => once(probe, "listening")));
  const ports = probes.map((probe) => probe.address().port);
  await Promise.all(probes.map((probe) => once(probe.close(), "close")));
  return ports;
};

const service = restate.service({
  name: "bench",
  handlers: {
    chain: async (ctx, input) => {
      let value = input;
      for (let step = 1; step <= 3; step += 1)
        value = await ctx.run(`increment${step}`, () => value + 1);
      return value;
    },
  },
});

const [servicePort, ingressPort, adminPort, nodePort] = await freePorts(4);
await restate.endpoint().bind(service).listen(servicePort);

const binary = createRequire(import.meta.url).resolve(
  `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
);
const server = spawn(
  binary,
  ["--base-dir", dataFolder, "--node-name", "bench", "--listen-mode", "tcp", "--no-logo"],
  {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      RUST_LOG: "error",
      DO_NOT_TRACK: "1",
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_ADVERTISED_HOST: "127.0.0.1",
      RESTATE_BIND_PORT: String(nodePort),
      RESTATE_INGRESS__BIND_PORT: String(ingressPort),
      RESTATE_ADMIN__BIND_PORT: String(adminPort),
    },
  },
);
process.once("exit", () => server.kill("SIGKILL"));
server.once("exit", () => process.exit(1));
process.once("SIGTERM", () => process.exit(0));

const register = async () => {
  const body = JSON.stringify({ uri: `http://127.0.0.1:${servicePort}` });
  const headers = { "content-type": "application/json" };
  const url = `http://127.0.0.1:${adminPort}/deployments`;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const answer = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error("Restate did not take the service.");
};
await register();

const url = `http://127.0.0.1:${ingressPort}/bench/chain`;
await serveSlots(async (index) => {
  await postJson(url, index);
});
process.exit(0);
