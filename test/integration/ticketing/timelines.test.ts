/** Remembered timelines are what the database holds, whatever came between two readings. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { TimelineItem } from "../../../shared/contracts/ticketing/tickets.js";
import { addComment } from "../../../shared/database/ticketing/changes.js";
import { rememberedTimelines } from "../../../shared/database/ticketing/timelines.js";
import {
  acmeActor,
  globexActor,
  openTicket,
  operator,
} from "../../support/ticketing/ticket-fixtures.js";
import { made, openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let tickets: WalletTest;
beforeAll(async () => {
  tickets = await openWalletTest();
});
afterAll(() => tickets.end());

const comment = (caseNumber: string, text: string) =>
  addComment(tickets.database, acmeActor, caseNumber, text);
/** Read by nobody who remembers anything. */
const fresh = async (caseNumber: string): Promise<string> =>
  made(await rememberedTimelines().read(tickets.database, acmeActor, caseNumber));

test("each reading holds all entries so far, in their order, by however many it is read and written", async () => {
  const timelines = rememberedTimelines();
  const caseNumber = await openTicket(tickets.database);
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([
      ...Array.from({ length: 4 }, (_, place) => comment(caseNumber, `${round}.${place} "<,>`)),
      ...Array.from({ length: 4 }, () => timelines.read(tickets.database, acmeActor, caseNumber)),
    ]);
    const read = made(await timelines.read(tickets.database, acmeActor, caseNumber));
    expect(read).toBe(await fresh(caseNumber));
    expect((JSON.parse(read) as unknown[]).length).toBe(1 + 4 * (round + 1));
  }
});

test("entries that come at the same time are dated in their order", async () => {
  const caseNumber = await openTicket(tickets.database);
  await Promise.all(Array.from({ length: 80 }, (_, place) => comment(caseNumber, String(place))));
  const items = z.array(TimelineItem).parse(JSON.parse(await fresh(caseNumber)));
  const dates = items.map(({ createdon }) => createdon);
  expect(dates.length).toBe(81);
  expect(dates).toEqual(dates.toSorted());
});

test("what is remembered for its owner stays unknown to another partner, and not to operators", async () => {
  const timelines = rememberedTimelines();
  const caseNumber = await openTicket(tickets.database);
  const read = await timelines.read(tickets.database, acmeActor, caseNumber);
  expect(await timelines.read(tickets.database, globexActor, caseNumber)).toMatchObject({
    code: "TicketNotFound",
  });
  expect(await timelines.read(tickets.database, operator, caseNumber)).toEqual(read);
});

test("a memory that is too small forgets, and still answers everything", async () => {
  const timelines = rememberedTimelines(300);
  const caseNumbers = [];
  for (let place = 0; place < 5; place += 1) caseNumbers.push(await openTicket(tickets.database));
  for (let round = 0; round < 3; round += 1)
    for (const caseNumber of caseNumbers) {
      await comment(caseNumber, `Numero ${round}`);
      const read = made(await timelines.read(tickets.database, acmeActor, caseNumber));
      expect(read).toBe(await fresh(caseNumber));
    }
});
