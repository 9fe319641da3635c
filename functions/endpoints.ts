/** Every endpoint of the app, by environment: what production leaves out is the sandbox. */
import type { PlatformEnvironment } from "../shared/platform/config.js";
import type { Endpoint } from "./kit/endpoint.js";
import { authorisationEndpoints } from "./authorisations/o2i.js";
import { cardTransactionEndpoints } from "./authorisations/transactions.js";
import { declineContractEndpoint } from "./sandbox/contract.js";
import { bankNotificationEndpoints } from "./accounting/bank-notifications.js";
import { bankStatementEndpoints } from "./accounting/bank-statements.js";
import { clearingRecordEndpoints } from "./clearing/clearings.js";
import { getClearingFileEndpoint } from "./clearing/files.js";
import { clearingFlowEndpoints } from "./clearing/flows.js";
import { clearingStructureEndpoints } from "./clearing/structures.js";
import { eventLogEndpoints } from "./events/event-log.js";
import { getAuditEndpoint } from "./accounting/audit.js";
import { getProofEndpoint } from "./accounting/proof.js";
import { getStatementEndpoint } from "./accounting/statement.js";
import { forcePushEndpoints } from "./events/force-push.js";
import { getOnboardingEndpoint } from "./onboarding/onboarding.js";
import { setCardLimitsEndpoint } from "./card/limits.js";
import { pinEndpoints } from "./card/pins.js";
import { bankScriptEndpoints, sendBankNotification } from "./sandbox/bank.js";
import { sandboxCardEndpoints } from "./sandbox/card-processor.js";
import { flowEndpoints } from "./settlement/flows.js";
import { harvestingEndpoints } from "./settlement/harvestings.js";
import { listPendingReconciliations } from "./settlement/reconciliations.js";
import { accountEndpoints } from "./card/accounts.js";
import { addressEndpoints } from "./card/addresses.js";
import { cardEndpoints } from "./card/cards.js";
import { asyncApiEndpoint } from "./platform/asyncapi.js";
import { eventsPageEndpoint } from "./docs/events/events-page.js";
import { errorsPageEndpoint } from "./docs/errors-page.js";
import { docsFileEndpoint } from "./docs/files.js";
import { guideEndpoints } from "./docs/guides.js";
import { homeEndpoint } from "./docs/home.js";
import { searchIndexEndpoint } from "./docs/search-index.js";
import { referenceEndpoints } from "./docs/reference.js";
import { healthEndpoints } from "./platform/health.js";
import { openApiEndpoints, sandboxOpenApiEndpoint } from "./platform/openapi.js";
import { setO2iTarget } from "./sandbox/card-o2i.js";
import { clockEndpoints } from "./sandbox/clock.js";
import { setDevices } from "./sandbox/devices.js";
import { identityEndpoints } from "./sandbox/identity.js";
import { threeDsEndpoints } from "./threeds/endpoints.js";
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
  getAuditEndpoint,
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
  setCardLimitsEndpoint,
  ...pinEndpoints,
  ...clearingStructureEndpoints,
  getClearingFileEndpoint,
  ...threeDsEndpoints,
  ...cardTransactionEndpoints,
  ...authorisationEndpoints,
  ...accountEndpoints,
  ...addressEndpoints,
  ...cardEndpoints,
  ...clearingRecordEndpoints,
  ...clearingFlowEndpoints,
];

const operationsEndpoints: readonly Endpoint[] = [
  ...healthEndpoints,
  ...openApiEndpoints,
  homeEndpoint,
  ...guideEndpoints,
  docsFileEndpoint,
  eventsPageEndpoint,
  errorsPageEndpoint,
  searchIndexEndpoint,
  ...referenceEndpoints,
  asyncApiEndpoint,
];

const sandboxEndpoints: readonly Endpoint[] = [
  sandboxOpenApiEndpoint,
  ...identityEndpoints,
  ...clockEndpoints,
  sendBankNotification,
  ...bankScriptEndpoints,
  ...sandboxCardEndpoints,
  declineContractEndpoint,
  setDevices,
  setO2iTarget,
];

export const endpointsOf = (environment: PlatformEnvironment): readonly Endpoint[] => [
  ...partnerEndpoints,
  ...operationsEndpoints,
  ...(environment === "production" ? [] : sandboxEndpoints),
];
