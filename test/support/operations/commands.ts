/** Commands on operations as the platform gives them to the database, with the settings that a test wants. */
import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import type { Actor } from "../../../shared/database/access/wallet-access.js";
import { limitBounds, type LimitBounds } from "../../../shared/database/ledger/limit-bounds.js";
import {
  operationCommands,
  type CommandOutcome,
  type OperationCommand,
} from "../../../shared/database/operations/commands.js";
import type { Database } from "../../../shared/database/platform/database.js";
import {
  families,
  type FamilyType,
  type FundsType,
} from "../../../shared/domain/operations/families.js";
import { feesOf, type FeeRule } from "../../../shared/domain/operations/fees.js";
import { acme, made } from "../wallet/wallet-fixtures.js";

export const freshKey = (): string => randomBytes(16).toString("hex");

const byDefault = partnerSettings.parse({});
export const defaultLimits: LimitBounds = limitBounds(byDefault);

export interface Asked {
  readonly walletId: string;
  readonly type: FamilyType;
  readonly cents: bigint;
  readonly key?: string;
  readonly storeId?: string | null;
  readonly dealerKey?: string | null;
  readonly operationGroupId?: string | null;
  readonly fundsType?: FundsType;
  readonly bucketId?: string | null;
  readonly fundsExpiryDate?: string | null;
  readonly isWithdrawable?: boolean;
  readonly limits?: LimitBounds;
  readonly feeRules?: readonly FeeRule[];
  readonly expiresAfter?: string;
}

const Initialised = z.looseObject({ operationId: z.uuid(), bucketId: z.uuid() });
const Grouped = z.looseObject({ operationGroupId: z.uuid() });

export type Change = "confirm" | "cancel" | "terminate";

/** `actor` may be a client of any partner; an operator terminates what failed to settle. */
export const commandsOn = (database: Database, actor: Actor = acme, isOperator = false) => {
  const commands = operationCommands(database);
  const run = (command: OperationCommand): Promise<CommandOutcome> => commands.run(command);
  const basis = {
    partner_key: actor.partnerKey,
    actor: actor.clientId,
    is_operator: isOperator,
    limits: defaultLimits,
  };

  const initialisation = (kind: "initialise" | "simulate", asked: Asked): OperationCommand => {
    const { key = freshKey(), feeRules = byDefault.fees, limits = defaultLimits, ...body } = asked;
    const { totalCents, fees } = feesOf(feeRules, asked.type, asked.cents);
    const fundsType = families[asked.type].fundsType ?? asked.fundsType ?? "Standard";
    return {
      ...basis,
      kind,
      limits,
      wallet_id: asked.walletId,
      type: asked.type,
      amount_cents: String(asked.cents),
      fees_amount_cents: String(totalCents),
      fees,
      funds_type: fundsType,
      funds_expiry_date: asked.fundsExpiryDate ?? null,
      bucket_id: asked.bucketId ?? null,
      is_withdrawable: asked.isWithdrawable ?? fundsType === "Standard",
      store_id: asked.storeId ?? null,
      dealer_key: asked.dealerKey ?? null,
      operation_group_id: asked.operationGroupId ?? null,
      tags: null,
      expires_after: asked.expiresAfter ?? "30 minutes",
      ...(kind === "simulate"
        ? {}
        : {
            idempotency_key: key,
            request_hash: createHash("sha256")
              .update(JSON.stringify({ ...body, cents: String(body.cents) }))
              .digest("hex"),
          }),
    };
  };

  const initialise = (asked: Asked): Promise<CommandOutcome> =>
    run(initialisation("initialise", asked));

  const change = (
    kind: Change,
    { walletId, type }: Pick<Asked, "walletId" | "type">,
    operationId: string,
    limits = defaultLimits,
  ): Promise<CommandOutcome> =>
    run({ ...basis, kind, limits, wallet_id: walletId, type, operation_id: operationId });

  const initialised = async (asked: Asked) =>
    Initialised.parse(JSON.parse(made(await initialise(asked))));

  return {
    run,
    initialise,
    change,
    simulate: (asked: Asked): Promise<CommandOutcome> => run(initialisation("simulate", asked)),
    /** The operation, where a refusal would be the test's own mistake. */
    initialised,
    confirmed: async (asked: Asked) => {
      const operation = await initialised(asked);
      made(await change("confirm", asked, operation.operationId, asked.limits));
      return operation;
    },
    initialiseGroup: (
      walletId: string,
      key = freshKey(),
      expiresAfter = "30 minutes",
    ): Promise<CommandOutcome> =>
      run({
        ...basis,
        kind: "initialiseGroup",
        wallet_id: walletId,
        idempotency_key: key,
        request_hash: createHash("sha256").update(walletId).digest("hex"),
        expires_after: expiresAfter,
      }),
    changeGroup: (
      kind: "confirmGroup" | "cancelGroup" | "terminateGroup",
      walletId: string,
      operationGroupId: string,
    ): Promise<CommandOutcome> =>
      run({ ...basis, kind, wallet_id: walletId, operation_group_id: operationGroupId }),
    groupOf: (outcome: CommandOutcome): string =>
      Grouped.parse(JSON.parse(made(outcome))).operationGroupId,
  };
};

export type Commands = ReturnType<typeof commandsOn>;
