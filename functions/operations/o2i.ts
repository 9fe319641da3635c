/** Card payments through the O2I contract of the card platform. */
import { executeO2iPaymentRoute } from "../../shared/contracts/operations/o2i.js";
import { payByO2i } from "../../shared/database/operations/o2i.js";
import { euro } from "../../shared/domain/operations/o2i.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";

const executeEndpoint = endpoint(
  executeO2iPaymentRoute,
  async ({ database }, { body, caller, ok, refuse }) => {
    const { tags, ...request } = body;
    const { transactionId, financialReference } = body;
    const kept = { request, tags };
    const done = await payByO2i(database, caller, financialReference, body, kept);
    return done.ok ? ok({ transactionId, ...done.value, accountCurrency: euro }) : refuse(done);
  },
);

export const o2iEndpoints: readonly Endpoint[] = [executeEndpoint];
