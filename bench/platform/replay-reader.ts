/** Reads a partner's topic while its log is replayed onto it: counts and compares, and keeps no body. */
import { createHash } from "node:crypto";
import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { z } from "zod";
import { receivedDeviations } from "./event-check.js";
import { loggedId } from "./event-log.js";
import { partnerConnectionString } from "./topic-reader.js";

/** Messages that the broker may send ahead of what has been dealt with. */
const callsAtOnce = 200;
/** Holding one against the catalogue costs more than receiving it. */
const checkedEvery = 100;
const toldMax = 10;

const Properties = z.object({ sequence: z.int().positive() });
const Body = z.object({ id: z.string(), messageCreationDate: z.iso.datetime() });

export interface ReplayReader {
  /** Different events of the log that have come anew. */
  readonly replayed: () => number;
  /** Of all events that are not of the replay: from their change to here, in milliseconds. */
  readonly delaysMs: readonly number[];
  /** Numbers below the highest that has come which have not; how often one came again; and, of first times, how many came after a higher number. */
  readonly missing: () => number;
  readonly repeats: () => number;
  readonly late: () => number;
  /** Rejects where something was wrong with a message. */
  stop(): Promise<void>;
}

/** By the partner's own key, each message gone from the topic as it is handed over. */
export const readReplay = (
  brokerConnectionString: string,
  partner: string,
  logged: number,
): ReplayReader => {
  const client = new ServiceBusClient(partnerConnectionString(brokerConnectionString, partner));
  const receiver = client.createReceiver(partner, partner, { receiveMode: "receiveAndDelete" });
  const [seen, hashes] = [new Uint8Array(logged + 1), new Uint32Array(logged + 1)];
  const delaysMs: number[] = [];
  const wrong: string[] = [];
  let [replayed, repeats, late, highest, received] = [0, 0, 0, 0, 0];

  const hearReplayed = (sequence: number, message: ServiceBusReceivedMessage): void => {
    const { id } = Body.parse(message.body);
    if (id !== loggedId(sequence) || message.messageId !== `${id}#1`)
      wrong.push(`number ${sequence} came as ${id} in ${String(message.messageId)}`);
    const hash = createHash("sha1").update(JSON.stringify(message.body)).digest().readUInt32LE();
    if (seen[sequence] === 1) {
      repeats += 1;
      if (hashes[sequence] !== hash) wrong.push(`number ${sequence} came with two bodies`);
      return;
    }
    seen[sequence] = 1;
    hashes[sequence] = hash;
    replayed += 1;
    if (sequence < highest) late += 1;
    highest = Math.max(highest, sequence);
  };

  receiver.subscribe(
    {
      processMessage: async (message) => {
        received += 1;
        const { sequence } = Properties.parse(message.applicationProperties);
        if (sequence <= logged) hearReplayed(sequence, message);
        else {
          const { messageCreationDate } = Body.parse(message.body);
          delaysMs.push(Date.now() - Date.parse(messageCreationDate));
        }
        if (received % checkedEvery === 1) wrong.push(...receivedDeviations(message));
      },
      processError: async ({ error }) => void wrong.push(error.message),
    },
    { maxConcurrentCalls: callsAtOnce },
  );
  return {
    replayed: () => replayed,
    delaysMs,
    missing: () => highest - replayed,
    repeats: () => repeats,
    late: () => late,
    stop: async () => {
      await receiver.close();
      await client.close();
      if (wrong.length > 0)
        throw new Error(`${wrong.length} faults, such as:\n${wrong.slice(0, toldMax).join("\n")}`);
    },
  };
};
