// Records histories of flows from the local engine into test/replay/histories, for the tests that
// replay them against the code of the day. What was recorded before stays, new ways are added. Run it
// after `npm run build`, when a flow is new or takes a new way:  node scripts/record-histories.mjs [flow …]
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import pg from "pg";
import { customer } from "../dist/bench/platform/customers.js";
import {
  activateMandate,
  createWallet,
  onboard,
  sender,
  signContract,
  validateIban,
  waitForOnboarding,
} from "../dist/bench/platform/onboarding.js";
import { startPlatform, withTemporaryFolder } from "../dist/bench/platform/process.js";
import { acme, headersFor, operator } from "../dist/bench/platform/session.js";
import { decodeEvents } from "../dist/local/durable/protocol/history-codec.js";

const target = "test/replay/histories";
const quiet = () => undefined;

// The engine forgets a life that continues as new: each turn is copied as it is written.
const copyTurns = `
  create table durable.recorded (place bigint generated always as identity,
    key bigint, id text, name text, input text, events text);
  create function durable.record_turn() returns trigger language plpgsql as $$ begin
    insert into durable.recorded (key, id, name, input, events)
    select new.key, i.id, i.name, i.input, new.events from durable.instance i where i.key = new.key;
    return null;
  end $$;
  create trigger record_turn after insert on durable.history
    for each row execute function durable.record_turn();`;

const daysOn = (from, days) => new Date(Date.parse(from) + days * 86_400_000).toISOString();

const step = (name, status) => (view) =>
  view.steps.some((found) => found.name === name && found.status === status);

/** A transfer that does not fit, then none for thirty days. */
const failedIban = async (send, person, moveClock) => {
  const [walletId, { body }] = await createWallet(send, person);
  const set = await send("PUT", `/wallet/wallets/${walletId}/iban`, { iban: person.iban });
  await send("POST", "/sandbox/bank/notifications", {
    type: "IncomingSctStandard",
    debtorName: "Somebody Else",
    debtorIban: person.iban,
    creditorIban: set.body.destinationIban,
    amount: 1,
    reason: set.body.ibanValidationCode,
  });
  const refused = ({ steps }) => steps.some(({ detail }) => detail?.includes("did not fit"));
  await waitForOnboarding(send, walletId, refused);
  await moveClock(daysOn(body.creationDate, 31));
  await waitForOnboarding(send, walletId, step("ibanValidation", "Failed"));
};

/** Transfers that are tried again: once the wallet is active, once the name fits; and two at once. */
const retriedIban = async (send, people) => {
  const fields = (person, set) => ({
    type: "IncomingSctStandard",
    debtorName: `${person.owner.lastName} ${person.owner.firstName}`,
    debtorIban: person.iban,
    creditorIban: set.body.destinationIban,
    amount: 1,
    reason: set.body.ibanValidationCode,
  });
  const begin = async (person) => {
    const [walletId] = await createWallet(send, person);
    const set = await send("PUT", `/wallet/wallets/${walletId}/iban`, { iban: person.iban });
    return [walletId, fields(person, set)];
  };
  const refused = ({ steps }) => steps.some(({ detail }) => detail?.includes("did not fit"));
  const validated = step("ibanValidation", "Completed");
  const [suspended, misnamed, twice] = people;

  const [one, transfer] = await begin(suspended);
  await send("PUT", `/wallet/wallets/${one}/suspend`);
  await send("POST", "/sandbox/bank/notifications", transfer);
  await waitForOnboarding(send, one, refused);
  await send("PUT", `/wallet/wallets/${one}/reactivate`);
  await waitForOnboarding(send, one, validated);

  const [other, named] = await begin(misnamed);
  const { firstName, lastName, phoneNumber } = misnamed.owner;
  const corrected = `${lastName}ni`;
  for (const debtorName of [`${corrected} ${firstName}`, `${firstName} ${corrected}`])
    await send("POST", "/sandbox/bank/notifications", { ...named, debtorName });
  await waitForOnboarding(send, other, refused);
  await sleep(500);
  const names = { firstName, lastName: corrected, phoneNumber };
  await send("PUT", `/wallet/wallets/${other}/attributes`, names);
  await waitForOnboarding(send, other, validated);

  const [third, pair] = await begin(twice);
  await Promise.all([pair, pair].map((sct) => send("POST", "/sandbox/bank/notifications", sct)));
  await waitForOnboarding(send, third, validated);
};

