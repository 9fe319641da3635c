/** Fields that the bodies of 3-D Secure share (card seed, 4.3). */
import { z } from "zod";

const first = { abort: true } as const;

const line = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax, first)
    .regex(/^\P{Cc}*$/u, "must not hold control characters");

/** One line that says something. */
export const Line = line(255).min(1);
export const NullableLine = line(255).nullish();
export const NullableAddress = line(2_048).nullish();

/** The access control server's own, whatever form it has. */
export const TransactionId = Line.describe("The ACS transaction id.");
export const AcsVersion = Line;
export const DsTransactionId = NullableLine;
export const PanToken = Line.describe("The card's token: it names the card holder, too.");

/** Two digits, such as 01. */
export const TwoDigits = z
  .string()
  .max(2, first)
  .regex(/^\d{2}$/, "must be two digits");

export const asThreeDs = { api: "card", role: "Card.Write" } as const;
