/** Whatever the bank answers or leaves unanswered, in whatever state: no mandate is live there that nobody revokes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MandateStatus } from "../../../shared/contracts/mandates/mandates.js";
import { requestDisable } from "../../../shared/database/mandates/disabling.js";
import {
  findMandate,
  initialiseMandate,
  type StoredMandate,
} from "../../../shared/database/mandates/mandates.js";
import { fillMandate, requestMandateSignature } from "../../../shared/database/mandates/signing.js";
import { deleteIban } from "../../../shared/database/onboarding/ibans.js";
import { dueFlows } from "../../../shared/database/onboarding/flow-state.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import {
  bankSays,
  creditor,
  lookAt,
  MandateEvent,
  requestsFor,
  type AskedOfBank,
} from "../../support/wallet/mandate-fixtures.js";
import {
  acme,
  made,
  openValidatedWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const daysPass = (days: number) =>
  wallets.database.execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1", [
    days * 86_400_000,
  ]);

interface Opened {
  readonly walletId: string;
  readonly mandateId: string;
}

const present = async ({ mandateId }: Opened): Promise<StoredMandate> => {
  const found = await findMandate(wallets.database, mandateId);
  if (found === undefined) throw new Error("the mandate is gone");
  return found;
};

const look = ({ mandateId }: Opened): Promise<void> => lookAt(wallets.database, mandateId);

const asked = ({ mandateId }: Opened): Promise<AskedOfBank[]> =>
  requestsFor(wallets.database, mandateId);

const lastOf = async (opened: Opened, kind: AskedOfBank["kind"]): Promise<AskedOfBank> => {
  const found = (await asked(opened)).findLast((request) => request.kind === kind);
  if (found === undefined) throw new Error(`the bank was asked for no ${kind}`);
  return found;
};
const revocations = async (opened: Opened): Promise<AskedOfBank[]> =>
  (await asked(opened)).filter(({ kind }) => kind === "mandateRevocation");

const open = async (): Promise<Opened> => {
  const { walletId } = await openValidatedWallet(wallets.database);
  const terms = { amountCents: 10_000n, frequency: "Monthly" } as const;
  const { mandateId } = made(await initialiseMandate(wallets.database, acme, walletId, terms));
  return { walletId, mandateId };
};
const fill = async ({ walletId }: Opened) =>
  made(await fillMandate(wallets.database, acme, walletId, creditor));
const sign = async (opened: Opened): Promise<void> => {
  await fill(opened);
  made(await requestMandateSignature(wallets.database, acme, opened.walletId));
  await look(opened);
};
const answer = async (
  opened: Opened,
  { requestId }: AskedOfBank,
  outcome: "accepted" | "refused",
  reasonCode: string | null = null,
): Promise<void> => {
  await bankSays(wallets.database, requestId, outcome, reasonCode);
  await look(opened);
};
const answerActivation = async (opened: Opened, outcome: "accepted" | "refused") =>
  answer(opened, await lastOf(opened, "mandateActivation"), outcome, "MS03");
const disable = async (opened: Opened): Promise<void> => {
  made(await requestDisable(wallets.database, acme, opened.walletId));
  await look(opened);
};
const silence = async (opened: Opened): Promise<void> => {
  await daysPass(20);
  await look(opened);
};

type State =
  | "Draft"
  | "Filled"
  | "ActivationRequested"
  | "Active"
  | "Rejected"
  | "DisableRequested before an answer"
  | "DisableRequested from Active"
  | "Disabled"
  | `${"Draft" | "Filled" | "ActivationRequested" | "Active" | "Rejected"} after a lapse`;

/** How a mandate comes into each state; of those with a lapse the first request is the one that lapsed. */
const states: Readonly<Record<State, () => Promise<Opened>>> = {
  Draft: open,
  Filled: async () => {
    const opened = await open();
    await fill(opened);
    return opened;
  },
  ActivationRequested: async () => {
    const opened = await open();
    await sign(opened);
    return opened;
  },
  Active: async () => {
    const opened = await states.ActivationRequested();
    await answerActivation(opened, "accepted");
    return opened;
  },
  Rejected: async () => {
    const opened = await states.ActivationRequested();
    await answerActivation(opened, "refused");
    return opened;
  },
  "DisableRequested before an answer": async () => {
    const opened = await states.ActivationRequested();
    await disable(opened);
    return opened;
  },
  "DisableRequested from Active": async () => {
    const opened = await states.Active();
    await disable(opened);
    return opened;
  },
  Disabled: async () => {
    const opened = await states["DisableRequested before an answer"]();
    await answer(opened, await lastOf(opened, "mandateRevocation"), "accepted");
    return opened;
  },
  "Draft after a lapse": async () => {
    const opened = await states.ActivationRequested();
    await silence(opened);
    return opened;
  },
  "Filled after a lapse": async () => {
    const opened = await states["Draft after a lapse"]();
    await fill(opened);
    return opened;
  },
  "ActivationRequested after a lapse": async () => {
    const opened = await states["Draft after a lapse"]();
    await sign(opened);
    return opened;
  },
  "Active after a lapse": async () => {
    const opened = await states["ActivationRequested after a lapse"]();
    await answerActivation(opened, "accepted");
    return opened;
  },
  "Rejected after a lapse": async () => {
    const opened = await states["ActivationRequested after a lapse"]();
    await answerActivation(opened, "refused");
    return opened;
  },
};

