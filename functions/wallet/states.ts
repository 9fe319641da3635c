/** A wallet's states: suspend, reactivate, close, reopen, and delete for good outside production. */
import {
  closeWalletRoute,
  destroyWalletRoute,
  reactivateWalletRoute,
  reopenWalletRoute,
  suspendWalletRoute,
} from "../../shared/contracts/wallet/states.js";
import { destroyWallet } from "../../shared/database/wallet/deletion.js";
import {
  closeWallet,
  reactivateWallet,
  reopenWallet,
  suspendWallet,
} from "../../shared/database/wallet/states.js";
import { endpoint } from "../kit/endpoint.js";

const suspendEndpoint = endpoint(
  suspendWalletRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const suspended = await suspendWallet(database, caller, params.walletId);
    return suspended.ok ? ok(suspended.value) : refuse(suspended);
  },
);

const reactivateEndpoint = endpoint(
  reactivateWalletRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const reactivated = await reactivateWallet(database, caller, params.walletId);
    return reactivated.ok ? ok(reactivated.value) : refuse(reactivated);
  },
);

const closeEndpoint = endpoint(
  closeWalletRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const closed = await closeWallet(database, caller, params.walletId, caller.settings.closing);
    return closed.ok ? ok(closed.value) : refuse(closed);
  },
);

const reopenEndpoint = endpoint(
  reopenWalletRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const reopened = await reopenWallet(database, caller, params.walletId);
    return reopened.ok ? ok(reopened.value) : refuse(reopened);
  },
);

const destroyEndpoint = endpoint(
  destroyWalletRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const destroyed = await destroyWallet(database, caller, params.walletId);
    return destroyed.ok ? ok(destroyed.value) : refuse(destroyed);
  },
);

export const stateEndpoints = [
  suspendEndpoint,
  reactivateEndpoint,
  closeEndpoint,
  reopenEndpoint,
  destroyEndpoint,
];
