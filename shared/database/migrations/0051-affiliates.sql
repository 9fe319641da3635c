-- Where an affiliate is asked in the sandbox, and what an affiliate must still be told.

-- In place of the partner's settings, outside production alone.
create table borsello.sandbox_o2i_target (
  partner_key text primary key references borsello.partner on delete cascade,
  -- Null: nobody is asked.
  endpoint text,
  stand_in text
);

-- Told again and again until the affiliate has heard it: reversals of what it approved too late, or may have
-- approved; advices and reversals that came while it was not reached.
create table borsello.o2i_push (
  partner_key text not null references borsello.partner,
  -- Of the message itself, so that the affiliate takes it once however often it comes.
  transaction_id text not null,
  kind text not null check (kind in ('advice', 'reversal')),
  -- As it is sent (card seed, 2.7); null once nobody is told any more.
  request json,
  status text not null default 'Waiting' check (status in ('Waiting', 'Told', 'GivenUp')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  -- The affiliate's word; null: it was not heard.
  response_code text,
  primary key (partner_key, transaction_id),
  constraint o2i_push_waits check ((status = 'Waiting') = (request is not null))
);
create index o2i_push_due on borsello.o2i_push (partner_key, due_at) where status = 'Waiting';
