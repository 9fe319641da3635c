/** Create, read and update wallets. */
import {
  createWalletRoute,
  getWalletRoute,
  updateWalletAttributesRoute,
  updateWalletRoute,
} from "../../shared/contracts/wallet/wallets.js";
import { updateAttributes } from "../../shared/database/wallet/attributes.js";
import { updateWallet } from "../../shared/database/wallet/update.js";
import { createWallet, findWallet } from "../../shared/database/wallet/wallets.js";
import { checkedIdentity, checkedHolder, checkedPhone } from "../../shared/domain/wallet/holder.js";
import { endpoint } from "../kit/endpoint.js";

const createWalletEndpoint = endpoint(
  createWalletRoute,
  async ({ database }, { body, caller, ok, refuse }) => {
    const holder = checkedHolder(body);
    if (!holder.ok) return refuse(holder);
    const { originatingDealerKey } = body;
    const created = await createWallet(database, caller, { ...holder.value, originatingDealerKey });
    return created.ok ? ok(created.value) : refuse(created);
  },
);

const getWalletEndpoint = endpoint(
  getWalletRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findWallet(database, caller, params.walletId);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const updateWalletEndpoint = endpoint(
  updateWalletRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const identity = checkedIdentity(body);
    if (!identity.ok) return refuse(identity);
    const updated = await updateWallet(database, caller, params.walletId, identity.value);
    return updated.ok ? ok(updated.value) : refuse(updated);
  },
);

const updateAttributesEndpoint = endpoint(
  updateWalletAttributesRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const phone = checkedPhone(body.phoneNumber);
    if (!phone.ok) return refuse(phone);
    const update = { ...body, phoneNumber: phone.value };
    const updated = await updateAttributes(database, caller, params.walletId, update);
    return updated.ok ? ok(updated.value) : refuse(updated);
  },
);

export const walletEndpoints = [
  createWalletEndpoint,
  getWalletEndpoint,
  updateWalletEndpoint,
  updateAttributesEndpoint,
];
