/** What commands on one wallet's loyalty funds must come to, one after the other. */
import type { Model } from "../database/serial-order.js";

/** Each name stands for one idempotency key. */
export const operationNames = [
  "deposit",
  "payment",
  "large payment",
  "payment in the group",
  "deposit in the group",
] as const;
export type OperationName = (typeof operationNames)[number];

export type Command =
  | { readonly do: "initialise" | "confirm" | "cancel" | "terminate"; readonly name: OperationName }
  | { readonly do: "confirmGroup" | "cancelGroup" | "terminateGroup" };

export interface State {
  readonly balance: bigint;
  readonly group: string;
  /** In the order of the names; `-`: not initialised. */
  readonly operations: readonly string[];
}

/** As JSON can carry it. */
interface Kept {
  readonly balance: number;
  readonly group: string;
  readonly operations: readonly string[];
}

export const feeCents = 50;
export const startingState: State = {
  balance: 2_000n,
  group: "Initialized",
  operations: operationNames.map(() => "-"),
};

const described = (name: OperationName) =>
  ({
    deposit: { kind: "deposit", cents: 700n, inGroup: false },
    payment: { kind: "payment", cents: 900n, inGroup: false },
    "large payment": { kind: "payment", cents: 1_500n, inGroup: false },
    "payment in the group": { kind: "payment", cents: 800n, inGroup: true },
    "deposit in the group": { kind: "deposit", cents: 600n, inGroup: true },
  })[name] as { readonly kind: "deposit" | "payment"; cents: bigint; inGroup: boolean };

const names: readonly OperationName[] = operationNames;

const held = ({ operations }: Kept): number =>
  names.reduce((sum, name, index) => {
    const { kind, cents } = described(name);
    if (kind === "deposit") return sum;
    if (operations[index] === "Initialized") return sum + Number(cents) + feeCents;
    return operations[index] === "Confirmed" ? sum + feeCents : sum;
  }, 0);

const withStatus = (state: Kept, name: OperationName, status: string, moved = 0): Kept => ({
  ...state,
  balance: state.balance + moved,
  operations: state.operations.map((other, index) => (names[index] === name ? status : other)),
});

/** What confirming moves; its mirror is what terminating moves back. */
const movedBy = (name: OperationName): number => {
  const { kind, cents } = described(name);
  return kind === "deposit" ? Number(cents) : -Number(cents);
};

interface Step {
  readonly answer: string;
  readonly state: Kept;
}

const stepOfOperation = (
  state: Kept,
  { do: asked, name }: Extract<Command, { name: OperationName }>,
): Step => {
  const refused = (answer: string): Step => ({ answer, state });
  const become = (status: string, moved = 0): Step => ({
    answer: status,
    state: withStatus(state, name, status, moved),
  });
  const { kind, cents, inGroup } = described(name);
  const status = state.operations[names.indexOf(name)] ?? "-";
  const available = state.balance - held(state);
  if (asked === "initialise") {
    if (status !== "-") return refused("Initialized");
    if (inGroup && state.group !== "Initialized") return refused("OperationGroupStatusInvalid");
    if (kind === "payment" && available < Number(cents) + feeCents)
      return refused("InsufficientBalance");
    return become("Initialized");
  }
  if (status === "-") return refused("not initialised");
  if (asked === "confirm") {
    if (status === "Confirmed") return refused(status);
    if (status !== "Initialized") return refused("OperationStatusInvalid");
    return inGroup ? refused("OperationInGroup") : become("Confirmed", movedBy(name));
  }
  if (asked === "cancel") {
    if (status === "Cancelled") return refused(status);
    return status === "Initialized" ? become("Cancelled") : refused("OperationStatusInvalid");
  }
  if (status === "Terminated") return refused(status);
  if (status === "Initialized") return become("Terminated");
  if (status !== "Confirmed") return refused("OperationStatusInvalid");
  if (kind === "deposit" && available < Number(cents)) return refused("InsufficientBalance");
  return become("Terminated", -movedBy(name));
};

const ends = { cancelGroup: "Cancelled", terminateGroup: "Terminated" } as const;

const stepOfGroup = (state: Kept, asked: Exclude<Command, { name: OperationName }>["do"]): Step => {
  const end = asked === "confirmGroup" ? "Confirmed" : ends[asked];
  if (state.group === end) return { answer: end, state };
  const open = names.filter(
    (name, index) => described(name).inGroup && state.operations[index] === "Initialized",
  );
  if (state.group !== "Initialized" || (asked === "confirmGroup" && open.length === 0))
    return { answer: "OperationGroupStatusInvalid", state };
  const ended = open.reduce(
    (before, name) => withStatus(before, name, end, asked === "confirmGroup" ? movedBy(name) : 0),
    state,
  );
  return { answer: end, state: { ...ended, group: end } };
};

export const scheduleModel = {
  described,
  json: (state: State): Kept => ({ ...state, balance: Number(state.balance) }),
  step: (state: Kept, command: Command): Step =>
    "name" in command ? stepOfOperation(state, command) : stepOfGroup(state, command.do),
} satisfies Model<Kept, Command, string> & Record<string, unknown>;
