-- Documents in pieces, and the attachments of tickets.

-- The pieces of a document that was written as a stream; none of them counts before its document's
-- row is there.
create table borsello.document_piece (
  document_key text not null,
  -- Which attempt to write: two at once keep their pieces apart, and one of them wins.
  write_id uuid not null,
  piece_number integer not null check (piece_number >= 0),
  bytes bytea not null,
  primary key (document_key, write_id, piece_number)
);
alter table borsello.document_piece alter column bytes set storage external;

alter table borsello.document alter column bytes drop not null;
alter table borsello.document add column write_id uuid;
alter table borsello.document add column byte_count bigint check (byte_count >= 0);
-- The bytes lie in the row itself or in pieces.
alter table borsello.document add constraint document_in_one_place
  check (num_nulls(write_id, byte_count) = case when bytes is null then 0 else 2 end);

-- Uploads under way, noted before the first byte is stored: what a crash leaves behind is found here.
create table borsello.attachment_upload (
  upload_id uuid primary key default uuidv7(),
  case_number text collate "C" not null references borsello.ticket,
  document_key text not null unique,
  started_at timestamptz not null default now(),
  -- Set by the sweep before it removes the document: from then on nothing can commit the upload.
  given_up_at timestamptz
);
create index attachment_upload_by_age on borsello.attachment_upload (started_at);

create table borsello.attachment (
  case_number text collate "C" not null references borsello.ticket,
  -- Counts within the ticket, so that it tells nothing about other partners' tickets.
  attachment_id integer not null check (attachment_id > 0),
  document_key text not null unique,
  file_name text not null check (length(file_name) between 1 and 255),
  content_type text not null,
  byte_count bigint not null check (byte_count > 0),
  sha256 bytea not null,
  uploaded_by text not null,
  created_on timestamptz not null default borsello.platform_now(),
  primary key (case_number, attachment_id)
);

-- The attachment as the API lists it (ticketing seed, 2.6), without its content.
create function borsello.attachment_record(a borsello.attachment) returns json
language sql stable parallel safe
return json_build_object(
  'id', a.attachment_id, 'filename', a.file_name, 'createdOn', borsello.iso(a.created_on),
  'contentType', a.content_type
);
