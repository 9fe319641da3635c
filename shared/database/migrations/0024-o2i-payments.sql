-- Card payments that the card platform asks for (wallet seed, 4.3): each transaction has one answer.

create table borsello.o2i_payment (
  partner_key text not null references borsello.partner,
  transaction_id text not null,
  -- SHA-256 of what was to be paid.
  request_hash bytea not null,
  -- Null: it was declined.
  operation_id uuid,
  answer json not null,
  creation_date timestamptz not null default borsello.platform_now(),
  primary key (partner_key, transaction_id)
);

create function borsello.o2i_answer(of_wallet uuid, refusal text, detail text) returns json
language sql stable
return json_build_object('refusal', refusal, 'detail', detail,
  'availableBalance', borsello.money(borsello.available_cents(of_wallet)));

-- Initialises and confirms, or declines; code: the wallet is not one of the caller's. A repeat waits for
-- the first and gets its answer.
create function borsello.pay_by_o2i(
  command json, of_transaction text, refused text, out code text, out answer json
) language plpgsql volatile as $$
declare
  c borsello.operation_command :=
    json_populate_record(null::borsello.operation_command, command);
  known borsello.o2i_payment;
  locked record;
  done borsello.command_outcome;
begin
  perform pg_advisory_xact_lock(hashtextextended(c.partner_key || ' ' || of_transaction, 24));
  locked := borsello.lock_wallet_for(c, true);
  code := (locked.outcome).code;
  if code is not null then return; end if;
  select * into known from borsello.o2i_payment
  where partner_key = c.partner_key and transaction_id = of_transaction;
  if found then
    answer := case when known.request_hash = decode(c.request_hash, 'hex') then known.answer
      else borsello.o2i_answer(c.wallet_id, 'DuplicateTransaction', null) end;
    return;
  end if;
  if refused is null then
    select made.code, made.properties, made.answer into done.code, done.properties, done.answer
    from borsello.run_operation_commands(json_build_array(command), true) as made;
    refused := done.code;
  end if;
  if refused is null then
    c.operation_id := (done.answer ->> 'operationId')::uuid;
    done := borsello.confirm_operation(c, true);
    if done.code is not null then
      raise exception 'payment % was initialised, then refused: %', c.operation_id, done.code;
    end if;
  end if;
  answer := borsello.o2i_answer(c.wallet_id, refused,
    coalesce(done.properties ->> 'status', done.properties ->> 'limitName'));
  insert into borsello.o2i_payment (partner_key, transaction_id, request_hash, operation_id, answer)
  values (c.partner_key, of_transaction, decode(c.request_hash, 'hex'), c.operation_id, answer);
end $$;