const first = async (opened: Opened): Promise<AskedOfBank> => {
  const [request] = await asked(opened);
  if (request === undefined) throw new Error("the bank was asked for nothing");
  return request;
};

/** What the first request hears, from the bank or from nobody, and what else happens to a mandate. */
const events = {
  accepted: async (opened: Opened) => answer(opened, await first(opened), "accepted"),
  "accepted twice": async (opened: Opened) => {
    await answer(opened, await first(opened), "accepted");
    await answer(opened, await first(opened), "accepted");
  },
  refused: async (opened: Opened) => answer(opened, await first(opened), "refused", "MS03"),
  "refused, then accepted": async (opened: Opened) => {
    await answer(opened, await first(opened), "refused", "MS03");
    await answer(opened, await first(opened), "accepted");
  },
  silence,
  disable,
  close: async (opened: Opened) => {
    made(await suspendWallet(wallets.database, acme, opened.walletId));
    const rule = { requiresZeroBalance: false };
    made(await closeWallet(wallets.database, acme, opened.walletId, rule));
    await look(opened);
  },
  "IBAN removed": async (opened: Opened) => {
    made(await deleteIban(wallets.database, acme, opened.walletId));
    await look(opened);
  },
} satisfies Record<string, (opened: Opened) => Promise<void>>;

/** State, event, the status afterwards, and how many revocations the bank is asked for by then. */
const table: readonly (readonly [State, keyof typeof events, MandateStatus, number])[] = [
  ["Draft", "disable", "Cancelled", 0],
  ["Draft", "close", "Cancelled", 0],
  ["Filled", "close", "Cancelled", 0],
  ["Filled", "IBAN removed", "Cancelled", 0],
  ["ActivationRequested", "accepted", "Active", 0],
  ["ActivationRequested", "accepted twice", "Active", 0],
  ["ActivationRequested", "refused", "Rejected", 0],
  ["ActivationRequested", "silence", "Draft", 0],
  ["ActivationRequested", "disable", "DisableRequested", 1],
  ["ActivationRequested", "close", "DisableRequested", 1],
  ["ActivationRequested", "IBAN removed", "DisableRequested", 1],
  ["Active", "accepted", "Active", 0],
  ["Active", "refused", "Active", 0],
  ["Active", "close", "DisableRequested", 1],
  ["Active", "IBAN removed", "DisableRequested", 1],
  ["DisableRequested before an answer", "accepted", "DisableRequested", 1],
  ["DisableRequested before an answer", "refused", "Disabled", 1],
  ["DisableRequested before an answer", "refused, then accepted", "Disabled", 2],
  ["DisableRequested before an answer", "close", "DisableRequested", 1],
  ["DisableRequested from Active", "accepted", "DisableRequested", 1],
  ["Rejected", "accepted", "Rejected", 1],
  ["Rejected", "close", "Rejected", 0],
  ["Disabled", "accepted", "Disabled", 2],
  ["Disabled", "accepted twice", "Disabled", 2],
  ["Disabled", "refused", "Disabled", 1],
  ["Draft after a lapse", "accepted", "Draft", 1],
  ["Draft after a lapse", "accepted twice", "Draft", 1],
  ["Draft after a lapse", "refused", "Draft", 0],
  ["Draft after a lapse", "disable", "DisableRequested", 1],
  ["Draft after a lapse", "close", "DisableRequested", 1],
  ["Filled after a lapse", "accepted", "Filled", 1],
  ["Filled after a lapse", "disable", "DisableRequested", 1],
  ["Filled after a lapse", "IBAN removed", "DisableRequested", 1],
  ["ActivationRequested after a lapse", "accepted", "ActivationRequested", 1],
  ["ActivationRequested after a lapse", "refused", "ActivationRequested", 0],
  ["ActivationRequested after a lapse", "disable", "DisableRequested", 2],
  ["ActivationRequested after a lapse", "silence", "Draft", 0],
  ["Active after a lapse", "accepted", "Active", 1],
  ["Active after a lapse", "disable", "DisableRequested", 2],
  ["Rejected after a lapse", "accepted", "Rejected", 1],
];