const mandateOf = async (send, walletId) =>
  (await send("GET", `/wallet/wallets/${walletId}/mandate`)).body;

const mandateIs = async (send, walletId, status) => {
  while ((await mandateOf(send, walletId)).status !== status) await sleep(25);
};

/**
 * Refused; unanswered, then accepted after all, so that it is revoked; accepted and disabled, which the
 * bank refuses, leaves unanswered and confirms; accepted and disabled at once.
 */
const mandates = async (send, person, moveClock, database, bankAnswers) => {
  const [walletId] = await createWallet(send, person);
  await validateIban(send, walletId, person, quiet);
  const scriptRevocation = (outcome) =>
    send("PUT", "/sandbox/bank/script", { kind: "mandateRevocation", iban: person.iban, outcome });
  const requests = async (status, count) => {
    const select = `select request_id from borsello.bank_request
      where wallet_id = $1 and kind like 'mandate%' and status = $2 order by requested_at`;
    for (;;) {
      const { rows } = await database.query(select, [walletId, status]);
      if (rows.length >= count) return rows.map((row) => row.request_id);
      await sleep(25);
    }
  };
  await activateMandate(send, walletId, 10.99, quiet);
  await mandateIs(send, walletId, "Rejected");
  await activateMandate(send, walletId, 10.98, quiet);
  await moveClock(daysOn((await mandateOf(send, walletId)).activationRequestDate, 20));
  await mandateIs(send, walletId, "Draft");
  await bankAnswers((await requests("Requested", 1))[0], "accepted");
  await requests("Requested", 1);
  await sleep(500);
  await scriptRevocation("accepted");
  await moveClock(daysOn((await mandateOf(send, walletId)).lastFailureDate, 20));
  await requests("Accepted", 2);
  await send("PUT", `/wallet/wallets/${walletId}/mandate/disable`);
  await mandateIs(send, walletId, "Disabled");
  await activateMandate(send, walletId, 25, quiet);
  await mandateIs(send, walletId, "Active");
  await scriptRevocation("refused");
  await send("PUT", `/wallet/wallets/${walletId}/mandate/disable`);
  await requests("Refused", 2);
  await sleep(500);
  await scriptRevocation("silent");
  const { disableRequestDate } = await mandateOf(send, walletId);
  await moveClock(daysOn(disableRequestDate, 6));
  await requests("Requested", 1);
  await sleep(500);
  await scriptRevocation("accepted");
  await moveClock(daysOn(disableRequestDate, 30));
  await mandateIs(send, walletId, "Disabled");
  await activateMandate(send, walletId, 25, quiet);
  await mandateIs(send, walletId, "Active");
  await send("PUT", `/wallet/wallets/${walletId}/mandate/disable`);
  await mandateIs(send, walletId, "Disabled");
};

const silence = async (send, person, moveClock) => {
  const [walletId, { body }] = await createWallet(send, person);
  await send("PUT", `/sandbox/wallets/${walletId}/contract/decline`);
  await waitForOnboarding(send, walletId, step("contractSigning", "Failed"));
  await signContract(send, walletId, quiet);
  for (const days of [8, 31, 61]) {
    await moveClock(daysOn(body.creationDate, days));
    await sleep(500);
  }
  await moveClock(daysOn(body.creationDate, 91));
  await waitForOnboarding(send, walletId, ({ status }) => status === "Expired");
};

/** Closed while its code is waited for and its contract is being signed; then reopened and onboarded. */
const closing = async (send, person, database) => {
  const [walletId] = await createWallet(send, person);
  const wallet = `/wallet/wallets/${walletId}`;
  await send("PUT", `${wallet}/iban`, { iban: person.iban });
  // The flow comes to the signature only once the wallet is closed.
  await database.query(
    `insert into borsello.contract (wallet_id, partner_key, attempt, status)
     values ($1, 'acme', 1, 'Signing')`,
    [walletId],
  );
  await sleep(500);
  await send("PUT", `${wallet}/suspend`);
  await send("PUT", `${wallet}/close`);
  await database.query(
    `select borsello.tell_flows('ContractSignRequested', $1::text,
       json_build_object('walletId', $1::text, 'partnerKey', 'acme', 'attempt', 1))`,
    [walletId],
  );
  await sleep(1_000);
  await send("PUT", `${wallet}/reopen`);
  await send("PUT", `${wallet}/reactivate`);
  await validateIban(send, walletId, person, quiet);
  await signContract(send, walletId, quiet);
  await activateMandate(send, walletId, 25, quiet);
  await waitForOnboarding(send, walletId, ({ status }) => status === "Completed");
};

