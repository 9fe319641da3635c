/** Sends what a file says to the queues that the bank's messages come by; twice is as good as once. */
import type { BankFileItem } from "../../shared/bank/iso20022/read-bank-file.js";
import { bankQueues } from "../../shared/contracts/platform/bank-messages.js";
import { askedByFile, askedOf, type AskedOrder } from "../../shared/database/bank/orders.js";
import { sendNow, type OutgoingMessage } from "../../shared/events/service-bus.js";
import type { Services } from "../kit/services.js";
import { requestIdOf } from "./plan-order.js";
import { outcomeOfSaid, saidByEntry } from "./said-by-file.js";

type Means = Pick<Services, "database" | "bus" | "logger">;

/** Of one file: its mark, and how many messages it has brought so far. */
export interface Saying {
  readonly mark: string;
  count: number;
}

const pageOf = 1_000;
const firstId = "00000000-0000-0000-0000-000000000000";

const subjects = {
  [bankQueues.outcomes]: "BankOutcome",
  [bankQueues.notifications]: "BankNotification",
} as const;
type Queue = keyof typeof subjects;

const named = (item: BankFileItem): string | undefined => {
  if (item.is === "orderStatus") return requestIdOf(item.endToEndId);
  return item.is === "notified" ? requestIdOf(item.entry.endToEndId) : undefined;
};

/** A status of a whole file is one of each order in it. */
const sayOfFile = async (
  { database }: Means,
  item: BankFileItem & { is: "fileStatus" },
  tell: (queue: Queue, body: object) => Promise<void>,
): Promise<void> => {
  const fileId = requestIdOf(item.messageId);
  if (fileId === undefined) return;
  const { status, reasonCode } = item;
  for (let after = firstId; ;) {
    const asked = await askedByFile(database, fileId, after, pageOf);
    for (const order of asked) {
      const outcome = outcomeOfSaid(order, { status, reasonCode, reference: null });
      if (outcome !== undefined) await tell(bankQueues.outcomes, outcome);
    }
    const last = asked.at(-1);
    if (last === undefined || asked.length < pageOf) return;
    after = last.requestId;
  }
};

export const sayItems = async (
  means: Means,
  saying: Saying,
  items: readonly BankFileItem[],
): Promise<void> => {
  const { database, bus, logger } = means;
  const waiting: Record<Queue, OutgoingMessage[]> = {
    [bankQueues.outcomes]: [],
    [bankQueues.notifications]: [],
  };
  const flush = async (queue: Queue): Promise<void> => {
    const messages = waiting[queue];
    waiting[queue] = [];
    if (messages.length > 0) await sendNow(bus, queue, messages);
  };
  const tell = async (queue: Queue, body: object): Promise<void> => {
    saying.count += 1;
    waiting[queue].push({
      messageId: `${saying.mark}-${saying.count.toString()}`,
      subject: subjects[queue],
      body: JSON.stringify(body),
    });
    if (waiting[queue].length === pageOf) await flush(queue);
  };
  const ids = items.map(named).filter((id) => id !== undefined);
  const asked = new Map<string, AskedOrder>(
    ids.length === 0
      ? []
      : (await askedOf(database, ids)).map((order) => [order.requestId, order] as const),
  );
  for (const item of items) {
    const order = asked.get(named(item) ?? "");
    switch (item.is) {
      case "fileStatus":
        await sayOfFile(means, item, tell);
        break;
      case "orderStatus": {
        const outcome = order === undefined ? undefined : outcomeOfSaid(order, item);
        if (outcome !== undefined) await tell(bankQueues.outcomes, outcome);
        break;
      }
      case "notified": {
        const said = saidByEntry(item, order);
        if (said.is === "outcome") await tell(bankQueues.outcomes, said.outcome);
        else if (said.is === "notification")
          await tell(bankQueues.notifications, said.notification);
        else if (said.is === "contradiction")
          logger.error("The bank booked another amount than was asked for: a person should look.", {
            requestId: order?.requestId,
            cents: item.entry.cents.toString(),
          });
        break;
      }
      case "statement":
      case "booked":
        break;
    }
  }
  await flush(bankQueues.outcomes);
  await flush(bankQueues.notifications);
};
