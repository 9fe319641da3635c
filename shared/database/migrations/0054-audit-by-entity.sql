-- The audit of one entity, as its partner reads it: which link of the chain covers a row.

create index audit_link_by_row on borsello.audit_link (audit_through, link_id);