/** Expires, waits, is taken up again, resolved and closed in silence; one is canceled, one never answered. */
const tickets = async (send, operate, moveClock) => {
  const ask = { type: "Alert", category: "Indisponibilita del servizio", product: "wallet" };
  const create = async () =>
    (await send("POST", "/ticketing/tickets", { ...ask, description: "Help" })).body.Response
      .caseNumber;
  const [followed, canceled, unanswered] = [await create(), await create(), await create()];
  const detail = async (number) =>
    (await send("GET", `/ticketing/tickets/${number}`)).body.response;
  const move = (verb, number = followed) =>
    operate("PUT", `/ticketing/operator/tickets/${number}/${verb}`, { text: "We" });
  await sleep(500);
  await send("PUT", `/ticketing/tickets/${canceled}/Canceled`);
  await moveClock(daysOn((await detail(followed)).openingDate, 0.2));
  for (const verb of ["takeincharge", "askcustomer"]) {
    await move(verb);
    await sleep(500);
  }
  await send("POST", `/ticketing/tickets/${followed}/comments`, { text: "I" });
  await sleep(500);
  await move("resolve");
  await sleep(500);
  const is = async (number, status) => {
    while ((await detail(number)).status !== status) await sleep(25);
  };
  await moveClock(daysOn((await detail(followed)).resolvedDate, 4.1));
  await is(followed, "Closed");
  for (const verb of ["takeincharge", "askcustomer"]) {
    await move(verb, unanswered);
    await sleep(500);
  }
  const { response } = (await send("GET", `/ticketing/tickets/${unanswered}/timeline`)).body;
  await moveClock(daysOn(response.at(-1).createdon, 14.1));
  await is(unanswered, "Resolved");
  await sleep(500);
  await moveClock(daysOn((await detail(unanswered)).resolvedDate, 4.1));
  await is(unanswered, "Closed");
};

const key = () => randomBytes(16).toString("hex");

/** Initialised and confirmed. */
const operate = async (send, walletId, slug, body) => {
  const path = `/wallet/wallets/${walletId}/${slug}`;
  const made = await send("POST", path, { idempotencyKey: key(), ...body });
  await send("PUT", `${path}/${made.body.operationId}/confirm`);
  return made.body.operationId;
};

/** A day at a store; a withdrawal that is paid, one that is refused, one about which the bank is silent. */
const settlements = async (send, person, moveClock, database) => {
  const [walletId] = await createWallet(send, person);
  await validateIban(send, walletId, person, quiet);
  const store = await send("POST", "/wallet/dealers/dealer-rome/stores", {
    ...{ name: "Bottega", city: "Roma", address: "Via Appia 1", email: "bottega@example.com" },
    ...{ phoneNumber: "06 1234567", code: "B-1" },
  });
  const { storeId } = store.body;
  const is = async (operationId, pattern) => {
    const status = "select status from borsello.operation where operation_id = $1";
    for (;;) {
      const { rows } = await database.query(status, [operationId]);
      if (pattern.test(rows[0].status)) return;
      await sleep(25);
    }
  };
  const deposit = await operate(send, walletId, "cash/deposits", {
    ...{ amount: 500, storeId, operationGroupId: null, tags: { till: "1" } },
  });
  await send("POST", "/wallet/flows/harvestings?type=CashDeposit");
  await is(deposit, /^Completed$/);
  const withdraw = (amount) => operate(send, walletId, "sct/withdrawals", { amount, tags: null });
  const [paid, refused, silent] = [await withdraw(50), await withdraw(10.99), await withdraw(9.98)];
  await send("POST", "/wallet/flows/accountingoperations");
  await is(paid, /^Completed$/);
  await is(refused, /Rejected$/);
  await is(silent, /InitializeRequested$/);
  await moveClock(new Date(Date.now() + 100 * 86_400_000).toISOString());
  await is(silent, /Unaccomplished$/);
  await send("PUT", `/sandbox/outgoingpayments/${silent}/complete`);
  await is(silent, /^Completed$/);
};

