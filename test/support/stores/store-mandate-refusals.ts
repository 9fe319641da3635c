/** The refusals of the partner's store mandates. */
import * as storeMandates from "../../../shared/contracts/stores/store-mandates.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { pageRefusals, type Prepared, type RefusalCase } from "../platform/refusal-cases.js";
import { globex } from "../wallet/wallet-fixtures.js";
import type { Given } from "../wallet/wallet-states.js";
import { openStore } from "./store-fixtures.js";
import { openStoreMandate, someReference } from "./store-mandate-fixtures.js";

const unknown = "01890a5d-ac96-774b-bcce-b302099a8057";

/** `read` is called when a state is asked for: the database may open later. */
export const storeMandateCases = (read: () => Database): readonly RefusalCase[] => {
  const nowhere: Given = () => Promise.resolve(unknown);
  const anyStore: Given = async () => (await openStore(read())).storeId;
  const ofGlobex: Given = async () => (await openStore(read(), {}, globex, "dealer-turin")).storeId;
  const withoutOwner: Given = async () => (await openStore(read(), { ownerIban: null })).storeId;
  const withMandate: Given = async () => (await openStoreMandate(read())).storeId;
  const create = (
    code: RefusalCase["code"],
    given: Given,
    says: Readonly<Record<string, string>> = {},
  ): RefusalCase => ({
    ...{ route: storeMandates.createStoreMandateRoute, code, given, says },
    prepare: (storeId): Promise<Prepared> =>
      Promise.resolve({ body: { storeId, mandateUniqueReference: someReference() } }),
  });
  const mandateIn = (status: string) => async (): Promise<Prepared> => {
    const { storeMandateId } = await openStoreMandate(read());
    await read().execute("update borsello.mandate set status = $2 where mandate_id = $1", [
      ...[storeMandateId, status],
    ]);
    return { params: { storeMandateId } };
  };
  const ofOne = [
    storeMandates.getStoreMandateByIdRoute,
    storeMandates.fillStoreMandateRoute,
    storeMandates.deleteStoreMandateRoute,
  ] as const;
  const changes = [
    [storeMandates.fillStoreMandateRoute, "Active"],
    [storeMandates.deleteStoreMandateRoute, "Rejected"],
  ] as const;
  return [
    ...pageRefusals(storeMandates.listStoreMandatesRoute, nowhere),
    create("StoreNotFound", nowhere),
    create("DealerOfAnotherPartner", ofGlobex),
    create("StoreOwnerDataMissing", withoutOwner, { ownerIban: "is not set." }),
    create("MandateAlreadyPresent", withMandate, { mandateStatus: "Draft" }),
    {
      route: storeMandates.createStoreMandateRoute,
      code: "MandateReferenceAlreadyPresent",
      given: anyStore,
      prepare: async (storeId) => {
        const { mandateUniqueReference } = await openStoreMandate(read());
        return { body: { storeId, mandateUniqueReference } };
      },
    },
    ...ofOne.map((route): RefusalCase => ({
      ...{ route, code: "StoreMandateNotFound", given: nowhere },
      params: { storeMandateId: unknown },
    })),
    ...changes.map(([route, status]): RefusalCase => ({
      ...{ route, code: "MandateStatusInvalid", given: nowhere, prepare: mandateIn(status) },
      says: { mandateStatus: status },
    })),
  ];
};
