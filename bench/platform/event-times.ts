/** How long events take from the change that they report to the partner's receiver. */
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { z } from "zod";
import { partnerConnectionString } from "./topic-reader.js";

const Dated = z.object({ messageCreationDate: z.iso.datetime() });

const quietMs = 1_000;
/** With one hand the client asks for each message only once it has the one before: that would be what is timed. */
const handsMax = 100;

export interface EventTimes {
  /** Of all events so far. */
  readonly delaysMs: readonly number[];
  /** Resolves once none has come for a while. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

/** Takes every message of the partner's subscription as it comes, without a settlement that could hold up the next. */
export const timeEvents = (brokerConnectionString: string, partner: string): EventTimes => {
  const client = new ServiceBusClient(partnerConnectionString(brokerConnectionString, partner));
  const receiver = client.createReceiver(partner, partner, { receiveMode: "receiveAndDelete" });
  const delaysMs: number[] = [];
  receiver.subscribe(
    {
      processMessage: async ({ body }) => {
        delaysMs.push(Date.now() - Date.parse(Dated.parse(body).messageCreationDate));
      },
      processError: async () => undefined, // the client reconnects by itself
    },
    { maxConcurrentCalls: handsMax },
  );
  return {
    delaysMs,
    quiet: async () => {
      let known = -1;
      while (known < delaysMs.length) {
        known = delaysMs.length;
        await sleep(quietMs);
      }
    },
    stop: async () => {
      await receiver.close();
      await client.close();
    },
  };
};
