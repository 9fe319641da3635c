/** The platform dies right after a flow's deed, before anybody wrote it down: it is done once. */
import { afterEach, expect, test } from "vitest";
import { partnerAt, type Owner, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { rowsOf } from "../support/database/connections.js";

let stack: TestStack | undefined;

afterEach(async () => {
  await stack?.stop();
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Everything that would be doubled if a deed were done twice. */
const traceOf = async (databaseUrl: string, { walletId }: Owner): Promise<unknown> => {
  const [row] = await rowsOf(
    databaseUrl,
    `select
       (select count(*) from borsello.operation where wallet_id = $1)::int as credits,
       (select sum(balance_cents) from borsello.bucket where wallet_id = $1)::int as cents,
       (select count(*) from borsello.bank_request
        where wallet_id = $1 and kind = 'mandateActivation')::int as requests,
       (select count(*) from borsello.audit
        where entity = 'Contract' and entity_id = $1::text and action = 'sign')::int as signatures,
       (select count(*) from borsello.audit
        where entity = 'Onboarding' and entity_id = $1::text and action = 'end')::int as ends`,
    [walletId],
  );
  return row;
};

/** The call that leads to the deed may be cut by the death; the flow goes on without it. */
const cutShort = (call: Promise<unknown>): Promise<unknown> => call.catch(() => undefined);

const onboardUntil = async (acme: Partner, owner: Owner): Promise<void> => {
  await acme.pay(owner, await acme.setIban(owner));
  await acme.stepBecomes(owner, "ibanValidation", "Completed");
  await acme.signContract(owner);
  await acme.initialiseMandate(owner, 25);
  await acme.signMandate(owner);
};

/** Goes on wherever the death left the wallet. */
const onboardRest = async (acme: Partner, owner: Owner): Promise<void> => {
  await acme.stepBecomes(owner, "ibanValidation", "Completed");
  await acme.signContract(owner);
  await cutShort(acme.initialiseMandate(owner, 25));
  await cutShort(acme.signMandate(owner));
  await acme.onboardingBecomes(owner, "Completed");
};

// The second hit strikes: after the restart the deed is repeated, and that is the first hit again.
test.each(["matchFirstSct", "concludeContract", "requestMandateActivation"])(
  "killed after %s, it goes on and does nothing twice",
  async (activity) => {
    stack = await startTestStack({ environment: { FAULT_POINTS: `activity.${activity}.done:2` } });
    const acme = partnerAt(stack, "acme");
    const spared = await acme.openWallet();
    await onboardUntil(acme, spared);
    await acme.onboardingBecomes(spared, "Completed");
    const struck = await acme.openWallet();
    const { pid } = stack;
    const onboarding = cutShort(onboardUntil(acme, struck));
    await expect.poll(() => isAlive(pid)).toBe(false);
    await stack.restart();
    await onboarding;
    await onboardRest(acme, struck);
    const once = { credits: 1, cents: 100, requests: 1, signatures: 1, ends: 1 };
    expect(await traceOf(stack.databaseUrl, struck)).toEqual(once);
    expect(await traceOf(stack.databaseUrl, spared)).toEqual(once);
  },
);
