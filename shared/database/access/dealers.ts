/** Whose dealer it is: the check of every call whose path names one. */
import { z } from "zod";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";

export type DealerRefusal = "DealerNotFound" | "DealerOfAnotherPartner";

const Dealer = z.object({ partnerKey: z.string() });

/** Who asks: a partner, or an operator, who may read every partner's. */
export interface DealerReader {
  readonly partnerKey: string;
  readonly isOperator?: boolean;
}

export const findDealer = async (
  database: Queryable,
  { partnerKey, isOperator = false }: DealerReader,
  dealerKey: string,
): Promise<Outcome<z.infer<typeof Dealer>, DealerRefusal>> => {
  const dealer = await database.row(
    Dealer,
    `select partner_key as "partnerKey" from borsello.dealer where dealer_key = $1`,
    [dealerKey],
  );
  if (dealer === undefined) return refusal("DealerNotFound", { dealerKey });
  return dealer.partnerKey === partnerKey || isOperator
    ? success(dealer)
    : refusal("DealerOfAnotherPartner", { dealerKey });
};
