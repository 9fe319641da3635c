/** Where the app begins: reads the settings, builds what handlers need, registers every trigger. */
import { setTimeout as sleep } from "node:timers/promises";
import { app } from "@azure/functions";
import { bankNotificationActivities } from "../orchestrations/bank-notification.activities.js";
import { bankNotification } from "../orchestrations/bank-notification.flow.js";
import { clearingActivities } from "../orchestrations/clearing.activities.js";
import { clearing } from "../orchestrations/clearing.flow.js";
import { contractSigningActivities } from "../orchestrations/contract-signing.activities.js";
import { contractSigning } from "../orchestrations/contract-signing.flow.js";
import { ibanValidationActivities } from "../orchestrations/iban-validation.activities.js";
import { ibanValidation } from "../orchestrations/iban-validation.flow.js";
import { mandateActivationActivities } from "../orchestrations/mandate-activation.activities.js";
import { mandateActivation } from "../orchestrations/mandate-activation.flow.js";
import { mandateDepositActivities } from "../orchestrations/mandate-deposit.activities.js";
import { mandateDeposit } from "../orchestrations/mandate-deposit.flow.js";
import { flowRunActivities } from "../orchestrations/flow-run.activities.js";
import { flowRun } from "../orchestrations/flow-run.flow.js";
import { settlementActivities } from "../orchestrations/settlement.activities.js";
import {
  accountingOperation,
  harvesting,
  outgoingPayment,
} from "../orchestrations/settlement.flow.js";
import { oobChallengeActivities } from "../orchestrations/oob-challenge.activities.js";
import { oobChallenge } from "../orchestrations/oob-challenge.flow.js";
import { operationGroupActivities } from "../orchestrations/operation-group.activities.js";
import { operationGroup } from "../orchestrations/operation-group.flow.js";
import { storesCompensationActivities } from "../orchestrations/stores-compensation.activities.js";
import { storesCompensation } from "../orchestrations/stores-compensation.flow.js";
import { ticketSlaActivities } from "../orchestrations/ticket-sla.activities.js";
import { ticketSla } from "../orchestrations/ticket-sla.flow.js";
import { walletOnboardingActivities } from "../orchestrations/wallet-onboarding.activities.js";
import { walletOnboarding } from "../orchestrations/wallet-onboarding.flow.js";
import { waitingItems } from "../shared/database/clearing/incoming-source.js";
import { registerFlows } from "../shared/durable/register.js";
import { DependencyUnavailableError } from "../shared/platform/dependency-unavailable.js";
import { readConfig } from "../shared/platform/config.js";
import { gatheredLines } from "../shared/platform/log-output.js";
import { textLine } from "../shared/platform/log-text.js";
import { misspeltSettings } from "../shared/platform/settings/reading.js";
import { createLogger, type WriteLine } from "../shared/platform/logger.js";
import { startTelemetry } from "../shared/platform/telemetry/start.js";
import { registerBankFiles } from "./bank/bank-files.js";
import { registerBankNotifications } from "./broker/bank-notifications.js";
import { registerBankOutcomes } from "./broker/bank-outcomes.js";
import { registerCardProcessorEvents } from "./broker/card-processor-events.js";
import { registerPlatformEvents } from "./broker/platform-events.js";
import { endpointsOf } from "./endpoints.js";
import { registerEndpoints } from "./kit/register.js";
import { observeState } from "./platform/gauges.js";
import { registerSandboxBank } from "./sandbox/bank.js";
import { registerSandboxCardProcessor } from "./sandbox/card-processor.js";
import { registerAuditSeal } from "./schedule/audit-seal.js";
import { registerAttachmentSweep } from "./schedule/attachment-sweep.js";
import { registerBankNotificationTimer } from "./schedule/bank-notifications.js";
import { registerChallengeSweep } from "./schedule/challenge-sweep.js";
import { registerClearing } from "./schedule/clearing.js";
import { registerDocumentSweep } from "./schedule/document-sweep.js";
import { registerFlowSweep } from "./schedule/flow-sweep.js";
import { registerGroupSweep } from "./schedule/group-sweep.js";
import { registerKeptAnswerSweep } from "./schedule/kept-answer-sweep.js";
import { registerLostAuthorisations } from "./schedule/lost-authorisations.js";
import { registerMandateDeposits } from "./schedule/mandate-deposits.js";
import { registerCardExpiry } from "./schedule/card-expiry.js";
import { registerMandateLapse } from "./schedule/mandate-lapse.js";
import { registerOperationExpiry } from "./schedule/operation-expiry.js";
import { registerO2iPushes } from "./schedule/o2i-pushes.js";
import { registerOutboxRelay } from "./schedule/outbox-relay.js";
import { registerRetention } from "./schedule/retention.js";
import { registerSettlement } from "./schedule/settlement.js";
import { registerStoresCompensation } from "./schedule/stores-compensation.js";
import { registerStoreMandates } from "./schedule/store-mandates.js";
import { registerThreeDsCleanup } from "./schedule/threeds-cleanup.js";
import { registerTicketSweep } from "./schedule/ticket-sweep.js";
import { createServices, type Services } from "./kit/services.js";

