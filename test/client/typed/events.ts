/** What compiles against the types of events, and what must not. */
import { readEvents, type BorselloEvent } from "@borsello/client/events";

const handle = (event: BorselloEvent): string => {
  switch (event.type) {
    case "WalletCreated":
      // @ts-expect-error: not a field of this event
      event.body.amount;
      return event.body.firstName;
    case "OperationConfirmed": {
      const amount: number = event.body.amount;
      return event.body.operationId;
    }
    // @ts-expect-error: no such event
    case "WalletVanished":
      return "";
    default:
      return event.type;
  }
};

for await (const event of readEvents({ broker: "Endpoint=sb://", partner: "acme" })) {
  handle(event);
  // @ts-expect-error: not every event has it
  event.body.taxId;
  const missed: number | undefined = event.gap?.from;
}

// @ts-expect-error: whose events is not said
readEvents({ broker: "Endpoint=sb://" });
