/** A wallet's SEDA mandate: initialise, fill, sign by the flow, read, disable. */
import {
  disableMandateRoute,
  fillMandateRoute,
  getMandatePdfRoute,
  getWalletMandateRoute,
  initialiseMandateRoute,
  signMandateRoute,
} from "../../shared/contracts/mandates/mandates.js";
import { requestDisable } from "../../shared/database/mandates/disabling.js";
import {
  findCurrentMandate,
  findMandate,
  initialiseMandate,
  type StoredMandate,
} from "../../shared/database/mandates/mandates.js";
import { fillMandate, requestMandateSignature } from "../../shared/database/mandates/signing.js";
import { findWallet } from "../../shared/database/wallet/wallets.js";
import { fillMandateForm } from "../../shared/documents/mandate-pdf.js";
import { centsOf } from "../../shared/domain/money.js";
import { refusal } from "../../shared/domain/outcome.js";
import { endpoint } from "../kit/endpoint.js";
import { creditorTerms } from "../kit/partner-settings.js";
import { readUntil } from "../kit/wait-until.js";

const getMandateEndpoint = endpoint(
  getWalletMandateRoute,
  async ({ database }, { params: { walletId }, caller, ok, refuse }) => {
    const wallet = await findWallet(database, caller, walletId);
    if (!wallet.ok) return refuse(wallet);
    const found = await findCurrentMandate(database, walletId);
    return found === undefined
      ? refuse(refusal("MandateNotFound", { walletId }))
      : ok(found.mandate);
  },
);

const initialiseEndpoint = endpoint(
  initialiseMandateRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const amountCents = centsOf(body.amount);
    if (amountCents === undefined)
      return refuse(refusal("AmountScaleInvalid", { amount: String(body.amount) }));
    const frequency = body.frequency ?? "Monthly";
    const made = await initialiseMandate(database, caller, params.walletId, {
      amountCents,
      frequency,
    });
    return made.ok ? ok(made.value) : refuse(made);
  },
);

const fillEndpoint = endpoint(
  fillMandateRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const terms = creditorTerms(caller.settings);
    const filled = await fillMandate(database, caller, params.walletId, terms);
    if (!filled.ok) return refuse(filled);
    return ok({ bytes: await fillMandateForm(filled.value), filename: "mandate.pdf" });
  },
);

const signEndpoint = endpoint(
  signMandateRoute,
  async ({ database, clock, changes }, { params, caller, ok, refuse }) => {
    const requested = await requestMandateSignature(database, caller, params.walletId);
    if (!requested.ok) return refuse(requested);
    const { mandateId } = requested.value.mandate;
    const signed = await readUntil<StoredMandate | undefined>(
      requested.value,
      () => findMandate(database, mandateId),
      (found) => found?.mandate.status !== "Filled",
      { clock, changes, key: mandateId },
    );
    return ok((signed ?? requested.value).mandate);
  },
);

const getPdfEndpoint = endpoint(
  getMandatePdfRoute,
  async ({ database, documents }, { params: { walletId }, caller, ok, refuse }) => {
    const wallet = await findWallet(database, caller, walletId);
    if (!wallet.ok) return refuse(wallet);
    const found = await findCurrentMandate(database, walletId);
    const document =
      found?.documentKey == null ? undefined : await documents.get(found.documentKey);
    return document === undefined
      ? refuse(refusal("DocumentNotFound", { walletId }))
      : ok({ bytes: document.bytes, filename: "mandate-signed.pdf" });
  },
);

const disableEndpoint = endpoint(
  disableMandateRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const disabled = await requestDisable(database, caller, params.walletId);
    return disabled.ok ? ok(disabled.value.mandate) : refuse(disabled);
  },
);

export const mandateEndpoints = [
  getMandateEndpoint,
  initialiseEndpoint,
  fillEndpoint,
  signEndpoint,
  getPdfEndpoint,
  disableEndpoint,
];
