/** Whatever bytes come, the broker goes on: no crash, no hang, no memory that is not given back, no neighbour disturbed. */
import { expect, test } from "vitest";
import { fuzzBroker } from "../../support/broker/broker-fuzz.js";

test("five seconds of hostile peers leave the broker and its neighbours as they were", async () => {
  const { peers, told, exchanges } = await fuzzBroker(20_261_122, 5_000);
  expect(peers).toBeGreaterThan(10);
  expect(exchanges).toBeGreaterThan(0);
  expect(Object.keys(told).length).toBeGreaterThan(3);
}, 90_000);
