/** SQL that writes a wallet's messages into the outbox, as the last WITH query of the change's statement. */
import type { FlowMessageName } from "../../contracts/platform/flow-messages.js";

type WalletEventName = "WalletUpdated" | "WalletIbanDeleted";

/** A select whose rows are outbox rows; `from` is a WITH query of the same statement. */
type MessageSelect = string;

/** A business event: to the partner's topic and to the flows. `payload` reads the wallet row `w`. */
export const walletEvent = (
  name: WalletEventName,
  from: string,
  payload = "borsello.wallet_event(w)",
): MessageSelect => `
  select fresh.message_id, array[(w).partner_key, 'platform-events'], (w).wallet_id::text,
    '${name}', (w).partner_key, (w).version,
    borsello.event_body(fresh.message_id, borsello.platform_now(), ${payload})
  from ${from}, (select uuidv7() as message_id) as fresh`;

/** A message for the platform's own flows. `fields` are SQL arguments of json_build_object. */
export const flowMessage = (
  name: FlowMessageName,
  from: string,
  row: {
    readonly walletId: string;
    readonly partnerKey: string;
    readonly fields?: string;
    /** What it is in order with: its wallet unless given. */
    readonly session?: string;
  },
): MessageSelect => `
  select uuidv7(), '{platform-events}'::text[], (${row.session ?? row.walletId})::text, '${name}', null::text, null::bigint,
    json_build_object('walletId', ${row.walletId}, 'partnerKey', ${row.partnerKey}
      ${row.fields === undefined ? "" : `, ${row.fields}`})
  from ${from}`;

/** The insert of these messages; they leave in this order. */
export const outboxInsert = (...selects: readonly MessageSelect[]): string => `
  insert into borsello.outbox (message_id, destinations, session_id, subject, partner_key,
    entity_version, body)
  select message_id, destinations, session_id, subject, partner_key, entity_version, body from (
    ${selects
      .map(
        (select, place) => `select ${place} as place, message.* from (${select}) as message
      (message_id, destinations, session_id, subject, partner_key, entity_version, body)`,
      )
      .join(" union all ")}
  ) as message order by place`;
