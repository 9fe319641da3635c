/** What a bank made by chance does with money, once for each request, and what it then holds for the platform. */
import type {
  BankNotificationMessage,
  BankOutcomeMessage,
  BankRequestMessage,
} from "../../../shared/contracts/platform/bank-messages.js";

export type Word = Pick<BankOutcomeMessage, "outcome" | "reasonCode">;

/** By how much each kind changes what the bank holds, for each cent of its amount. */
const directions: Readonly<Record<string, bigint>> = { directDebit: 1n, payment: -1n, return: -1n };

export interface BankMoney {
  readonly balanceCents: bigint;
  /** A transfer arrives; what was sent before is no second one. */
  arrive(notification: BankNotificationMessage): void;
  /** What becomes of a request that was not heard before. */
  decide(request: BankRequestMessage, isCalm: boolean): Word[];
  /** What comes back of what was booked: requests and the words on them. */
  takeBack(): (readonly [request: BankRequestMessage, word: Word])[];
}

const centsOf = (amount = 0): bigint => BigInt(Math.round(amount * 100));

export const openBankMoney = (random: () => number): BankMoney => {
  const arrived = new Set<string>();
  const booked = new Map<string, BankRequestMessage>();
  let balanceCents = 0n;
  const move = ({ kind, amount }: BankRequestMessage, sign: bigint): void => {
    balanceCents += sign * (directions[kind] ?? 0n) * centsOf(amount);
  };
  return {
    get balanceCents() {
      return balanceCents;
    },
    arrive: ({ transactionReference, amount }) => {
      if (!arrived.has(transactionReference)) balanceCents += centsOf(amount);
      arrived.add(transactionReference);
    },
    decide: (request, isCalm) => {
      if (!isCalm && random() < 0.2) return [{ outcome: "refused", reasonCode: "AC04" }];
      move(request, 1n);
      if (request.kind in directions) booked.set(request.requestId, request);
      return [
        { outcome: "accepted", reasonCode: null },
        { outcome: "booked", reasonCode: null },
      ];
    },
    takeBack: () =>
      [...booked.values()]
        .filter(() => random() < 0.2)
        .map((request) => {
          booked.delete(request.requestId);
          move(request, -1n);
          return [request, { outcome: "returned", reasonCode: "MD06" }] as const;
        }),
  };
};
