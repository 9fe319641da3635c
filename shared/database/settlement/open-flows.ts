/** How many flows the tables say are open, by flow and by how far each is: facts, which the engine cannot be asked for. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";
import { isSettling } from "./operations.js";

const OpenFlows = z.object({ flow: z.string(), state: z.string(), count: z.int() });
export type OpenFlows = z.output<typeof OpenFlows>;

/** Of each kind so many are counted, so that a large platform does not make the question slow. */
const countedMax = 10_000;

/** An index holds the rows of each kind, and no others, in this order. */
const kinds = [
  "select 'walletOnboarding', status from borsello.onboarding where status = 'Running' order by wallet_id",
  "select 'ibanValidation', status from borsello.iban_validation where status = 'Waiting' order by wallet_id",
  "select 'contractSigning', status from borsello.contract where status = 'Signing' order by wallet_id",
  `select 'mandateActivation', status from borsello.mandate
   where status in ('Filled', 'ActivationRequested', 'Active', 'DisableRequested')
   order by coalesce(wallet_id, store_id)`,
  "select 'ticketSla', status from borsello.ticket where due_on is not null order by due_on",
  `select borsello.settlement_flow(o), status from borsello.operation as o
   where ${isSettling} order by operation_id`,
  `select 'flowRun', status from borsello.flow_run
   where status in ('Queued', 'Running') order by requested_at`,
];

const selectOpenFlows = `
  select flow, state, count(*)::int as count
  from (${kinds.map((kind) => `(${kind} limit ${countedMax})`).join(" union all ")}) as open (flow, state)
  group by flow, state order by flow, state`;

export const openFlows = (database: Queryable): Promise<OpenFlows[]> =>
  database.rows(OpenFlows, selectOpenFlows);
