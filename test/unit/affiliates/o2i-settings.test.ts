/** What a partner's settings say of its endpoint: no secret stands in them, and none of the app's other ones is named. */
import { expect, test } from "vitest";
import { checkSettings } from "../../../shared/contracts/platform/given-settings.js";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import { readConfig } from "../../../shared/platform/config.js";

const key = { kind: "key", header: "X-Api-Key", secretSetting: "AFFILIATE_SECRET_ACME" };
const client = {
  kind: "clientCredentials",
  tokenUrl: "https://login.acme.example/token",
  clientId: "borsello",
  secretSetting: "AFFILIATE_SECRET_ACME",
};

test("from the start cards are paid from wallets, without a stand-in", () => {
  expect(partnerSettings.parse({}).cards.o2i).toEqual({
    ...{ endpoint: "wallet", auth: { kind: "none" }, standIn: null },
  });
});

test.each([
  ["an endpoint with a key", { endpoint: "https://acme.example/o2i", auth: key }, []],
  ["an endpoint with tokens", { endpoint: "https://acme.example/o2i", auth: client }, []],
  ["nobody, and a stand-in", { endpoint: null, standIn: "91" }, []],
  ["http", { endpoint: "http://acme.example/o2i" }, ["cards.o2i.endpoint: must be an https"]],
  [
    "tokens by http",
    { auth: { ...client, tokenUrl: "http://acme.example/" } },
    ["cards.o2i.auth.tokenUrl: must be an https"],
  ],
  [
    "another setting of the app",
    { auth: { ...key, secretSetting: "DATABASE_URL" } },
    ["cards.o2i.auth.secretSetting: must name a setting"],
  ],
  [
    "a header of the exchange itself",
    { auth: { ...key, header: "content-length" } },
    ["cards.o2i.auth.header: must be a header that is not used"],
  ],
  ["the secret itself", { auth: { ...key, secret: "s3cret" } }, ["cards.o2i.auth: Unrecognized"]],
  ["a code of three characters", { standIn: "911" }, ["cards.o2i.standIn: Too big"]],
])("%s", (_what, o2i, faults) => {
  const checked = checkSettings({ cards: { o2i } });
  expect(checked.ok ? [] : checked.faults).toEqual(
    faults.map((beginning) => expect.stringContaining(beginning) as unknown),
  );
});

test("of the app's settings those are read for affiliates that settings of partners can name", () => {
  const { affiliateSecrets } = readConfig({
    PLATFORM_ENVIRONMENT: "development",
    DATABASE_URL: "postgres://user:password@127.0.0.1:5432/borsello",
    ServiceBus: "Endpoint=sb://127.0.0.1:5672;SharedAccessKeyName=a;SharedAccessKey=b;",
    [key.secretSetting]: "s3cret",
    AFFILIATE_SECRET_EMPTY: "",
  });
  expect([...affiliateSecrets]).toEqual([[key.secretSetting, "s3cret"]]);
});
