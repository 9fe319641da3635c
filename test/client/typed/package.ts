/** What compiles against the package's types, and what must not. */
import {
  createClient,
  valueOf,
  type CreateWalletInput,
  type Operation,
  type Wallet,
} from "@borsello/client";

const client = createClient({
  baseUrl: "http://127.0.0.1:7071",
  partner: "acme",
  clientId: "acme-client",
  clientSecret: "acme-local-secret",
  authKey: "acme-local-authkey",
  onAttempt: (report) => {
    const status: number | null = report.status;
    // @ts-expect-error: nothing of what was sent is told
    report.body;
  },
});

const mario: CreateWalletInput = {
  taxId: "RSSMRA85T10A562S",
  firstName: "Mario",
  lastName: "Rossi",
  phoneNumber: "+393331234567",
  email: "mario.rossi@example.com",
  originatingDealerKey: "dealer-rome",
};

const created = await client.wallet.createWallet(mario, { idempotencyKey: "mario-rossi-0001" });
// @ts-expect-error: there is a value only once it is known that there is no refusal
created.value;
if (created.ok) {
  const wallet: Wallet = created.value;
  const status: "Active" | "Suspended" | "Closed" = wallet.status;
  // @ts-expect-error: not a status of wallets
  const isOpen = status === "Open";
  // @ts-expect-error: not a field of wallets
  wallet.balance;
} else {
  switch (created.error.code) {
    case "TaxIdInvalid": {
      const status: 400 = created.error.status;
      const fault: string = created.error.properties.fault;
      // @ts-expect-error: a property of other refusals
      created.error.properties.email;
      // @ts-expect-error: a refusal of another status
      const conflict: 409 = created.error.status;
      break;
    }
    case "IdempotencyKeyInUse": {
      const status: 409 = created.error.status;
      break;
    }
    // @ts-expect-error: not a refusal of this call
    case "InsufficientBalance":
      break;
    case "ValidationFailed": {
      const pointers: readonly string[] = Object.keys(created.error.properties);
      const sentence: string | undefined = created.error.properties["/taxId"];
      break;
    }
    default: {
      const word: string = created.error.code;
      // @ts-expect-error: not every refusal has it
      created.error.properties.fault;
    }
  }
}

// @ts-expect-error: fields are missing
await client.wallet.createWallet({ taxId: "RSSMRA85T10A562S" });
// @ts-expect-error: not a field of wallets
await client.wallet.createWallet({ ...mario, nickname: "Mario" });
// @ts-expect-error: a call that creates nothing takes no key
await client.wallet.getWallet({ walletId: "w" }, { idempotencyKey: "mario-rossi-0001" });
// @ts-expect-error: not a call
await client.wallet.deleteEverything();
await client.wallet.getStatement({ walletId: "w" }, { accept: "application/pdf" });
// @ts-expect-error: not a media type of statements
await client.wallet.getStatement({ walletId: "w" }, { accept: "image/png" });

for await (const operation of client.wallet.listOperations({ walletId: "w", type: "Payment" })) {
  const record: Operation = operation;
}
// @ts-expect-error: not a type of operations
client.wallet.listOperations({ walletId: "w", type: "Gift" });
const page = valueOf(await client.wallet.listOperations({ walletId: "w", tag: { till: "3" } }));
const total: number = page.totalCount;
for await (const change of client.card.getCardHistory({ cardId: "c" })) {
  const actor: string = change.actor;
}

const confirmed = await client.wallet.confirmPayment({ walletId: "w", operationId: "o" });
if (!confirmed.ok && confirmed.error.code === "LimitExceeded") {
  const { limitName, remainingAmountToLimit } = confirmed.error.properties;
  const said: string = `${limitName}: ${remainingAmountToLimit} left`;
  const ofGroup: string | undefined = confirmed.error.properties.operationId;
  // @ts-expect-error: only where the operation is confirmed with its group
  const always: string = confirmed.error.properties.operationId;
  // @ts-expect-error: no property of this refusal
  confirmed.error.properties.limitname;
}

const ticket = await client.ticketing.getTicket({ casenumber: "1" });
if (!ticket.ok && ticket.error.status === 404) {
  const status: 404 = ticket.error.status;
  // @ts-expect-error: ticketing says no codes
  const code: string = ticket.error.code;
}

// @ts-expect-error: a moment is a text
await client.sandbox.moveClock({ now: 5 });
