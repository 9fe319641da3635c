/** One wallet onboarded through the HTTP API, step by step, as a partner would do it. */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Customer } from "./customers.js";

export interface Answer {
  /** Method and path. */
  readonly call: string;
  readonly status: number;
  readonly body: unknown;
  readonly milliseconds: number;
}

/** How the steps reach the platform; the fault tests pass one that repeats calls cut by a kill. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Hears of each step when it is done. */
export type Tell = (step: string, answer: Answer) => void;

const Created = z.object({ walletId: z.uuid() });
const IbanSet = z.object({
  destinationIban: z.string(),
  transferAmount: z.number(),
  ibanValidationCode: z.string(),
});
const Step = z.object({ name: z.string(), status: z.string(), detail: z.string().nullable() });
const Onboarding = z.object({ status: z.string(), steps: z.array(Step) });
export type OnboardingView = z.infer<typeof Onboarding>;

/** The partner asks soon at first, then less and less often. */
export const firstPollMs = 20;
export const pollMsMax = 200;
const pollGrowth = 1.6;
/** Also for a platform that dies again and again, and stands still for minutes in between. */
const patienceMs = 600_000;

const expect200 = (step: string, answer: Answer): Answer => {
  if (answer.status === 200 || answer.status === 202) return answer;
  throw new Error(`${step}: ${answer.status} ${JSON.stringify(answer.body)}`);
};

/** Polls the onboarding view until it is as wished. */
export const waitForOnboarding = async (
  send: Send,
  walletId: string,
  wished: (view: OnboardingView) => boolean,
): Promise<Answer> => {
  const began = performance.now();
  for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * pollGrowth, pollMsMax)) {
    const answer = expect200(
      "Onboarding",
      await send("GET", `/wallet/wallets/${walletId}/onboarding`),
    );
    const milliseconds = performance.now() - began;
    const view = Onboarding.parse(answer.body);
    if (wished(view)) return { ...answer, milliseconds };
    if (milliseconds > patienceMs)
      throw new Error(`Onboarding of ${walletId} stands still: ${JSON.stringify(view)}`);
    await sleep(pollMs);
  }
};

const stepIs = (name: string, status: string) => (view: OnboardingView) =>
  view.steps.some((step) => step.name === name && step.status === status);

export const createWallet = async (send: Send, customer: Customer): Promise<[string, Answer]> => {
  const answer = expect200("Create", await send("POST", "/wallet/wallets", customer.owner));
  return [Created.parse(answer.body).walletId, answer];
};

/** Sets the IBAN, then has the customer's bank send the transfer that proves it. */
export const validateIban = async (
  send: Send,
  walletId: string,
  customer: Customer,
  tell: Tell,
): Promise<void> => {
  const set = expect200(
    "IBAN",
    await send("PUT", `/wallet/wallets/${walletId}/iban`, { iban: customer.iban, bic: null }),
  );
  const { destinationIban, transferAmount, ibanValidationCode } = IbanSet.parse(set.body);
  tell(
    `set the IBAN; to be proved by ${transferAmount.toFixed(2)} EUR with reason ${ibanValidationCode}`,
    set,
  );
  const transfer = await send("POST", "/sandbox/bank/notifications", {
    type: "IncomingSctStandard",
    debtorName: `${customer.owner.firstName} ${customer.owner.lastName}`,
    debtorIban: customer.iban,
    creditorIban: destinationIban,
    amount: transferAmount,
    reason: ibanValidationCode,
  });
  tell("the customer's bank sends the transfer", expect200("Transfer", transfer));
  const validated = await waitForOnboarding(send, walletId, stepIs("ibanValidation", "Completed"));
  tell("flow ibanValidation matched it: IBAN validated, amount credited", validated);
};

export const signContract = async (send: Send, walletId: string, tell: Tell): Promise<void> => {
  const signed = expect200("Sign", await send("POST", `/wallet/wallets/${walletId}/contract/sign`));
  tell("signed the contract; flow contractSigning filled, sealed and stored the PDF", signed);
  await waitForOnboarding(send, walletId, stepIs("contractSigning", "Completed"));
};

export const activateMandate = async (
  send: Send,
  walletId: string,
  amount: number,
  tell: Tell,
): Promise<void> => {
  const base = `/wallet/wallets/${walletId}/mandate`;
  const draft = await send("POST", base, { amount, frequency: "Monthly" });
  tell(
    `initialised a direct-debit mandate of ${amount.toFixed(2)} EUR a month`,
    expect200("Mandate", draft),
  );
  tell("filled the mandate's PDF", expect200("Fill", await send("PUT", `${base}/fill`)));
  tell(
    "signed the mandate; the SEDA request is on its way",
    expect200("Sign", await send("POST", `${base}/sign`)),
  );
};

/** All of it; resolves when the onboarding is Completed. */
export const onboard = async (send: Send, customer: Customer, tell: Tell): Promise<string> => {
  const [walletId, created] = await createWallet(send, customer);
  tell(`opened wallet ${walletId}`, created);
  await validateIban(send, walletId, customer, tell);
  await signContract(send, walletId, tell);
  await activateMandate(send, walletId, 25, tell);
  tell(
    "the bank accepted the mandate: onboarding Completed",
    await waitForOnboarding(send, walletId, ({ status }) => status === "Completed"),
  );
  return walletId;
};

/** Sends over plain fetch; no repeats. */
export const sender = (url: string, headers: Readonly<Record<string, string>>): Send => {
  return async (method, path, body) => {
    const began = performance.now();
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") ?? false;
    const value: unknown = isJson ? await answer.json() : await answer.arrayBuffer();
    return {
      call: `${method} ${path}`,
      status: answer.status,
      body: value,
      milliseconds: performance.now() - began,
    };
  };
};
