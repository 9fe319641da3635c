/** Numbers of cards: what passes for one, and that the sandbox's cards and tokens never do. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { makeCard } from "../../../shared/card-processor/sandbox-card.js";
import { CardIssued } from "../../../shared/contracts/card/processor-messages.js";
import { couldHoldPan, isPan } from "../../../shared/domain/card/pan.js";
import { pansIn } from "../../support/card/no-pan.js";

/** Numbers that the networks publish for tests. */
const pans = ["4111111111111111", "5555555555554444", "378282246310005", "6304000000000000"];

test.each(pans)("%s is a card's number, alone, in groups and within a text", (pan) => {
  const grouped = pan.replaceAll(/(\d{4})(?=\d)/g, "$1 ");
  expect(isPan(pan)).toBe(true);
  expect(isPan(grouped)).toBe(true);
  expect(couldHoldPan(`999999${pan}`)).toBe(true);
  expect(pansIn(`{"card":"${pan}","other":"${grouped}."}`)).toContain(pan);
});

test.each(["4111111111111112", "411111******1111", "4222222", "41111111111111111111", ""])(
  "%s is none",
  (text) => {
    expect(isPan(text)).toBe(false);
    expect(pansIn(text)).toEqual([]);
  },
);

test("of many cards of the sandbox none has a token that could hold a number, and all differ", () => {
  const made = Array.from({ length: 60 }, () => makeCard(randomUUID(), "2028-02-29T23:30:00.000Z"));
  expect(made.filter(({ panToken }) => couldHoldPan(panToken))).toEqual([]);
  expect(new Set(made.map(({ panToken }) => panToken)).size).toBe(made.length);
  for (const { panToken, maskedPan, expiryDate } of made) {
    expect(panToken).toMatch(/^999999\d{16}$/);
    expect(maskedPan).toBe(`999999******${panToken.slice(-4)}`);
    expect(expiryDate).toBe("2032-02-29");
  }
});

test("a command that comes again is answered with the same card", () => {
  const [id, at] = [randomUUID(), "2026-11-30T23:30:00.000Z"];
  expect(makeCard(id, at)).toEqual(makeCard(id, at));
  expect(makeCard(id, at).expiryDate).toBe("2030-11-30");
});

const issued = {
  eventId: "e-1",
  kind: "cardIssued",
  cardId: randomUUID(),
  expiryDate: "2030-11-30",
  ...{ maskedPan: "411111******1111", panToken: "4111110000000012341111" },
};

test.each([
  ["a whole number as its masked one", { maskedPan: "4111111111111111" }],
  ["a number masked too little", { maskedPan: "41111111****1111" }],
  ["a whole number as its token", { panToken: "4111111111111111" }],
  ["a whole number in groups as its token", { panToken: "4111-1111-1111-1111" }],
])("a card that comes with %s is refused, and no sentence repeats it", (_, wrong) => {
  expect(CardIssued.safeParse(issued).success).toBe(true);
  const parsed = CardIssued.safeParse({ ...issued, ...wrong });
  expect(parsed.success).toBe(false);
  expect(JSON.stringify(parsed.error?.issues)).not.toMatch(/1111\D*1111/);
});