test.each(table)("%s, %s: %s, revocations asked for: %i", async (state, event, status, count) => {
  const opened = await states[state]();
  const before = await present(opened);
  await events[event](opened);
  const after = await present(opened);
  const told = await revocations(opened);
  expect({ status: after.mandate.status, revocations: told.length }).toEqual({
    status,
    revocations: count,
  });
  const isLate = event.startsWith("accepted") && before.mandate.status === status && count > 0;
  if (isLate && !state.startsWith("DisableRequested"))
    expect(after.mandate.lastError).toBe(`LateAcceptance: ${(await first(opened)).reference}`);

  // Once the bank has answered, it knows of nothing that we do not.
  for (const { requestId } of await revocations(opened))
    await bankSays(wallets.database, requestId, "accepted");
  await look(opened);
  const ended = (await present(opened)).mandate.status;
  expect(ended).toBe(status === "DisableRequested" ? "Disabled" : status);
  const due = await dueFlows(wallets.database, null, 10_000);
  const waits = due.some(({ mandateId }) => mandateId === opened.mandateId);
  expect(waits).toBe(["ActivationRequested", "Active"].includes(ended));
});

describe("signing after a lapse", () => {
  test("has a reference and a document of its own; the lapse says that the bank was silent", async () => {
    const opened = await states["Draft after a lapse"]();
    const lapsed = await present(opened);
    expect(lapsed.mandate).toMatchObject({ status: "Draft", lastError: "BankSilent" });
    const [before] = await asked(opened);
    await sign(opened);
    const again = await lastOf(opened, "mandateActivation");
    expect(again.reference).toMatch(/^BRS[0-9A-F]{32}$/);
    expect(again.reference).not.toBe(before?.reference);
    expect((await present(opened)).mandate.mandateUniqueReference).toBe(again.reference);
    expect((await present(opened)).documentKey).not.toBe(lapsed.documentKey);
  });

  test("disabling revokes what was asked for, not what never was", async () => {
    const opened = await states["Filled after a lapse"]();
    const { reference } = await first(opened);
    await disable(opened);
    expect((await revocations(opened)).map((request) => request.reference)).toEqual([reference]);
  });

  test("of several references each is revoked, and the last answer disables the mandate", async () => {
    const opened = await states["ActivationRequested after a lapse"]();
    await disable(opened);
    const [one, other] = await revocations(opened);
    if (one === undefined || other === undefined) throw new Error("not both are revoked");
    await answer(opened, one, "accepted");
    expect((await present(opened)).mandate.status).toBe("DisableRequested");
    await answer(opened, other, "refused", "MD01");
    expect((await present(opened)).mandate.status).toBe("Disabled");
  });

  test("what the bank has refused late needs no revocation any more", async () => {
    const opened = await states["Draft after a lapse"]();
    await events.refused(opened);
    await disable(opened);
    expect(await revocations(opened)).toEqual([]);
    expect((await present(opened)).mandate.status).toBe("Disabled");
  });
});

