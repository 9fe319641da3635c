/** Whose settings hold when an operator looks at another partner's wallet. */
import { expect, test } from "vitest";
import { settingsFor } from "../../../functions/kit/partner-settings.js";
import {
  partnerSettings,
  type PartnerSettings,
} from "../../../shared/contracts/platform/partner-settings.js";

const withContracts = partnerSettings.parse({ activationFlowEnabled: true });
const withoutContracts = partnerSettings.parse({ activationFlowEnabled: false });
const caller = { partnerKey: "platform", settings: withContracts };

const partnersWith = (settings: PartnerSettings) => ({
  partners: {
    byKey: async (partnerKey: string) => ({
      partnerKey,
      settings,
      isOperator: false,
      clientId: `${partnerKey}-client`,
      roles: [],
      clientSecretSalt: Buffer.alloc(0),
      clientSecretHash: Buffer.alloc(0),
      authKeySalt: Buffer.alloc(0),
      authKeyHash: Buffer.alloc(0),
    }),
  },
});

test("an operator sees a wallet under the settings of the wallet's partner", async () => {
  const wallet = { partnerKey: "initech" };
  expect(await settingsFor(partnersWith(withoutContracts), caller, wallet)).toBe(withoutContracts);
});

test("a partner's own wallet is under the settings that its call came with", async () => {
  const wallet = { partnerKey: "platform" };
  expect(await settingsFor(partnersWith(withoutContracts), caller, wallet)).toBe(withContracts);
});
