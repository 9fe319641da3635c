/** Every endpoint of the app, by environment: what production leaves out is the sandbox. */
import type { PlatformEnvironment } from "../shared/platform/config.js";
import type { Endpoint } from "./endpoint.js";
import { sendBankNotification } from "./sandbox/bank.js";
import { docsEndpoints } from "./platform/docs.js";
import { healthEndpoints } from "./platform/health.js";
import { openApiEndpoints } from "./platform/openapi.js";
import { clockEndpoints } from "./sandbox/clock.js";
import { identityEndpoints } from "./sandbox/identity.js";
import { getWalletBalance } from "./wallet/balance.js";

const partnerEndpoints: readonly Endpoint[] = [getWalletBalance];

const operationsEndpoints: readonly Endpoint[] = [
  ...healthEndpoints,
  ...openApiEndpoints,
  ...docsEndpoints,
];

const sandboxEndpoints: readonly Endpoint[] = [
  ...identityEndpoints,
  ...clockEndpoints,
  sendBankNotification,
];

export const endpointsOf = (environment: PlatformEnvironment): readonly Endpoint[] => [
  ...partnerEndpoints,
  ...operationsEndpoints,
  ...(environment === "production" ? [] : sandboxEndpoints),
];
