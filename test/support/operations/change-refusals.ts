/** What confirming, cancelling and terminating an operation of each family may be refused for. */
import type { ErrorCode } from "../../../shared/contracts/errors.js";
import type { FamilyType } from "../../../shared/domain/operations/families.js";
import { ownership, type RefusalCase } from "../platform/refusal-cases.js";
import type { WalletStates } from "../wallet/wallet-states.js";
import { isDebit, isGroupable, routesOf, type OperationStates } from "./operation-states.js";

const nobody = "01890a5d-ac96-774b-bcce-b302099a8057";

export const changeCases = (
  type: FamilyType,
  wallets: WalletStates,
  states: OperationStates,
): readonly RefusalCase[] => {
  const { confirm, cancel, terminate } = routesOf(type);
  const { validated } = wallets;
  /** About an operation of the wallet that `prepare` makes. */
  const about = (
    route: RefusalCase["route"],
    code: ErrorCode,
    make: (walletId: string) => Promise<string>,
    says: Readonly<Record<string, string>> = {},
  ): RefusalCase => ({
    ...{ route, code, says, given: validated },
    prepare: async (walletId) => ({ params: { operationId: await make(walletId) } }),
  });
  const after =
    (assignment: string) =>
    async (walletId: string): Promise<string> => {
      const operationId = await states.pending(walletId, type);
      await states.set(operationId, assignment);
      return operationId;
    };
  const other: FamilyType = type === "LoyaltyDeposit" ? "WelfareDeposit" : "LoyaltyDeposit";
  return [
    ...[confirm, cancel, terminate].flatMap((route) => [
      ...ownership(wallets, route),
      about(route, "OperationNotFound", async () => nobody),
      about(route, "OperationNotFound", (walletId) => states.pending(walletId, other)),
      about(route, "OperationNotFound", async () => states.pending(await states.walletId(), type)),
    ]),
    ...(["cancel", "terminate"] as const).map((kind) =>
      about(confirm, "OperationStatusInvalid", (walletId) => states.changed(walletId, type, kind)),
    ),
    ...(["confirm", "terminate"] as const).map((kind) =>
      about(cancel, "OperationStatusInvalid", (walletId) => states.changed(walletId, type, kind)),
    ),
    about(terminate, "OperationStatusInvalid", (walletId) =>
      states.changed(walletId, type, "cancel"),
    ),
    ...["Completed", "TransferFailed", "TransferInitializeRequested"].map((status) =>
      about(terminate, "OperationStatusInvalid", after(`status = '${status}'`), { status }),
    ),
    about(confirm, "OperationExpired", after("expiry_date = now() - interval '1 second'")),
    about(confirm, "LimitExceeded", after("amount_cents = 100001"), { limitName: "maximum" }),
    about(confirm, "WalletNotActive", async (walletId) => {
      const operationId = await states.pending(walletId, type);
      await states.suspendAlone(walletId);
      return operationId;
    }),
    ...(isGroupable(type)
      ? [
          about(confirm, "OperationInGroup", async (walletId) =>
            states.pending(walletId, type, { operationGroupId: await states.group(walletId) }),
          ),
        ]
      : []),
    isDebit(type)
      ? about(confirm, "InsufficientBalance", async (walletId) => {
          const operationId = await states.pending(walletId, type);
          await states.takeAllFunds(walletId);
          return operationId;
        })
      : about(terminate, "InsufficientBalance", async (walletId) => {
          const operationId = await states.changed(walletId, type, "confirm");
          await states.takeAllFunds(walletId);
          return operationId;
        }),
  ];
};