/** A store's group whose direct debit the bank is silent about, then refuses, then books; a payment to it. */
const compensations = async (send, person, moveClock, database) => {
  const [walletId, { body: wallet }] = await createWallet(send, person);
  const dealer = "/wallet/dealers/dealer-rome/stores";
  const iban = person.iban;
  const { storeId } = (
    await send("POST", dealer, {
      ...{ name: "Bottega", city: "Roma", address: "Via Appia 1", email: "bottega@example.com" },
      ...{ phoneNumber: "06 1234567", code: "B-2", ownerIban: iban, ownerName: "Bottega Srl" },
    })
  ).body;
  await send("PUT", `${dealer}/${storeId}/mandate`);
  await database.query("update borsello.mandate set status = 'Active' where store_id = $1", [
    storeId,
  ]);
  const script = (kind, outcome) => send("PUT", "/sandbox/bank/script", { kind, iban, outcome });
  const is = async (status) => {
    const select = `select status from borsello.reconciliation_group where store_id = $1
      order by reconciliation_id desc limit 1`;
    while ((await database.query(select, [storeId])).rows[0]?.status !== status) await sleep(25);
  };
  const settle = () => send("POST", "/wallet/flows/sddstorescompensation");
  const at = { storeId, operationGroupId: null, tags: { till: "1" } };
  await operate(send, walletId, "cash/deposits", { amount: 50, ...at });
  await send("POST", "/wallet/flows/harvestings?type=CashDeposit");
  await is("Pending");
  await script("directDebit", "silent");
  await settle();
  await is("Collecting");
  await sleep(500);
  await moveClock(daysOn(wallet.creationDate, 0.001));
  await sleep(500);
  await script("directDebit", "refused");
  await moveClock(daysOn(wallet.creationDate, 1));
  await is("Pending");
  await sleep(500);
  await script("directDebit", "accepted");
  await settle();
  await is("Reconciled");
  await operate(send, walletId, "payments", {
    ...{ amount: 10, storeId, operationGroupId: null, tags: null, fundsType: null, bucketId: null },
  });
  await send("POST", "/wallet/flows/harvestings?type=Payment");
  await is("Pending");
  await settle();
  await is("Reconciled");
};

/**
 * Store mandates: one about which the bank is silent, which it refuses and then accepts, and which is deleted;
 * one that is deleted while the bank is asked.
 */
const storeMandates = async (send, { iban }, moveClock) => {
  const script = (outcome) =>
    send("PUT", "/sandbox/bank/script", { kind: "mandateActivation", iban, outcome });
  const read = async (id) => (await send("GET", `/wallet/storemandates/${id}`)).body;
  const is = async (id, fits) => {
    while (!fits(await read(id))) await sleep(25);
  };
  const open = async (code) => {
    const store = await send("POST", "/wallet/dealers/dealer-rome/stores", {
      ...{ name: "Bottega", city: "Roma", address: "Via Appia 1", email: "bottega@example.com" },
      ...{ phoneNumber: "06 1234567", code, ownerName: "Bottega Srl", ownerIban: iban },
    });
    const { storeId } = store.body;
    const reference = { storeId, mandateUniqueReference: `ACME ${code}` };
    const { storeMandateId } = (await send("POST", "/wallet/storemandates", reference)).body;
    await send("PUT", `/wallet/storemandates/${storeMandateId}/fill`);
    await trigger(storeMandateId);
    await sleep(500);
    return storeMandateId;
  };
  const trigger = (id) => send("POST", `/wallet/flows/storemandates?storeMandateId=${id}`);
  await script("silent");
  const followed = await open("M-1");
  await script("refused");
  const { fillDate } = await read(followed);
  await moveClock(daysOn(fillDate, 0.01));
  await is(followed, ({ attempts }) => attempts > 0);
  await script("accepted");
  await trigger(followed);
  await is(followed, ({ status }) => status === "Active");
  await sleep(500);
  await send("DELETE", `/wallet/storemandates/${followed}`);
  await is(followed, ({ status }) => status === "Disabled");
  await script("silent");
  await send("DELETE", `/wallet/storemandates/${await open("M-2")}`);
};

