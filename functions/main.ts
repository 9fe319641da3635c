/** Where the app begins: reads the settings, builds what handlers need, registers every trigger. */
import { app } from "@azure/functions";
import { readConfig } from "../shared/platform/config.js";
import { createLogger, type LogLevel } from "../shared/platform/logger.js";
import { registerBankNotifications } from "./broker/bank-notifications.js";
import { registerBankOutcomes } from "./broker/bank-outcomes.js";
import { endpointsOf } from "./endpoints.js";
import { registerEndpoints } from "./register-endpoints.js";
import { registerSandboxBank } from "./sandbox/bank.js";
import { registerOutboxRelay } from "./schedule/outbox-relay.js";
import { createServices, type Services } from "./services.js";

/** Broker triggers, timers and flows: each registers itself with the services that it needs. */
const registrations: readonly ((services: Services) => void)[] = [
  registerOutboxRelay,
  registerBankNotifications,
  registerBankOutcomes,
  registerSandboxBank,
];

const writeLine = (level: LogLevel, line: string): void => {
  if (level === "error") console.error(line);
  else console.log(line);
};

const config = readConfig(process.env);
const endpoints = endpointsOf(config.environment);
const services = createServices(
  config,
  createLogger(config.logLevel, writeLine),
  endpoints.map(({ route }) => route),
);

// Chunked bodies and repeated query keys only arrive whole with streaming on.
app.setup({ enableHttpStream: true });
registerEndpoints(services, endpoints);
for (const register of registrations) register(services);

app.hook.appStart(async () => {
  // The first call should not wait for migrations; a database that is away now is tried again then.
  await services.database.ready().catch((error: unknown) => {
    services.logger.warn("The database is not ready yet.", { error });
  });
});
