/** GET …/accounting/proof: seals what can be sealed, then proves the caller's books. */
import { getProofRoute } from "../../shared/contracts/accounting/proof.js";
import { proveBooks } from "../../shared/database/accounting/proof.js";
import { sealAudit } from "../../shared/database/accounting/seal.js";
import { endpoint } from "../kit/endpoint.js";
import { pastMoment } from "../kit/past-moment.js";

/** What is left after this, the sweep seals: a caller should not wait for a book's first seal. */
const sealing = { patienceMs: 500, linksMax: 20 } as const;

export const getProofEndpoint = endpoint(
  getProofRoute,
  async (services, { query, caller, ok, refuse }) => {
    const { database } = services;
    const partnerKey = caller.readsAll ? null : caller.partnerKey;
    if (query.at === undefined) {
      await sealAudit(database, sealing);
      return ok(await proveBooks(database, { partnerKey, at: null }));
    }
    const at = await pastMoment(services, query.at);
    if (!at.ok) return refuse(at);
    return ok(await proveBooks(database, { partnerKey, at: at.value }));
  },
);