/** A deposit that waits for its wallet; returns that the bank books, refuses, and is silent about at first. */
const notifications = async (send, person, moveClock) => {
  const [walletId] = await createWallet(send, person);
  const set = await send("PUT", `/wallet/wallets/${walletId}/iban`, { iban: person.iban });
  const pay = (amount, reason) =>
    send("POST", "/sandbox/bank/notifications", {
      type: "IncomingSctInstant",
      debtorName: `${person.owner.lastName} ${person.owner.firstName}`,
      debtorIban: person.iban,
      creditorIban: set.body.destinationIban,
      ...{ amount, reason },
    });
  const found = async (amount, status, feedback = /^/) => {
    for (;;) {
      const { body } = await send("GET", "/wallet/banknotifications?pageSize=200");
      const one = body.items.find((item) => item.amount === amount && item.status === status);
      if (one !== undefined && feedback.test(one.feedback ?? "")) return one;
      await sleep(25);
    }
  };
  const reject = async (amount) => {
    const { bankNotificationId } = await found(amount, "Received");
    await send("PUT", `/wallet/banknotifications/${bankNotificationId}/reject`);
  };
  for (const amount of [31, 32.98, 33.99]) {
    await pay(amount, "savings");
    await reject(amount);
  }
  await found(31, "Rejected");
  await found(33.99, "Received", /ReturnRefused/);
  await sleep(500);
  const { iban } = person;
  const script = (outcome) =>
    send("PUT", "/sandbox/bank/script", { kind: "return", iban, outcome });
  const silent = await found(32.98, "RejectionRequested");
  await script("accepted");
  await moveClock(daysOn(silent.lastUpdateDate, 0.01));
  await found(32.98, "Rejected");
  await pay(1, set.body.ibanValidationCode);
  await found(1, "Consumed");
  await send("PUT", `/wallet/wallets/${walletId}/suspend`);
  await pay(34, "savings");
  await found(34, "Received", /Wallet/);
  await send("PUT", `/wallet/wallets/${walletId}/reactivate`);
  await found(34, "Consumed");
};

/** Three groups of one wallet: cancelled, out of time, confirmed. */
const groups = async (send, person, moveClock) => {
  const [walletId] = await createWallet(send, person);
  const base = `/wallet/wallets/${walletId}`;
  const open = async () => {
    const { body } = await send("POST", `${base}/groups`, { idempotencyKey: key() });
    await sleep(500);
    return body;
  };
  const cancelled = await open();
  await send("PUT", `${base}/groups/${cancelled.operationGroupId}/cancel`);
  const forgotten = await open();
  await moveClock(daysOn(forgotten.expiryDate, 0.001));
  const status = async (id) => (await send("GET", `${base}/groups/${id}`)).body.status;
  while ((await status(forgotten.operationGroupId)) !== "Expired") await sleep(25);
  await sleep(500);
  const { operationGroupId } = await open();
  const store = await send("POST", "/wallet/dealers/dealer-rome/stores", {
    ...{ name: "Bottega", city: "Roma", address: "Via Appia 1", code: "group" },
    ...{ email: "bottega@example.com", phoneNumber: "061234567" },
  });
  await send("POST", `${base}/cash/deposits`, {
    ...{ idempotencyKey: key(), amount: 10, storeId: store.body.storeId, operationGroupId },
    tags: { till: "1" },
  });
  await send("PUT", `${base}/groups/${operationGroupId}/confirm`);
};

/** Collections: booked; unanswered, asked for again and refused; booked and returned. */
const collections = async (send, person, moveClock, database) => {
  const [walletId] = await createWallet(send, person);
  await validateIban(send, walletId, person, quiet);
  await activateMandate(send, walletId, 25, quiet);
  await mandateIs(send, walletId, "Active");
  const decided = async (status, inquiries = 0) => {
    const select = `select 1 from borsello.bank_request
      where wallet_id = $1 and kind = 'directDebit' and status = $2 and inquiries >= $3`;
    while ((await database.query(select, [walletId, status, inquiries])).rows.length === 0)
      await sleep(25);
    await sleep(500);
  };
  const script = (outcome) =>
    send("PUT", "/sandbox/bank/script", { kind: "directDebit", iban: person.iban, outcome });
  const collect = async () => {
    const { mandateId, nextDepositRequestDate } = await mandateOf(send, walletId);
    const now = `${nextDepositRequestDate}T09:00:00.000Z`;
    await moveClock(now);
    await send("POST", `/wallet/flows/mandatedepositrequest?mandateId=${mandateId}`);
    return now;
  };
  await collect();
  await decided("Booked");
  await script("silent");
  const asked = await collect();
  await decided("Requested");
  await script("refused");
  await moveClock(daysOn(asked, 0.01));
  await decided("Refused", 1);
  await script("returned");
  await collect();
  await decided("Returned");
};

