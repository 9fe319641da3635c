/** What the reference's pages put into a prefilled call: new each time, and sound by the platform's own rules. */
import { describe, expect, test, vi } from "vitest";
import { movedDay } from "../../../functions/docs/browser/try/days.js";
import { freshKey, freshValue } from "../../../functions/docs/browser/try/fresh.js";
import { ibanFault } from "../../../shared/domain/wallet/iban.js";
import { taxIdFault } from "../../../shared/domain/wallet/tax-id.js";

const storysTaxId = "RSSMRA85T10A562S";
const storysIban = "IT02M0542811101000000292100";
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

/** By chance a value may be right once: a thousand are looked at. */
const many = (property: string, example: string): string[] =>
  Array.from({ length: 1_000 }, () => freshValue(property, example) ?? "none");

describe("a fresh value", () => {
  test("of a tax id is another person's of the same name", () => {
    const made = many("taxId", storysTaxId);
    expect(made.filter((taxId) => taxIdFault(taxId) !== undefined)).toEqual([]);
    expect(made.every((taxId) => taxId.startsWith("RSSMRA"))).toBe(true);
    expect(new Set(made).size).toBeGreaterThan(900);
  });

  test.each(["iban", "ownerIban"])("of %s is another account at the same bank", (property) => {
    const made = many(property, storysIban);
    expect(made.filter((iban) => ibanFault(iban) !== undefined)).toEqual([]);
    expect(made.every((iban) => iban.slice(5, 15) === storysIban.slice(5, 15))).toBe(true);
    expect(new Set(made).size).toBe(1_000);
  });

  test("of other kinds keeps what its reader knows it by", () => {
    expect(freshValue("email", "mario.rossi@example.com")).toMatch(
      /^mario\.rossi\+\d{8}@example\.com$/,
    );
    expect(freshValue("code", "ROMA-1")).toMatch(/^ROMA-\d{6}$/);
    expect(freshValue("transactionId", storysIban)).toMatch(uuid);
    expect(freshValue("firstName", "Mario")).toBeUndefined();
  });

  test("of a key has 32 characters, and is no other's", () => {
    const keys = Array.from({ length: 1_000 }, freshKey);
    expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true);
    expect(new Set(keys).size).toBe(1_000);
  });
});

describe("a day of the story", () => {
  test.each([
    ["depositDate", "2025-03-10", "2027-03-10"],
    ["expiresAt", "2025-03-10T09:00:00Z", "2027-03-10T09:00:00Z"],
    ["fromDate", "2025-03-10", "2026-05-02"],
    ["toDate", "2025-03-10T09:00:00Z", "2026-06-01T12:00:00.000Z"],
    ["toDate", "2024-03-10", "2024-03-10"],
    ["firstName", "2025", "2025"],
  ])("as %s: %s is sent as %s", (property, told, sent) => {
    vi.useFakeTimers({ now: new Date("2026-06-01T12:00:00.000Z"), toFake: ["Date"] });
    try {
      expect(movedDay(told, property)).toBe(sent);
    } finally {
      vi.useRealTimers();
    }
  });
});
