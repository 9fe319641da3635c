/** The states in which wallet routes refuse: each makes a wallet of its own in that state. */
import type { Database } from "../../../shared/database/platform/database.js";
import { openBucket } from "../../../shared/database/ledger/ledger.js";
import { initialiseMandate } from "../../../shared/database/mandates/mandates.js";
import { createWallet } from "../../../shared/database/wallet/wallets.js";
import { acme, globex, made, openValidatedWallet, openWallet, someone } from "./wallet-fixtures.js";

/** Prepares the state; resolves to the wallet that it is about. */
export type Given = () => Promise<string>;

/** The same function for the same argument, so that those who share a state can tell. */
const named = <Name extends string>(make: (name: Name) => Given) => {
  const known = new Map<Name, Given>();
  return (name: Name): Given => {
    const given = known.get(name) ?? make(name);
    known.set(name, given);
    return given;
  };
};

/** `read` is called when a state is asked for: the database may open later. */
export const walletStates = (read: () => Database) => {
  const anyWallet: Given = async () => (await openWallet(read())).walletId;
  const validated: Given = async () => (await openValidatedWallet(read())).walletId;

  const withMandate = named((status: string) => async () => {
    const walletId = await validated();
    const mandate = { amountCents: 1000n, frequency: "Monthly" } as const;
    made(await initialiseMandate(read(), acme, walletId, mandate));
    const set = "update borsello.mandate set status = $2 where wallet_id = $1";
    await read().execute(set, [walletId, status]);
    return walletId;
  });

  const inStatus = named((status: "Suspended" | "Closed") => async () => {
    const walletId = await validated();
    const set = "update borsello.wallet set status = $2 where wallet_id = $1";
    await read().execute(set, [walletId, status]);
    return walletId;
  });

  const ofGlobex: Given = async () => {
    const owner = { ...someone().owner, originatingDealerKey: "dealer-turin" };
    return made(await createWallet(read(), globex, owner)).walletId;
  };

  const ofInitech: Given = async () => {
    const owner = { ...someone().owner, originatingDealerKey: "dealer-bari" };
    const initech = { partnerKey: "initech", clientId: "initech-client" };
    return made(await createWallet(read(), initech, owner)).walletId;
  };

  const nowhere: Given = async () => "01890a5d-ac96-774b-bcce-b302099a8057";

  const withoutInstructions: Given = async () => {
    const walletId = await validated();
    await read().execute("delete from borsello.iban_validation where wallet_id = $1", [walletId]);
    return walletId;
  };

  const signedWithoutDocument: Given = async () => {
    const walletId = await anyWallet();
    await read().execute(
      `insert into borsello.contract (wallet_id, partner_key, attempt, status, signed_at, document_key)
       values ($1, 'acme', 1, 'Signed', now(), 'nowhere')`,
      [walletId],
    );
    return walletId;
  };

  /** Suspended, with 1.50 in a bucket. */
  const fundedOfGlobex: Given = async () => {
    const walletId = await ofGlobex();
    await read().transaction(async (tx) => {
      const { bucketId } = await openBucket(tx, {
        walletId,
        partnerKey: "globex",
        fundsType: "Standard",
        fundsExpiryDate: null,
        isWithdrawable: true,
      });
      await tx.execute("update borsello.bucket set balance_cents = 150 where bucket_id = $1", [
        bucketId,
      ]);
      await tx.execute("update borsello.wallet set status = 'Suspended' where wallet_id = $1", [
        walletId,
      ]);
    });
    return walletId;
  };

  return {
    anyWallet,
    validated,
    withMandate,
    inStatus,
    ofGlobex,
    ofInitech,
    fundedOfGlobex,
    nowhere,
    withoutInstructions,
    signedWithoutDocument,
  };
};

export type WalletStates = ReturnType<typeof walletStates>;