/** A card of acme's, as the processor issues one. */
const cardOf = async (database, number) => {
  const { rows } = await database.query(
    `with account as (
       insert into borsello.card_account (account_id, partner_key, customer_id, account_number,
         card_processor_reference, card_processor_data)
       values (uuidv7(), 'acme', uuidv7(), 'recorded-' || $1, 'A' || $1, '{}') returning *
     )
     insert into borsello.card (account_id, partner_key, customer_id, relation_type, name_on_card,
       product_code, pan_token, masked_pan, expiry_date, card_processor_data)
     select account_id, partner_key, customer_id, 'Primary', 'MARIO ROSSI', 'STANDARD',
       '999999recorded' || $1, '999999******0001', '2099-12-31', '{}' from account
     returning card_id, pan_token`,
    [number],
  );
  return rows[0];
};

/** Challenges: answered; refused after it moved to another device; out of time; on a device out of reach. */
const challenges = async (send, moveClock, database) => {
  let cards = 0;
  const acsVersion = "2.2.0";
  const listed = async (setDevices) => {
    cards += 1;
    const { card_id: cardId, pan_token: panToken } = await cardOf(database, cards);
    if (setDevices !== undefined) await send("PUT", "/sandbox/card/devices", setDevices(cardId));
    const transactionId = key();
    await send("POST", "/card/3ds/risk", {
      ...{ transactionId, acsVersion, panToken, merchantName: "Bottega", purchaseAmount: "20000" },
      ...{ purchaseExponent: 2, purchaseCurrency: "978", acquirerMerchantId: "BOTTEGA-1" },
      merchantFraudRate: 99,
    });
    const raise = async (authenticationType) => {
      const list = { transactionId, acsVersion, panToken, authenticationType };
      const { body } = await send("POST", "/card/3ds/devices", list);
      const { deviceId } = body[0];
      await send("POST", "/card/3ds/oob", { transactionId, acsVersion, deviceId });
      await sleep(500);
    };
    const answer = async (authenticated) => {
      const result = { transactionId, authenticated, authMethod: "07" };
      await send("POST", "/card/3ds/oob/result", result);
      await sleep(500);
    };
    return { transactionId, raise, answer };
  };
  const expiryOf = async (transactionId) => {
    const select = "select expires_at from borsello.threeds_transaction where transaction_id = $1";
    return (await database.query(select, [transactionId])).rows[0].expires_at.toISOString();
  };
  const answered = await listed();
  await answered.raise("OobPush");
  await answered.answer(true);
  const moved = await listed();
  await moved.raise("OobPush");
  await moved.raise("SmsMac");
  await moved.answer(false);
  const device = { deviceId: "D", displayVal: "Phone", isReachable: false };
  const unreachable = await listed((cardId) => ({ cardId, devices: [device] }));
  await unreachable.raise("OobPush");
  const forgotten = await listed();
  await forgotten.raise("OobPush");
  await moveClock(daysOn(await expiryOf(forgotten.transactionId), 0.001));
  await sleep(500);
};

/**
 * Clearings: one that rests, gives a deleted file back and is completed; one whose files can't be stored, so
 * that it waits for its next try, and is asked for meanwhile.
 */
const clearings = async (send, database) => {
  const { card_id: cardId } = await cardOf(database, 1_000);
  const present = async () => {
    await send("POST", "/sandbox/card/presentments", {
      ...{ cardId, amount: 12.5, currency: "EUR", merchantName: "Bottega", merchantCountry: "ITA" },
    });
    const select = "select from borsello.clearing_item where incoming_clearing_id is null";
    while ((await database.query(select)).rowCount === 0) await sleep(25);
  };
  const bookmark = async (clearingDate, fits) => {
    const query = `fromDate=${clearingDate}&toDate=${clearingDate}`;
    for (;;) {
      const [found] = (await send("GET", `/card/clearing/bookmarks?${query}`)).body.items;
      if (fits(found)) return found;
      await sleep(25);
    }
  };
  const ask = (clearingDate, mode) => send("POST", "/card/flows/clearing", { clearingDate, mode });
  const completed = ({ status }) => status === "Completed";

  await present();
  const rested = "2026-01-01";
  await ask(rested, "ImportOnly");
  const { clearingBookmarkId } = await bookmark(rested, ({ status }) => status === "Exporting");
  await sleep(500);
  const incoming = `/card/clearing/bookmarks/${clearingBookmarkId}/incoming`;
  const [file] = (await send("GET", incoming)).body;
  await send("DELETE", `${incoming}/${file.incomingClearingId}`);
  await sleep(1_000);
  await ask(rested, "Full");
  await bookmark(rested, completed);

  await present();
  const refused = "2026-01-02";
  await database.query("alter table borsello.document_piece rename to document_piece_away");
  await ask(refused, "Full");
  const waits =
    (times) =>
    ({ status, attempts }) =>
      status === "Queued" && attempts === times;
  await bookmark(refused, waits(1));
  await bookmark(refused, ({ attempts }) => attempts === 2);
  await bookmark(refused, waits(2));
  await sleep(500);
  await database.query("alter table borsello.document_piece_away rename to document_piece");
  await ask(refused, "Full");
  await bookmark(refused, completed);
  await sleep(500);
};