/** Broker triggers, timers and flows: each registers itself with the services that it needs. */
const registrations: readonly ((services: Services) => void)[] = [
  registerOutboxRelay,
  registerBankNotifications,
  registerBankOutcomes,
  registerBankFiles,
  registerSandboxBank,
  registerCardProcessorEvents,
  registerSandboxCardProcessor,
  registerPlatformEvents,
  registerFlowSweep,
  registerAttachmentSweep,
  registerDocumentSweep,
  registerKeptAnswerSweep,
  registerRetention,
  registerTicketSweep,
  registerSettlement,
  registerAuditSeal,
  registerOperationExpiry,
  registerGroupSweep,
  registerMandateLapse,
  registerCardExpiry,
  registerStoresCompensation,
  registerStoreMandates,
  registerMandateDeposits,
  registerBankNotificationTimer,
  registerChallengeSweep,
  registerThreeDsCleanup,
  registerO2iPushes,
  registerLostAuthorisations,
  registerClearing,
];

const registerAllFlows = (services: Services): void => {
  const { database, config } = services;
  const settlement = {
    silenceSeconds: config.bankSilenceSeconds,
    collectionAccount: config.wallet.collectionAccount?.iban ?? null,
  };
  registerFlows(
    [
      walletOnboarding,
      ibanValidation,
      contractSigning,
      mandateActivation,
      mandateDeposit,
      ticketSla,
      harvesting,
      accountingOperation,
      outgoingPayment,
      flowRun,
      operationGroup,
      storesCompensation,
      bankNotification,
      oobChallenge,
      clearing,
    ],
    [
      ...walletOnboardingActivities(database),
      ...ibanValidationActivities(database),
      ...contractSigningActivities(services),
      ...mandateActivationActivities(services, settlement),
      ...mandateDepositActivities(database, settlement),
      ...ticketSlaActivities(database),
      ...settlementActivities(database, settlement),
      ...flowRunActivities(database, settlement),
      ...operationGroupActivities(database),
      ...storesCompensationActivities(database, settlement),
      ...bankNotificationActivities(services, settlement),
      ...oobChallengeActivities(database),
      ...clearingActivities(services, waitingItems(database)),
    ],
    services.faults,
    services.logger,
  );
};

const config = readConfig(process.env);

const writeLine = gatheredLines(console);
const writeText: WriteLine = (level, line) => writeLine(level, textLine(line));
const logger = createLogger(config.logLevel, config.logFormat === "text" ? writeText : writeLine);
const closeTelemetry = await startTelemetry(process.env, logger);
const endpoints = endpointsOf(config.environment);
const services = createServices(
  config,
  logger,
  endpoints.map(({ route }) => route),
);
for (const sentence of misspeltSettings(process.env)) services.logger.warn(sentence);

// The genuine worker ends at a rejection that nobody handles, and with it every call in work: a client
// library that cannot close a link in the background is not worth that. A host that watches, logs itself.
if (process.listenerCount("unhandledRejection") === 0)
  process.on("unhandledRejection", (error) => {
    services.logger.error("A rejection was not handled.", { error });
  });

const stopObserving = observeState(services);
// Chunked bodies and repeated query keys only arrive whole with streaming on.
app.setup({ enableHttpStream: true });
registerEndpoints(services, endpoints);
for (const register of registrations) register(services);
registerAllFlows(services);

/** Azure's host ends a worker that takes more than ten seconds to start, and a migration with it. */
const startPatienceMs = 5_000;

app.hook.appStart(async () => {
  // The first call should not wait for migrations; a database that is away now is tried again then.
  const ready = services.database.ready().catch((error: unknown) => {
    if (!(error instanceof DependencyUnavailableError)) throw error;
    services.logger.warn("The database is not ready yet.", { error });
  });
  await Promise.race([ready, sleep(startPatienceMs, undefined, { ref: false })]);
});

app.hook.appTerminate(async () => {
  stopObserving();
  await Promise.all([
    services.relay.close(),
    services.replayer.close(),
    services.affiliates.close(),
  ]);
  await services.bus.close();
  await services.database.close();
  await closeTelemetry().catch((error: unknown) => {
    services.logger.warn("The last traces and metrics could not be sent.", { error });
  });
});
