/** A wallet's buckets: list them, put them right by the ledger. */
import {
  getWalletBucketsRoute,
  resyncBucketsRoute,
} from "../../shared/contracts/ledger/buckets.js";
import { listBuckets, resyncBuckets } from "../../shared/database/ledger/buckets.js";
import { endpoint } from "../kit/endpoint.js";

const listEndpoint = endpoint(
  getWalletBucketsRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await listBuckets(database, caller, params.walletId);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const resyncEndpoint = endpoint(
  resyncBucketsRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const resynced = await resyncBuckets(database, caller, params.walletId);
    return resynced.ok ? ok(resynced.value) : refuse(resynced);
  },
);

export const bucketEndpoints = [listEndpoint, resyncEndpoint];
