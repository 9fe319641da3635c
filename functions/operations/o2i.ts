/** Card payments through the O2I contract of the card platform. */
import { executeO2iPaymentRoute } from "../../shared/contracts/operations/o2i.js";
import { payByO2i } from "../../shared/database/operations/o2i.js";
import { centsOf } from "../../shared/domain/money.js";
import { feesOf } from "../../shared/domain/operations/fees.js";
import { euro, responseCodeOf, whyNotPaid } from "../../shared/domain/operations/o2i.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";
import { requestHash } from "../kit/request-hash.js";
import { commandOf } from "./command.js";

const executeEndpoint = endpoint(
  executeO2iPaymentRoute,
  async ({ database }, { body, caller, ok, refuse }) => {
    const { tags, ...request } = body;
    const { transactionId, financialReference: walletId, billingAmount, type } = body;
    const cents = centsOf(billingAmount);
    const refused = whyNotPaid(body) ?? (cents === undefined ? "AmountScaleInvalid" : null);
    const { settings } = caller;
    const { totalCents, fees } = feesOf(settings.fees, "Payment", cents ?? 0n);
    const done = await payByO2i(database, transactionId, refused, {
      ...commandOf("initialise", caller),
      wallet_id: walletId,
      type: "Payment",
      // Times and codes of the network may differ when it asks again; what is paid may not.
      request_hash: requestHash({ walletId, billingAmount, type, ref: body.refTransactionId }),
      amount_cents: String(cents ?? 0n),
      fees_amount_cents: String(totalCents),
      fees,
      funds_type: "Standard",
      tags,
      metadata: { o2i: request },
      expires_after: `${settings.operations.expiryMinutes} minutes`,
    });
    if (!done.ok) return refuse(done);
    const { refusal, detail, availableBalance } = done.value;
    const responseCode = responseCodeOf(refusal, detail);
    return ok({ transactionId, responseCode, availableBalance, accountCurrency: euro });
  },
);

export const o2iEndpoints: readonly Endpoint[] = [executeEndpoint];
