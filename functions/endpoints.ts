/** Every endpoint of the app, by environment: what production leaves out is the sandbox. */
import type { PlatformEnvironment } from "../shared/platform/config.js";
import type { Endpoint } from "./kit/endpoint.js";
import { declineContractEndpoint } from "./sandbox/contract.js";
import { bankNotificationEndpoints } from "./accounting/bank-notifications.js";
import { bankStatementEndpoints } from "./accounting/bank-statements.js";
import { eventLogEndpoints } from "./events/event-log.js";
import { getProofEndpoint } from "./accounting/proof.js";
import { getStatementEndpoint } from "./accounting/statement.js";
import { forcePushEndpoints } from "./events/force-push.js";
import { getOnboardingEndpoint } from "./onboarding/onboarding.js";
import { bankScriptEndpoints, sendBankNotification } from "./sandbox/bank.js";
import { flowEndpoints } from "./settlement/flows.js";
import { harvestingEndpoints } from "./settlement/harvestings.js";
import { listPendingReconciliations } from "./settlement/reconciliations.js";
import { asyncApiEndpoint } from "./platform/asyncapi.js";
import { docsEndpoints } from "./platform/docs.js";
import { healthEndpoints } from "./platform/health.js";
import { openApiEndpoints } from "./platform/openapi.js";
import { clockEndpoints } from "./sandbox/clock.js";
import { identityEndpoints } from "./sandbox/identity.js";
import { attachmentEndpoints } from "./ticketing/attachments.js";
import { ticketChangeEndpoints } from "./ticketing/changes.js";
import { ticketOperatorEndpoints } from "./ticketing/operators.js";
import { ticketEndpoints } from "./ticketing/tickets.js";
import { getWalletBalance } from "./ledger/balance.js";
import { bucketEndpoints } from "./ledger/buckets.js";
import { contractEndpoints } from "./onboarding/contract.js";
import { diagnosticsEndpoint } from "./wallet/diagnostics.js";
import { ibanEndpoints } from "./onboarding/iban.js";
import { getWalletLimits } from "./ledger/limits.js";
import { triggerMandateDepositRequest } from "./settlement/deposit-trigger.js";
import { mandateListEndpoints } from "./mandates/list.js";
import { mandateEndpoints } from "./mandates/mandate.js";
import { searchEndpoints } from "./wallet/search.js";
import { stateEndpoints } from "./wallet/states.js";
import { statisticsEndpoints } from "./wallet/statistics.js";
import { bulkEndpoints } from "./operations/bulk.js";
import { familyEndpoints } from "./operations/families.js";
import { groupEndpoints } from "./operations/groups.js";
import { operationListEndpoints } from "./operations/lists.js";
import { o2iEndpoints } from "./operations/o2i.js";
import { operationStatisticsEndpoints } from "./operations/statistics.js";
import { storeMandateEndpoints } from "./stores/store-mandate.js";
import { storeMandatesEndpoints } from "./stores/store-mandates.js";
import { storeEndpoints } from "./stores/stores.js";
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
  ...mandateListEndpoints,
  diagnosticsEndpoint,
  getWalletBalance,
  getWalletLimits,
  getOnboardingEndpoint,
  ...familyEndpoints,
  ...groupEndpoints,
  ...bulkEndpoints,
  getProofEndpoint,
  getStatementEndpoint,
  ...bankNotificationEndpoints,
  ...bankStatementEndpoints,
  ...operationListEndpoints,
  ...o2iEndpoints,
  ...operationStatisticsEndpoints,
  ...storeEndpoints,
  ...storeMandateEndpoints,
  ...storeMandatesEndpoints,
  ...harvestingEndpoints,
  ...flowEndpoints,
  triggerMandateDepositRequest,
  listPendingReconciliations,
  ...eventLogEndpoints,
  ...ticketEndpoints,
  ...ticketChangeEndpoints,
  ...ticketOperatorEndpoints,
  ...forcePushEndpoints,
];

const operationsEndpoints: readonly Endpoint[] = [
  ...healthEndpoints,
  ...openApiEndpoints,
  ...docsEndpoints,
  asyncApiEndpoint,
];

const sandboxEndpoints: readonly Endpoint[] = [
  ...identityEndpoints,
  ...clockEndpoints,
  sendBankNotification,
  ...bankScriptEndpoints,
  declineContractEndpoint,
];

export const endpointsOf = (environment: PlatformEnvironment): readonly Endpoint[] => [
  ...partnerEndpoints,
  ...operationsEndpoints,
  ...(environment === "production" ? [] : sandboxEndpoints),
];
