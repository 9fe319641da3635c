/** Every write on a wallet, called in every state of the wallet: what contract 4.2 allows, through HTTP. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { endpointsOf } from "../../functions/endpoints.js";
import type { Route } from "../../shared/contracts/route.js";
import { walletStatuses } from "../../shared/contracts/wallet/wallets.js";
import type { Database } from "../../shared/database/platform/database.js";
import { families, type FamilyType } from "../../shared/domain/operations/families.js";
import { freshKey } from "../support/operations/commands.js";
import {
  operationStates,
  routesOf,
  withoutSettlement,
} from "../support/operations/operation-states.js";
import {
  addressOf,
  clientOf,
  headersOf,
  openStackDatabase,
  send,
} from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { openValidatedWallet, someone } from "../support/wallet/wallet-fixtures.js";
import { walletStates, type Given } from "../support/wallet/wallet-states.js";

let stack: TestStack;
let database: Database;
let token: string;
const { validated, withMandate } = walletStates(() => database);
const operations = operationStates(() => database);

beforeAll(async () => {
  stack = await startTestStack({ environment: withoutSettlement });
  database = openStackDatabase(stack);
  await database.ready();
  token = await clientOf(stack, "acme").token();
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

type Status = (typeof walletStatuses)[number];

/** What the call needs besides the wallet's id. */
interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

interface Write {
  readonly in: readonly Status[];
  /** The refusal in any other state. */
  readonly otherwise: "WalletNotActive" | "WalletNotSuspended" | "WalletNotClosed";
  /** Makes an active wallet on which the command succeeds where the state allows it. */
  readonly given: () => Promise<Input & { readonly walletId: string }>;
}

const active = { in: ["Active"], otherwise: "WalletNotActive" } as const;
const notClosed = { in: ["Active", "Suspended"], otherwise: "WalletNotActive" } as const;
const suspended = { in: ["Suspended"], otherwise: "WalletNotSuspended" } as const;
const closed = { in: ["Closed"], otherwise: "WalletNotClosed" } as const;
const always = { in: walletStatuses, otherwise: "WalletNotActive" } as const;

const wallet =
  (given: Given, input: (walletId: string) => Promise<Input> = async () => ({})) =>
  async () => {
    const walletId = await given();
    return { walletId, ...(await input(walletId)) };
  };

const plain = wallet(validated);

/** The holder's own data, as they are. */
const holder = async () => {
  const person = someone();
  const { walletId } = await openValidatedWallet(database, person);
  const { firstName, lastName, phoneNumber, taxId, email } = person.owner;
  return { walletId, names: { firstName, lastName, phoneNumber }, identity: { taxId, email } };
};

const operation =
  (type: FamilyType, kind?: "confirm") =>
  async (walletId: string): Promise<Input> => {
    const operationId = await (kind === undefined
      ? operations.pending(walletId, type)
      : operations.changed(walletId, type, kind));
    return { params: { operationId } };
  };

const group = async (walletId: string): Promise<Input> => {
  const operationGroupId = await operations.group(walletId);
  await operations.pending(walletId, "CashDeposit", { operationGroupId });
  return { params: { operationGroupId } };
};

const familyTypes = Object.keys(families) as FamilyType[];

const ofFamilies = familyTypes.flatMap((type): [string, Write][] => {
  const { initialise, confirm, cancel, terminate, simulate } = routesOf(type);
  const funded = async (walletId: string, body: Promise<unknown>): Promise<Input> => {
    await operations.fund(walletId, 5_000n);
    return { body: await body };
  };
  return [
    [
      initialise.id,
      { ...active, given: wallet(validated, (id) => funded(id, operations.body(type))) },
    ],
    [
      simulate.id,
      { ...active, given: wallet(validated, (id) => funded(id, operations.simulation(type))) },
    ],
    [confirm.id, { ...active, given: wallet(validated, operation(type)) }],
    [cancel.id, { ...always, given: wallet(validated, operation(type)) }],
    [terminate.id, { ...always, given: wallet(validated, operation(type, "confirm")) }],
  ];
});

/** By route id. Simulations are none, but are refused like what they simulate (contract 3.1). */
const writes: Readonly<Record<string, Write>> = {
  updateWallet: {
    ...active,
    given: async () => {
      const { walletId, identity } = await holder();
      return { walletId, body: identity };
    },
  },
  updateWalletAttributes: {
    ...notClosed,
    given: async () => {
      const { walletId, names } = await holder();
      return { walletId, body: names };
    },
  },
  updateWalletIban: {
    ...active,
    given: wallet(validated, async () => ({ body: { iban: someone().iban, bic: null } })),
  },
  deleteWalletIban: { ...notClosed, given: plain },
  suspendWallet: { ...active, given: plain },
  reactivateWallet: { ...suspended, given: plain },
  closeWallet: { ...suspended, given: plain },
  reopenWallet: { ...closed, given: plain },
  destroyWallet: { ...closed, given: plain },
  signWalletContract: { ...active, given: plain },
  declineContract: { ...active, given: plain },
  initialiseWalletMandate: {
    ...active,
    given: wallet(validated, async () => ({ body: { amount: 10, frequency: null } })),
  },
  fillWalletMandate: { ...active, given: wallet(withMandate("Draft")) },
  signWalletMandate: { ...active, given: wallet(withMandate("Filled")) },
  updateNextDepositDate: {
    ...active,
    given: wallet(withMandate("Active"), async (walletId) => {
      await database.execute(
        "update borsello.mandate set next_deposit_date = '2026-01-05' where wallet_id = $1",
        [walletId],
      );
      return { query: "?newDepositDate=2099-06-03" };
    }),
  },
  disableWalletMandate: { ...always, given: wallet(withMandate("Draft")) },
  initialiseOperationGroup: {
    ...active,
    given: wallet(validated, async () => ({ body: { idempotencyKey: freshKey() } })),
  },
  confirmOperationGroup: { ...active, given: wallet(validated, group) },
  cancelOperationGroup: { ...always, given: wallet(validated, group) },
  terminateOperationGroup: { ...always, given: wallet(validated, group) },
  ...Object.fromEntries(ofFamilies),
};

/** Counts anew what is stored, and changes nothing of the wallet. */
const noWrite = ["resyncBuckets"];

const routes = endpointsOf("development").flatMap(({ route }): Route[] =>
  route.path.includes("{walletId}") && route.method !== "GET" && !noWrite.includes(route.id)
    ? [route]
    : [],
);

test("every write on a wallet has its row here", () => {
  expect(Object.keys(writes).toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
});

const cells = routes.flatMap((route) =>
  walletStatuses.map((status) => ({ id: route.id, route, status })),
);

test.each(cells)("$id on a wallet that is $status", async ({ id, route, status }) => {
  const write = writes[id];
  if (write === undefined) throw new Error("no row");
  const { walletId, params, query = "", body } = await write.given();
  // The state alone, without what the transition does to operations and mandate.
  await database.execute("update borsello.wallet set status = $2 where wallet_id = $1", [
    walletId,
    status,
  ]);
  const answer = await send(stack, addressOf(route, { walletId, ...params }) + query, {
    method: route.method,
    headers: headersOf(route, token),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (write.in.includes(status)) expect(answer).toMatchObject({ status: 200 });
  else
    expect(answer).toMatchObject({
      status: 400,
      body: { errorCode: write.otherwise, errorProperties: { status } },
    });
});
