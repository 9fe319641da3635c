/** What a trigger and the pump that brings its messages know of each other. */
import type { ProcessErrorArgs, ServiceBusReceivedMessage } from "@azure/service-bus";
import type { HostLog } from "../app/log.js";
import { errorText } from "../../failures.js";
import { withTimeLimit } from "../app/time-limit.js";
import type { ServiceBusConfig } from "../settings/host-json.js";
import type { EntityAddress } from "./connections.js";

/** One trigger at work: what it receives from, and what it does with messages. */
export interface Consumer {
  readonly name: string;
  readonly address: EntityAddress;
  readonly config: ServiceBusConfig;
  readonly log: HostLog;
  /** Runs the function; rejects where it failed. */
  run(messages: readonly ServiceBusReceivedMessage[]): Promise<void>;
}

export interface Pump {
  /** Takes no more messages, finishes those in work, closes what it opened. */
  stop(): Promise<void>;
}

/** The client waits for a minute where the broker is silent, and for ever where it goes meanwhile. */
const closeLimitMs = 2_000;

export const warn = ({ log, name }: Consumer, message: string): void =>
  log.host("warning", "ServiceBus", `${name}: ${message}`);

/** What went wrong between messages; the client reconnects by itself. */
export const logReceiveError = (
  consumer: Consumer,
  { error, errorSource }: Pick<ProcessErrorArgs, "error" | "errorSource">,
): void => warn(consumer, `${errorSource}: ${error.message}`);

/** Closes a receiver or a subscription; one that cannot be closed is left to the broker's own limits. */
export const closeReceiver = async (
  consumer: Consumer,
  receiver: { close(): Promise<void> },
): Promise<void> => {
  try {
    await withTimeLimit(closeLimitMs, "Closing a receiver", receiver.close());
  } catch (error) {
    warn(consumer, `not closed: ${errorText(error)}`);
  }
};
