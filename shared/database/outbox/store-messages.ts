/** SQL that records a change of a store: its audit row and its business event. */

type StoreEventName = "StoreCreated" | "StoreUpdated" | "StoreDeleted";

/**
 * The rest of a statement whose WITH query `changed` returns the store's row as `s` and its state
 * before as `state_before`; `$2` is the client. The main query reads the event, or PostgreSQL would
 * leave it out.
 */
export const recordedStore = (action: string, event: StoreEventName): string => `
  audited as (
    insert into borsello.audit
      (actor, partner_key, entity, entity_id, action, from_status, to_status)
    select $2, (s).partner_key, 'Store', (s).store_id::text, '${action}', state_before,
      borsello.store_state(s)
    from changed
  )
  select borsello.store_record(s) as store, borsello.publish_event(
    '${event}', (s).partner_key, (s).store_id::text, (s).version, borsello.store_event(s))
  from changed`;
