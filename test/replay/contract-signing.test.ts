/** Plays the contract's signing to both of its ends. */
import { expect, test } from "vitest";
import { contractSigning } from "../../orchestrations/contract-signing.flow.js";
import { play, type Answers } from "./play.js";

const input = { walletId: "0190a6b0-5a51-7000-8000-000000000001", attempt: 1 };
const done = () => ({ result: "done" });
const over = () => ({ result: "over" });
const everything: Answers = {
  fillContractPdf: done,
  sealContractPdf: done,
  concludeContract: done,
};

test("a contract is filled, sealed, then stored", async () => {
  const played = await play({ flow: contractSigning, input, answers: everything });
  expect(played.steps).toEqual(["fillContractPdf", "sealContractPdf", "concludeContract"]);
  expect(played.statuses).toEqual([
    "Filling the contract",
    "Sealing the contract",
    "Storing the signed contract",
    "The contract is signed",
  ]);
  expect(played.output).toEqual({ status: "Signed" });
});

test.each(["fillContractPdf", "sealContractPdf", "concludeContract"])(
  "a contract declined before %s is not signed",
  async (stage) => {
    const answers = { ...everything, [stage]: over };
    const played = await play({ flow: contractSigning, input, answers });
    expect(played.steps.at(-1)).toBe(stage);
    expect(played.output).toEqual({ status: "Declined" });
  },
);

test("an outage while sealing repeats the sealing alone", async () => {
  let attempts = 0;
  const flaky = () => {
    attempts += 1;
    if (attempts < 3) throw new Error("no connection");
    return done();
  };
  const answers = { ...everything, sealContractPdf: flaky };
  const played = await play({ flow: contractSigning, input, answers });
  expect(played.steps).toEqual([
    "fillContractPdf",
    "sealContractPdf",
    "sealContractPdf",
    "sealContractPdf",
    "concludeContract",
  ]);
  expect(played.output).toEqual({ status: "Signed" });
});
