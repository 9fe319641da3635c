/** Routes of a wallet's buckets: the list, and putting them right again (wallet seed, 2.11, 4.1). */
import { z } from "zod";
import { route } from "../route.js";
import { DateTime, NullableDateTime, walletParams } from "../wallet/fields.js";

export const Bucket = z
  .object({
    bucketId: z.uuid(),
    walletId: z.uuid(),
    partnerKey: z.string(),
    availableBalance: z.number(),
    creationDate: DateTime,
    lastIncomingDate: NullableDateTime,
    lastOutgoingDate: NullableDateTime,
    isWithdrawable: z.boolean(),
  })
  .meta({ id: "Bucket" });
export type Bucket = z.infer<typeof Bucket>;

export const getWalletBucketsRoute = route({
  id: "getWalletBuckets",
  api: "wallet",
  method: "GET",
  path: "buckets/{walletId}",
  params: walletParams,
  role: "Wallet.Read",
  ok: { status: 200, schema: z.array(Bucket) },
  errors: ["WalletOfAnotherPartner", "WalletNotFound"],
  summary: "A wallet's buckets of funds, oldest first",
  result: "The wallet's buckets with what each holds; none where nothing was ever credited.",
});

export const ResyncedBuckets = z
  .object({ createdBuckets: z.int32(), updatedBuckets: z.int32() })
  .meta({ id: "ResyncedBuckets" });
export type ResyncedBuckets = z.infer<typeof ResyncedBuckets>;

export const resyncBucketsRoute = route({
  id: "resyncBuckets",
  api: "wallet",
  method: "PUT",
  path: "buckets/{walletId}/resync",
  params: walletParams,
  role: "Wallet.Write",
  ok: { status: 200, schema: ResyncedBuckets },
  errors: ["WalletOfAnotherPartner", "WalletNotFound"],
  summary: "Put a wallet's buckets right by the ledger",
  result: "How many buckets were looked at, put right and opened.",
  description:
    "Balances and dates of incoming and outgoing funds are computed anew from the ledger's entries; " +
    "those that differed are counted as updated. A wallet with at least one deposit has a bucket of " +
    "standard funds: where it is missing it is created. Where all is right, nothing changes.",
});
