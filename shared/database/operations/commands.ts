/** Commands on operations, many in one round trip: each has an outcome of its own (migration 0020). */
import { z } from "zod";
import type { ErrorCode } from "../../contracts/errors.js";
import { errorTable } from "../../contracts/errors.js";
import { refusal, success, type Outcome, type RefusalProperties } from "../../domain/outcome.js";
import { DependencyUnavailableError } from "../../platform/dependency-unavailable.js";
import { tracing, type SpanStart } from "../../platform/telemetry/tracing.js";
import type { LimitBounds } from "../ledger/limit-bounds.js";
import type { Database } from "../platform/database.js";

/** The fields of `borsello.operation_command`; what a kind does not need is left out. */
export interface OperationCommand {
  readonly kind:
    | "initialise"
    | "simulate"
    | "confirm"
    | "cancel"
    | "terminate"
    | "initialiseGroup"
    | "confirmGroup"
    | "cancelGroup"
    | "terminateGroup";
  readonly partner_key: string;
  readonly actor: string;
  readonly is_operator?: boolean;
  /** Left out: the wallet of the operation. */
  readonly wallet_id?: string;
  readonly type?: string;
  readonly operation_id?: string;
  readonly operation_group_id?: string | null;
  readonly idempotency_key?: string;
  readonly request_hash?: string;
  readonly amount_cents?: string;
  readonly fees_amount_cents?: string;
  readonly fees?: unknown;
  readonly dealer_key?: string | null;
  readonly store_id?: string | null;
  readonly funds_type?: string;
  readonly funds_expiry_date?: string | null;
  readonly bucket_id?: string | null;
  readonly is_withdrawable?: boolean;
  readonly tags?: unknown;
  readonly metadata?: unknown;
  /** An interval as PostgreSQL reads it. */
  readonly expires_after?: string;
  readonly limits?: LimitBounds;
  /** The traceparent of whoever asks; commands that go together are of many traces. */
  readonly trace_parent?: string;
}

/** The answer as JSON text, or why it was refused. */
export type CommandOutcome = Outcome<string, ErrorCode>;

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);

/** Somebody else held the wallet: nothing was done. */
const busy = "busy";

const Property = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform(String);

const Row = z.object({
  place: z.bigint(),
  code: z.string().nullable(),
  properties: z.record(z.string(), Property).nullable(),
  answer: z.string().nullable(),
});
type Row = z.infer<typeof Row>;

const outcomeOf = ({ code, properties, answer }: Row): CommandOutcome => {
  if (code !== null) {
    if (!isErrorCode(code)) throw new Error(`A command was refused with an unknown code: ${code}`);
    return refusal(code, (properties ?? {}) satisfies RefusalProperties);
  }
  if (answer === null) throw new Error("A command was neither done nor refused.");
  return success(answer);
};

const runTogether = (
  database: Database,
  commands: readonly OperationCommand[],
  isAlone: boolean,
): Promise<Row[]> => {
  const isTraced = commands.some((command) => command.trace_parent !== undefined);
  const given = isTraced ? "borsello.with_traces($1::json)" : "$1::json";
  return tracing.apart(() =>
    database.commands(
      Row,
      `select place, code, properties, answer::text
       from borsello.run_operation_commands(${given}, $2) order by place`,
      [JSON.stringify(commands), isAlone],
    ),
  );
};

const runAlone = async (database: Database, command: OperationCommand): Promise<CommandOutcome> => {
  const [row] = await runTogether(database, [command], true);
  if (row === undefined) throw new Error("A command has no outcome.");
  return outcomeOf(row);
};

/**
 * All or none: the first refusal undoes those before it and is the answer.
 */
export const runAsOne = async (
  database: Database,
  commands: readonly OperationCommand[],
): Promise<Outcome<readonly string[], ErrorCode>> => {
  const rows = await database.commands(
    Row,
    `select place, code, properties, answer::text
     from borsello.run_operation_commands_as_one($1::json) order by place`,
    [JSON.stringify(commands)],
  );
  const answers: string[] = [];
  for (const row of rows) {
    const outcome = outcomeOf(row);
    if (!outcome.ok) return outcome;
    answers.push(outcome.value);
  }
  return success(answers);
};

interface Waiting {
  readonly command: OperationCommand;
  readonly resolve: (outcome: CommandOutcome | Promise<CommandOutcome>) => void;
  readonly reject: (error: unknown) => void;
}

/** More in one call would make the first wait for the last; fewer, more commits. */
const togetherMax = 64;
/** One call is worked on while the next one fills; more would only share the same processors. */
const callsMax = 2;

export interface OperationCommands {
  run(command: OperationCommand): Promise<CommandOutcome>;
}

/** Waiting for company included. */
const commandSpan = ({ kind }: OperationCommand): SpanStart => ({
  name: `transaction ${kind}`,
  kind: "client",
  attributes: {
    "db.system.name": "postgresql",
    "db.operation.name": kind,
    "db.stored_procedure.name": "borsello.run_operation_commands",
  },
});

/**
 * Commands that wait while two calls are under way go together in the next one; a command that finds
 * a call free never waits for company. What fails together is run again one by one, so that no
 * command suffers from its neighbours.
 */
export const operationCommands = (database: Database): OperationCommands => {
  const queue: Waiting[] = [];
  let calls = 0;

  const settle = (waiting: readonly Waiting[], rows: readonly Row[]): void => {
    waiting.forEach(({ command, resolve, reject }, index) => {
      try {
        const row = rows[index];
        if (row === undefined) throw new Error("A command has no outcome.");
        resolve(row.code === busy ? runAlone(database, command) : outcomeOf(row));
      } catch (error) {
        reject(error);
      }
    });
  };

  const call = async (waiting: readonly Waiting[]): Promise<void> => {
    const commands = waiting.map(({ command }) => command);
    try {
      settle(waiting, await runTogether(database, commands, false));
    } catch (error) {
      const isTheirOwn = waiting.length === 1 || error instanceof DependencyUnavailableError;
      for (const { command, resolve, reject } of waiting)
        if (isTheirOwn) reject(error);
        else resolve(runAlone(database, command));
    }
  };

  const next = (): void => {
    while (calls < callsMax && queue.length > 0) {
      calls += 1;
      void call(queue.splice(0, togetherMax)).finally(() => {
        calls -= 1;
        next();
      });
    }
  };

  const run = (command: OperationCommand): Promise<CommandOutcome> =>
    new Promise((resolve, reject) => {
      queue.push({ command, resolve, reject });
      next();
    });

  return {
    run: (command) =>
      tracing.part(commandSpan(command), () => {
        const traceParent = tracing.current();
        return run(traceParent === undefined ? command : { ...command, trace_parent: traceParent });
      }),
  };
};
