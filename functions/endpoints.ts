/** Every endpoint of the app, by environment: what production leaves out is the sandbox. */
import type { PlatformEnvironment } from "../shared/platform/config.js";
import type { Endpoint } from "./endpoint.js";
import { declineContractEndpoint } from "./sandbox/contract.js";
import { getOnboardingEndpoint } from "./wallet/onboarding.js";
import { sendBankNotification } from "./sandbox/bank.js";
import { docsEndpoints } from "./platform/docs.js";
import { healthEndpoints } from "./platform/health.js";
import { openApiEndpoints } from "./platform/openapi.js";
import { clockEndpoints } from "./sandbox/clock.js";
import { identityEndpoints } from "./sandbox/identity.js";
import { attachmentEndpoints } from "./ticketing/attachments.js";
import { ticketChangeEndpoints } from "./ticketing/changes.js";
import { ticketEndpoints } from "./ticketing/tickets.js";
import { getWalletBalance } from "./wallet/balance.js";
import { bucketEndpoints } from "./wallet/buckets.js";
import { contractEndpoints } from "./wallet/contract.js";
import { diagnosticsEndpoint } from "./wallet/diagnostics.js";
import { ibanEndpoints } from "./wallet/iban.js";
import { getWalletLimits } from "./wallet/limits.js";
import { mandateEndpoints } from "./wallet/mandate.js";
import { searchEndpoints } from "./wallet/search.js";
import { stateEndpoints } from "./wallet/states.js";
import { statisticsEndpoints } from "./wallet/statistics.js";
import { storeMandateEndpoints } from "./wallet/store-mandate.js";
import { storeEndpoints } from "./wallet/stores.js";
import { walletEndpoints } from "./wallet/wallets.js";

const partnerEndpoints: readonly Endpoint[] = [
  ...attachmentEndpoints,
  ...walletEndpoints,
  ...searchEndpoints,
  ...stateEndpoints,
  ...statisticsEndpoints,
  ...bucketEndpoints,
  ...ibanEndpoints,
  ...contractEndpoints,
  ...mandateEndpoints,
  diagnosticsEndpoint,
  getWalletBalance,
  getWalletLimits,
  getOnboardingEndpoint,
  ...storeEndpoints,
  ...storeMandateEndpoints,
  ...ticketEndpoints,
  ...ticketChangeEndpoints,
];

const operationsEndpoints: readonly Endpoint[] = [
  ...healthEndpoints,
  ...openApiEndpoints,
  ...docsEndpoints,
];

const sandboxEndpoints: readonly Endpoint[] = [
  ...identityEndpoints,
  ...clockEndpoints,
  sendBankNotification,
  declineContractEndpoint,
];

export const endpointsOf = (environment: PlatformEnvironment): readonly Endpoint[] => [
  ...partnerEndpoints,
  ...operationsEndpoints,
  ...(environment === "production" ? [] : sandboxEndpoints),
];
