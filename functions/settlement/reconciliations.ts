/** What a store and the partner still owe each other. */
import { listPendingReconciliationsRoute } from "../../shared/contracts/settlement/reconciliations.js";
import { pendingReconciliations } from "../../shared/database/settlement/reconciliations.js";
import { endpoint } from "../kit/endpoint.js";

export const listPendingReconciliations = endpoint(
  listPendingReconciliationsRoute,
  async ({ database, config }, { params, caller, ok, refuse }) => {
    const collectionAccount =
      caller.settings.ibanVerification.destinationIban ??
      config.wallet.collectionAccount?.iban ??
      null;
    const pending = await pendingReconciliations(
      database,
      caller,
      params.storeId,
      collectionAccount,
    );
    return pending.ok ? ok(pending.value) : refuse(pending);
  },
);
