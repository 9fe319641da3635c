/** What a request to the bank is as an order in a file: for which account, on which day, or why it is none. */
import {
  CreditorAccount,
  CreditTransferOrder,
  DirectDebitOrder,
  OwnAccount,
} from "../../shared/bank/iso20022/orders.js";
import { z } from "zod";
import type { FreshOrder, RequestFacts } from "../../shared/database/bank/orders.js";
import type { CollectionAccount } from "../../shared/platform/settings/wallet-settings.js";

export type PlannedOrder =
  | { readonly is: "order"; readonly order: FreshOrder }
  /** One account alone: there is nothing to move between two. */
  | { readonly is: "nothingToMove" }
  | { readonly is: "refused"; readonly reasonCode: string; readonly sentence: string };

/** Of the kinds that files carry. */
const Terms = z.object({
  creditorName: z.string().default(""),
  creditorIban: z.string().default(""),
  reason: z.string().default(""),
  depositDate: z.iso.date().optional(),
});

/** 32 of the 35 characters that an end-to-end id may have. */
export const endToEndIdOf = (requestId: string): string => requestId.replaceAll("-", "");

/** The request that an end-to-end id names, where it has the shape of one of ours. */
export const requestIdOf = (endToEndId: string | null): string | undefined => {
  const digits = /^[0-9a-f]{32}$/i.exec(endToEndId ?? "")?.[0].toLowerCase();
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};

const sentenceOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ");

const refused = (reasonCode: string, sentence: string): PlannedOrder => ({
  is: "refused",
  reasonCode,
  sentence,
});

interface OwnAccounts {
  readonly collecting: { readonly name: string; readonly iban: string };
  readonly safeguarding: { readonly name: string; readonly iban: string } | undefined;
}

const ownAccounts = (
  { partnerKey, settings }: RequestFacts,
  platform: CollectionAccount | null,
): OwnAccounts => {
  const { destinationIban, destinationOwner } = settings.ibanVerification;
  const name = destinationOwner ?? settings.creditor?.name ?? platform?.owner ?? partnerKey;
  const { safeguardingAccount } = settings.settlement;
  return {
    collecting: { name, iban: destinationIban ?? platform?.iban ?? "" },
    safeguarding: safeguardingAccount === null ? undefined : { name, iban: safeguardingAccount },
  };
};

const kept = ({ cents, ...order }: CreditTransferOrder | DirectDebitOrder) => ({
  ...order,
  cents: cents.toString(),
});

const creditTransfer = (
  facts: RequestFacts,
  debtor: { readonly name: string; readonly iban: string },
  creditor: Pick<CreditTransferOrder, "creditorName" | "creditorIban" | "remittance">,
  today: string,
): PlannedOrder => {
  const account = OwnAccount.safeParse(debtor);
  if (!account.success)
    return refused("AccountUnusable", `The partner's account ${sentenceOf(account.error)}.`);
  const order = CreditTransferOrder.safeParse({
    endToEndId: endToEndIdOf(facts.requestId),
    cents: facts.cents ?? 0n,
    ...creditor,
  });
  if (!order.success) return refused("OrderUnwritable", `${sentenceOf(order.error)}.`);
  return {
    is: "order",
    order: {
      requestId: facts.requestId,
      message: "creditTransfers",
      partnerKey: facts.partnerKey,
      account: account.data,
      day: today,
      content: kept(order.data),
    },
  };
};

const directDebit = (
  facts: RequestFacts,
  collecting: { readonly name: string; readonly iban: string },
  { depositDate, reason }: { readonly depositDate: string; readonly reason: string },
): PlannedOrder => {
  const { mandate, settings } = facts;
  if (mandate === null) return refused("MandateUnknown", "The request names no mandate.");
  const account = CreditorAccount.safeParse({
    iban: collecting.iban,
    name: mandate.creditorName ?? settings.creditor?.name ?? collecting.name,
    identifier: mandate.creditorIdentifier ?? settings.creditor?.identifier ?? "",
  });
  if (!account.success)
    return refused("AccountUnusable", `The partner's account ${sentenceOf(account.error)}.`);
  const { mandateUniqueReference, signatureDate, debtorName, debtorIban } = mandate;
  const order = DirectDebitOrder.safeParse({
    endToEndId: endToEndIdOf(facts.requestId),
    cents: facts.cents ?? 0n,
    mandateId: mandateUniqueReference,
    signatureDate: signatureDate ?? "",
    ...{ debtorName, debtorIban },
    remittance: reason === "" ? `Mandate ${mandateUniqueReference}` : reason,
  });
  if (!order.success) return refused("OrderUnwritable", `${sentenceOf(order.error)}.`);
  return {
    is: "order",
    order: {
      requestId: facts.requestId,
      message: "directDebits",
      partnerKey: facts.partnerKey,
      account: account.data,
      day: depositDate,
      content: kept(order.data),
    },
  };
};

/** `today` is the first day on which the bank can do it. Mandates are no orders: they have no file. */
export const planOrder = (
  facts: RequestFacts,
  platform: CollectionAccount | null,
  today: string,
): PlannedOrder => {
  const terms = Terms.safeParse(facts.payload);
  if (!terms.success) return refused("OrderUnwritable", `${sentenceOf(terms.error)}.`);
  const { creditorName, creditorIban, reason, depositDate } = terms.data;
  const { collecting, safeguarding } = ownAccounts(facts, platform);
  const onward = (
    from: { readonly name: string; readonly iban: string },
    to: { readonly name: string; readonly iban: string },
    remittance: string,
  ): PlannedOrder =>
    creditTransfer(
      facts,
      from,
      { creditorName: to.name, creditorIban: to.iban, remittance },
      today,
    );
  switch (facts.kind) {
    case "transfer": {
      if (safeguarding === undefined) return { is: "nothingToMove" };
      const [from, to] =
        facts.isIncome === true ? [collecting, safeguarding] : [safeguarding, collecting];
      return onward(from, to, `Transfer ${endToEndIdOf(facts.requestId)}`);
    }
    case "payment":
      return onward(collecting, { name: creditorName, iban: creditorIban }, reason);
    case "return": {
      // It goes back from the account that it reached.
      const from = { ...collecting, iban: facts.receivingIban ?? collecting.iban };
      const to = { name: facts.senderName ?? "", iban: creditorIban };
      return onward(from, to, `Returned: ${facts.sentReason ?? ""}`);
    }
    case "directDebit":
      return directDebit(facts, collecting, { depositDate: depositDate ?? today, reason });
    case "mandateActivation":
    case "mandateRevocation":
      return refused("MandateHasNoFile", "Mandates are not asked for by file.");
  }
};
