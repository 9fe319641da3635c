/** An affiliate that does not answer is asked only now and then, by one call at a time. */
import { expect, test } from "vitest";
import { breaker } from "../../../shared/affiliates/breaker.js";

const observed = () => {
  const said: string[] = [];
  let now = 0;
  const health = breaker({
    nowMs: () => now,
    onOpen: (reason) => said.push(`open: ${reason}`),
    onClose: () => said.push("closed"),
  });
  const silence = (times: number): void => {
    for (let n = 0; n < times; n += 1) health.admit()?.silent("it did not answer in time");
  };
  return { health, said, silence, pass: (ms: number) => void (now += ms) };
};

test("ten calls in a row without an answer end the calls; one answer between them does not", () => {
  const { health, said, silence } = observed();
  silence(9);
  health.admit()?.heard();
  silence(9);
  expect(health.admit()?.isProbe).toBe(false);
  silence(1);
  expect(health.admit()).toBeUndefined();
  expect(said).toEqual(["open: it did not answer in time"]);
});

test("one call at a time finds out whether it is back, less and less often, and then all may call", () => {
  const { health, said, silence, pass } = observed();
  silence(10);
  for (const restMs of [1_000, 2_000, 4_000, 5_000, 5_000]) {
    pass(restMs - 1);
    expect(health.admit()).toBeUndefined();
    pass(1);
    const probe = health.admit();
    expect(probe?.isProbe).toBe(true);
    expect(health.admit()).toBeUndefined();
    probe?.silent("it was not reached");
  }
  pass(5_000);
  health.admit()?.heard();
  expect(health.admit()?.isProbe).toBe(false);
  expect(said).toEqual(["open: it did not answer in time", "closed"]);
  // From then on it is as at the beginning.
  silence(10);
  pass(1_000);
  expect(health.admit()?.isProbe).toBe(true);
});

test("calls that were under way when it opened count no more, and an answer to one of them closes it", () => {
  const { health, said, silence } = observed();
  const before = [health.admit(), health.admit()];
  silence(10);
  before[0]?.silent("it did not answer in time");
  expect(said).toHaveLength(1);
  before[1]?.heard();
  expect(health.admit()?.isProbe).toBe(false);
  expect(said).toEqual(["open: it did not answer in time", "closed"]);
});
