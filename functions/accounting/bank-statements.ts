/** The bank's statements beside the ledger: the partner's own; the operators' read those of all. */
import {
  getBankStatementRoute,
  listBankStatementsRoute,
} from "../../shared/contracts/accounting/bank-statements.js";
import {
  listStatements,
  reconcileStatement,
} from "../../shared/database/accounting/bank-statements.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { refusal } from "../../shared/domain/outcome.js";
import { endpoint } from "../kit/endpoint.js";

const listEndpoint = endpoint(
  listBankStatementsRoute,
  async ({ database }, { query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    const partnerKey = caller.readsAll ? null : caller.partnerKey;
    return ok(await listStatements(database, partnerKey, range.value, query));
  },
);

const getEndpoint = endpoint(
  getBankStatementRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const { statementId } = params;
    const partnerKey = caller.readsAll ? null : caller.partnerKey;
    const statement = await reconcileStatement(database, partnerKey, statementId);
    return statement === undefined
      ? refuse(refusal("BankStatementNotFound", { statementId }))
      : ok(statement);
  },
);

export const bankStatementEndpoints = [listEndpoint, getEndpoint] as const;
