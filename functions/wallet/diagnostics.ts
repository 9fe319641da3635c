/** Says which application answers, in which environment. */
import { getDiagnosticsRoute } from "../../shared/contracts/wallet/diagnostics.js";
import { applicationName, applicationVersion } from "../../shared/platform/application.js";
import { endpoint } from "../kit/endpoint.js";

export const diagnosticsEndpoint = endpoint(getDiagnosticsRoute, async ({ config }, { ok }) =>
  ok({ applicationName, applicationVersion, environment: config.environment }),
);