/** Lives begin with event 0, ExecutionStarted; the copies of one instance follow each other. */
const livesOf = (rows) => {
  const lives = new Map();
  for (const { key, id, name, input, events } of rows) {
    const turn = decodeEvents(events);
    const begins = turn.some(({ EventType }) => EventType === 0);
    const known = lives.get(key) ?? [];
    if (begins) known.push({ flow: name, instanceId: id, input: JSON.parse(input), history: [] });
    known.at(-1)?.history.push(...turn);
    lives.set(key, known);
  }
  return [...lives.values()].flat();
};

/** What happened in which order, what it was asked and how it ended: lives alike in this teach the same. */
const shapeOf = ({ input, history }) =>
  [
    Object.keys(input),
    ...history.map(({ EventType, Name = "", OrchestrationStatus, Result }) =>
      OrchestrationStatus === "Completed" ? `${EventType} ${Result}` : `${EventType}${Name}`,
    ),
  ].join(" ");

/** The recorded lives of a flow; none: it is new. */
const recordedLives = async (file) => {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return [];
  }
};

await withTemporaryFolder(async (folder) => {
  const platform = await startPlatform(join(folder, "data"));
  const database = new pg.Client({ connectionString: platform.databaseUrl });
  await database.connect();
  await database.query(copyTurns);
  const send = sender(platform.url, await headersFor(platform.url, acme));
  const moveClock = (now) => send("PUT", "/sandbox/clock", { now });
  await onboard(send, customer(1), quiet);
  await failedIban(send, customer(2), moveClock);
  await retriedIban(send, [8, 9, 10].map(customer));
  const bus = new ServiceBusClient(platform.brokerConnectionString);
  const outcomes = bus.createSender("bank-outcomes");
  const bankAnswers = (requestId, outcome) =>
    outcomes.sendMessages({ body: { requestId, outcome }, contentType: "application/json" });
  await mandates(send, customer(3), moveClock, database, bankAnswers);
  await bus.close();
  await storeMandates(send, customer(11), moveClock);
  await silence(send, customer(4), moveClock);
  await collections(send, customer(11), moveClock, database);
  await settlements(send, customer(5), moveClock, database);
  await compensations(send, customer(11), moveClock, database);
  await tickets(send, sender(platform.url, await headersFor(platform.url, operator)), moveClock);
  await notifications(send, customer(12), moveClock);
  await groups(send, customer(6), moveClock);
  await challenges(send, moveClock, database);
  await clearings(send, database);
  await closing(send, customer(7), database);
  await sleep(500);
  const { rows } = await database.query("select * from durable.recorded order by place");
  await database.end();
  await platform.stop();
  const flows = new Map();
  for (const life of livesOf(rows)) flows.set(life.flow, [...(flows.get(life.flow) ?? []), life]);
  await mkdir(target, { recursive: true });
  const wanted = process.argv.slice(2);
  for (const [flow, lives] of flows) {
    if (wanted.length > 0 && !wanted.includes(flow)) continue;
    const file = join(target, `${flow}.json`);
    const recorded = await recordedLives(file);
    const known = new Set(recorded.map(shapeOf));
    const fresh = new Map(lives.map((life) => [shapeOf(life), life]));
    const added = [...fresh].flatMap(([shape, life]) => (known.has(shape) ? [] : [life]));
    // Failures tell their stacks: where this checkout lies is nobody's business.
    const text = JSON.stringify([...recorded, ...added], null, 2).replaceAll(process.cwd(), "/app");
    await writeFile(file, `${text}\n`);
    console.log(`${flow}: ${recorded.length} known, ${added.length} new`);
  }
});
