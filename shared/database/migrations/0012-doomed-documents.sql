-- Documents of wallets that were deleted for good: the sweep takes them out of wherever they lie.
create table borsello.doomed_document (
  document_key text primary key,
  doomed_at timestamptz not null default now()
);