describe("revoking", () => {
  test("a refusal is asked anew on the next bank day, under another id", async () => {
    const opened = await states["DisableRequested from Active"]();
    await answer(opened, await lastOf(opened, "mandateRevocation"), "refused", "AM05");
    expect(await revocations(opened)).toHaveLength(1);
    await daysPass(5);
    await look(opened);
    const [one, other, ...more] = await revocations(opened);
    expect(more).toEqual([]);
    expect(other?.reference).toBe(one?.reference);
    expect(other?.requestId).not.toBe(one?.requestId);
    await answer(opened, await lastOf(opened, "mandateRevocation"), "accepted");
    expect((await present(opened)).mandate).toMatchObject({ status: "Disabled", lastError: null });
  });

  test("silence is asked again under the same id, as often as it takes", async () => {
    const opened = await states["DisableRequested from Active"]();
    const before = await revocations(opened);
    for (let round = 2; round <= 7; round += 1) {
      await silence(opened);
      expect(await revocations(opened)).toEqual(
        before.map((request) => ({ ...request, messages: round })),
      );
    }
  });

  test.each(["DisableRequested from Active", "DisableRequested before an answer"] as const)(
    "that the bank does not know the mandate ends it (%s)",
    async (state) => {
      const opened = await states[state]();
      await answer(opened, await lastOf(opened, "mandateRevocation"), "refused", "MD01");
      expect((await present(opened)).mandate).toMatchObject({
        status: "Disabled",
        lastError: null,
      });
    },
  );

  test("that the bank does not know it ends nothing where it accepted it meanwhile", async () => {
    const opened = await states["DisableRequested before an answer"]();
    await events.accepted(opened);
    await answer(opened, await lastOf(opened, "mandateRevocation"), "refused", "MD01");
    expect((await present(opened)).mandate.status).toBe("DisableRequested");
    await daysPass(5);
    await look(opened);
    expect(await revocations(opened)).toHaveLength(2);
    await answer(opened, await lastOf(opened, "mandateRevocation"), "refused", "MD01");
    expect((await present(opened)).mandate.status).toBe("Disabled");
  });

  test("the fifth refusal in a row disables it and leaves the reason for a person", async () => {
    const opened = await states["DisableRequested from Active"]();
    for (let round = 1; round <= 5; round += 1) {
      expect((await present(opened)).mandate.status).toBe("DisableRequested");
      await answer(opened, await lastOf(opened, "mandateRevocation"), "refused", "AM05");
      await daysPass(5);
      await look(opened);
    }
    expect(await revocations(opened)).toHaveLength(5);
    expect((await present(opened)).mandate).toMatchObject({
      status: "Disabled",
      lastError: "RevocationRefused: AM05",
    });
  });

  test("answers that come twice, and an acceptance after all else, end it once", async () => {
    const opened = await states["DisableRequested from Active"]();
    const request = await lastOf(opened, "mandateRevocation");
    await answer(opened, request, "accepted");
    const settled = await present(opened);
    await answer(opened, request, "accepted");
    await answer(opened, request, "refused", "AM05");
    expect(await present(opened)).toEqual(settled);
  });
});

test("a wallet's partner hears of each change of status, in order, with the one before", async () => {
  const opened = await states["Draft after a lapse"]();
  await sign(opened);
  await answerActivation(opened, "accepted");
  await disable(opened);
  await answer(opened, (await revocations(opened))[0] ?? (await first(opened)), "accepted");
  await answer(opened, await lastOf(opened, "mandateRevocation"), "accepted");
  const told = (await outboxOf(wallets.database, opened.walletId))
    .filter(({ subject }) => subject === "MandateStatusChanged")
    .map(({ destinations, body }) => ({ destinations, ...MandateEvent.parse(body) }));
  expect(told.map(({ previousStatus, status }) => `${previousStatus} ${status}`)).toEqual([
    "Draft Filled",
    "Filled ActivationRequested",
    "ActivationRequested Draft",
    "Draft Filled",
    "Filled ActivationRequested",
    "ActivationRequested Active",
    "Active DisableRequested",
    "DisableRequested Disabled",
  ]);
  for (const { destinations, mandateId, walletId, partnerKey } of told)
    expect({ destinations, mandateId, walletId, partnerKey }).toEqual({
      destinations: ["acme", "platform-events"],
      partnerKey: "acme",
      ...opened,
    });
});
