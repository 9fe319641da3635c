/** A broker as a process of its own, so that a test can kill it. Its port goes to the parent. */
import { startBroker } from "../../../local/broker/broker.js";
import { parseTopology } from "../../../local/broker/topology.js";
import { partnerAccess, partnersWithKey } from "../../../local/partner-keys.js";

const [connectionString = "", port = "0", configuration = ""] = process.argv.slice(2);
const topology = parseTopology(JSON.parse(configuration));
const broker = await startBroker({
  connectionString,
  topology,
  accessRules: partnerAccess(partnersWithKey(topology, {})),
  port: Number(port),
});
/** What is still held when everything has been cleared away that nobody needs, and by how many connections. */
process.on("message", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ memory: heapUsed + external, connections: broker.status().connections });
});
process.send?.({ port: broker.port });
