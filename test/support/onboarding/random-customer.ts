/** A customer who does what comes to mind: any command, any transfer, in any order. */
import { customer } from "../../../bench/platform/customers.js";
import type { Answer, Send } from "../../../bench/platform/onboarding.js";
import type { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { z } from "zod";
import type { RandomBank } from "./random-bank.js";

/** Even numbers from 0 to 1. */
export type Random = () => number;

export interface RandomCustomer {
  readonly walletId: string;
  /** One command or transfer; resolves to what was done and how it was answered. */
  act(): Promise<string>;
  /** Leads the wallet to the end of its onboarding from wherever it stands. */
  finish(): Promise<void>;
}

export interface World {
  readonly send: Send;
  readonly bank: RandomBank;
  /** Every distinct transfer that was sent, by its reference. */
  readonly transfers: Map<string, BankNotificationMessage>;
  /** Resolves when nothing is on its way any more. */
  readonly quiet: () => Promise<void>;
}

/** Two people who take turns as the wallet's holder, each with an account. */
const selvesOf = (index: number) => [customer(index), customer(index + 1_000)] as const;

const Created = z.object({ walletId: z.uuid() });
const Wallet = z.object({
  status: z.enum(["Active", "Suspended", "Closed"]),
  iban: z.string().nullable(),
  isIbanValidated: z.boolean(),
  firstName: z.string(),
  lastName: z.string(),
});
const IbanSet = z.object({
  destinationIban: z.string(),
  transferAmount: z.number(),
  ibanValidationCode: z.string(),
});
const MandateView = z.object({ mandateId: z.uuid(), status: z.string() });
const Instructions = z.object({ destinationIban: z.string(), reason: z.string() });
const Waiting = z.object({ items: z.array(z.object({ bankNotificationId: z.uuid() })) });
const Initialised = z.object({ operationId: z.uuid() });
const Onboarding = z.object({
  steps: z.array(z.object({ name: z.string(), status: z.string() })),
});

const elsewhere = ["IT14B0000000000000000000001", "DE89370400440532013000"];
let references = 0;

export const openRandomCustomer = async (
  world: World,
  index: number,
  random: Random,
): Promise<RandomCustomer> => {
  const { send, bank, transfers } = world;
  const selves = selvesOf(index);
  const created = await send("POST", "/wallet/wallets", selves[0].owner);
  const { walletId } = Created.parse(created.body);
  const base = `/wallet/wallets/${walletId}`;
  const pick = <T>(list: readonly [T, ...T[]]): T =>
    list[Math.floor(random() * list.length)] ?? list[0];
  const chance = (share: number): boolean => random() < share;

  let instructed: z.output<typeof IbanSet> | undefined;
  const codes: string[] = [];
  let lastTransfer: BankNotificationMessage | undefined;
  let withdrawals = 0;

  const setIban = async (iban: string): Promise<Answer> => {
    const answer = await send("PUT", `${base}/iban`, { iban, bic: null });
    if (answer.status === 200) {
      instructed = IbanSet.parse(answer.body);
      codes.push(instructed.ibanValidationCode);
    }
    return answer;
  };
  const transfer = (changes: Partial<BankNotificationMessage> = {}): void => {
    const self = pick(selves);
    const { firstName, lastName } = self.owner;
    references += 1;
    const reference = `transfer-${index}-${references}`;
    const message: BankNotificationMessage = {
      type: pick(["IncomingSctStandard", "IncomingSctInstant"]),
      transactionReference: reference,
      paymentGatewayReference: chance(0.5) ? `gateway-${reference}` : null,
      debtorName: pick([
        `${lastName} ${firstName}`,
        `${firstName} ${lastName} E BIANCHI ANNA`.toUpperCase(),
        "VERDI GIUSEPPE",
      ]),
      debtorIban: chance(0.8) ? self.iban : pick(selves).iban,
      creditorName: null,
      creditorIban: chance(0.9) ? (instructed?.destinationIban ?? "") : pick(["", ...elsewhere]),
      amount: pick([1, 1, 1, 0.5, 20, 75]),
      reason: pick([codes.at(-1) ?? "", codes[0] ?? "", "my dinner"]),
      receptionDate: "2026-01-15T09:30:00.000Z",
      ...changes,
    };
    if (message.creditorIban === "") message.creditorIban = elsewhere[0] ?? "";
    if (chance(0.2) && lastTransfer !== undefined) bank.credit(lastTransfer);
    transfers.set(message.transactionReference, message);
    lastTransfer = message;
    bank.credit(message);
  };
  const get = async (path: string): Promise<Answer> => send("GET", `${base}${path}`);
  const wallet = async () => Wallet.parse((await get("")).body);

  const deeds: Readonly<Record<string, () => Promise<Answer | undefined>>> = {
    "set the IBAN": () => setIban(pick(selves).iban),
    "set the BIC": () => send("PUT", `${base}/iban`, { iban: pick(selves).iban, bic: "BCITITMM" }),
    "remove the IBAN": () => send("DELETE", `${base}/iban`),
    /** Now and then only half of it. */
    "become the other holder": async () => {
      const { taxId, email, firstName, lastName, phoneNumber } = pick(selves).owner;
      const first = await send("PUT", base, { taxId, email });
      if (first.status >= 500 || chance(0.2)) return first;
      return send("PUT", `${base}/attributes`, { firstName, lastName, phoneNumber });
    },
    suspend: () => send("PUT", `${base}/suspend`),
    reactivate: () => send("PUT", `${base}/reactivate`),
    close: () => send("PUT", `${base}/close`),
    reopen: () => send("PUT", `${base}/reopen`),
    "sign the contract": () => send("POST", `${base}/contract/sign`),
    "decline the contract": () => send("PUT", `/sandbox/wallets/${walletId}/contract/decline`),
    "initialise a mandate": () =>
      send("POST", `${base}/mandate`, { amount: 25, frequency: pick(["Weekly", "Monthly"]) }),
    "fill the mandate": () => send("PUT", `${base}/mandate/fill`),
    "sign the mandate": () => send("POST", `${base}/mandate/sign`),
    "disable the mandate": () => send("PUT", `${base}/mandate/disable`),
    /** A person of the partner decides about any of the transfers that wait. */
    "decide about a transfer": async () => {
      const list = await send("GET", "/wallet/banknotifications?status=Received&pageSize=200");
      const waiting = Waiting.safeParse(list.body).data?.items ?? [];
      const chosen = waiting[Math.floor(random() * waiting.length)];
      if (chosen === undefined) return undefined;
      const path = `/wallet/banknotifications/${chosen.bankNotificationId}`;
      return chance(0.5)
        ? send("PUT", `${path}/approve`, chance(0.8) ? { walletId } : {})
        : send("PUT", `${path}/reject`);
    },
    deposit: async () => {
      const { firstName, lastName, iban } = await wallet();
      transfer({
        debtorName: `${firstName} ${lastName}`,
        amount: pick([20, 75, 130]),
        reason: pick([codes.at(-1) ?? "none", "savings"]),
        ...(iban === null ? {} : { debtorIban: iban }),
        ...(instructed === undefined ? {} : { creditorIban: instructed.destinationIban }),
      });
      return undefined;
    },
    /** With all that is in it. */
    "give the wallet up": async () => {
      await send("PUT", `${base}/suspend`);
      return send("PUT", `${base}/close`);
    },
    withdraw: async () => {
      withdrawals += 1;
      const idempotencyKey = `${index}-withdrawal-${withdrawals}`.padStart(32, "0");
      const asked = { idempotencyKey, amount: pick([1, 2, 10]), tags: null };
      const answer = await send("POST", `${base}/sct/withdrawals`, asked);
      const { operationId } = Initialised.safeParse(answer.body).data ?? {};
      if (operationId === undefined) return answer;
      return send("PUT", `${base}/sct/withdrawals/${operationId}/confirm`);
    },
    "transfer something": async () => {
      transfer();
      return undefined;
    },
    "transfer what is asked for": async () => {
      const { firstName, lastName, iban } = await wallet();
      transfer({
        debtorName: `${lastName} ${firstName}`,
        amount: 1,
        reason: codes.at(-1) ?? "none",
        ...(iban === null ? {} : { debtorIban: iban }),
        ...(instructed === undefined ? {} : { creditorIban: instructed.destinationIban }),
      });
      return undefined;
    },
  };
  const names = Object.keys(deeds);
  /** What moves money, so that much of it moves. */
  const moneyDeeds = [
    ...["deposit", "deposit", "withdraw"],
    ...["decide about a transfer", "give the wallet up"],
  ];
  /** What brings the onboarding on, so that chance reaches every depth of it. */
  const sensible = async (): Promise<string> => {
    const { status, iban, isIbanValidated } = await wallet();
    if (status === "Closed") return "reopen";
    if (status === "Suspended") return "reactivate";
    if (iban === null) return "set the IBAN";
    if (!isIbanValidated) return "transfer what is asked for";
    if (chance(0.2)) return "sign the contract";
    const { body } = await get("/mandate");
    const mandate = MandateView.safeParse(body).data?.status;
    if (mandate === "Draft") return "fill the mandate";
    return mandate === "Filled" ? "sign the mandate" : "initialise a mandate";
  };

  const done = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await send(method, `${base}${path}`, body);
    if (answer.status !== 200)
      throw new Error(`${answer.call}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const stepIs = async (name: string): Promise<string | undefined> => {
    await world.quiet();
    const { steps } = Onboarding.parse((await get("/onboarding")).body);
    return steps.find((each) => each.name === name)?.status;
  };

  return {
    walletId,
    act: async () => {
      const any = chance(0.5) ? moneyDeeds : names;
      const name = chance(0.5) ? await sensible() : (any[Math.floor(random() * any.length)] ?? "");
      const answer = await deeds[name]?.();
      if (answer !== undefined && answer.status >= 500)
        throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return `${walletId} ${name}: ${answer?.status ?? "sent"}`;
    },
    finish: async () => {
      if ((await wallet()).status === "Closed") await done("PUT", "/reopen");
      if ((await wallet()).status === "Suspended") await done("PUT", "/reactivate");
      await world.quiet();
      const present = await wallet();
      if (!present.isIbanValidated) {
        const iban = present.iban ?? selves[0].iban;
        const { destinationIban, transferAmount, ibanValidationCode } = IbanSet.parse(
          (await done("PUT", "/iban", { iban, bic: null })).body,
        );
        transfer({
          debtorName: `${present.lastName} ${present.firstName}`,
          debtorIban: iban,
          creditorIban: destinationIban,
          amount: transferAmount,
          reason: ibanValidationCode,
        });
        await world.quiet();
      }
      Instructions.parse((await done("GET", "/sct/instructions")).body);
      if ((await stepIs("contractSigning")) !== "Completed") await done("POST", "/contract/sign");
      const found = MandateView.safeParse((await get("/mandate")).body).data?.status ?? "none";
      if (["none", "Disabled", "Cancelled", "Rejected"].includes(found))
        await done("POST", "/mandate", { amount: 25, frequency: "Monthly" });
      if (found !== "Active") {
        await done("PUT", "/mandate/fill");
        await done("POST", "/mandate/sign");
      }
      await world.quiet();
    },
  };
};
