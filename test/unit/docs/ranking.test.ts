/** The search over all pages: what has all the words, the nearest first, some of each kind. */
import { expect, test } from "vitest";
import { foundIn } from "../../../functions/docs/browser/site/ranking.js";
import type { SearchEntry, SearchKind } from "../../../functions/docs/search-entry.js";

const entry = (kind: SearchKind, title: string, about = "", words = ""): SearchEntry => ({
  ...{ kind, title, about, words },
  path: `/docs/${title}`,
});

const entries = [
  entry("Guides", "Prove the IBAN", "Onboarding"),
  entry("Calls", "Force WalletCreated", "POST /wallet/bypass/walletcreated"),
  entry("Calls", "Get a wallet", "GET /wallet/wallets/{walletId}", "getWallet"),
  entry("Calls", "Create a wallet", "POST /wallet/wallets", "createWallet"),
  entry("Events", "WalletCreated", "A wallet was created"),
  entry("Errors", "WalletNotFound", "No wallet has this identifier: check it.", "404"),
];

const titles = (text: string): string[][] =>
  foundIn(entries, text).map((found) => found.entries.map(({ title }) => title));

test.each([
  ["iban", [["Prove the IBAN"]]],
  ["WALLETCREATED", [["WalletCreated"], ["Force WalletCreated"]]],
  ["wallet created", [["WalletCreated"], ["Force WalletCreated"]]],
  ["createwallet", [["Create a wallet"]]],
  ["create wallet", [["Create a wallet", "Force WalletCreated"], ["WalletCreated"]]],
  ["404", [["WalletNotFound"]]],
  ["wallet zeppelin", []],
  ["  ", []],
])("%s", (text, found) => {
  expect(titles(text)).toEqual(found);
});

test("of a kind six are shown", () => {
  const many = Array.from({ length: 9 }, (_, number) => entry("Calls", `Deposit ${number}`));
  expect(foundIn(many, "deposit").map((found) => found.entries.length)).toEqual([6]);
});
