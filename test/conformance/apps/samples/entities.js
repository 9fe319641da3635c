// Entities: a counter by function, one by class, an aggregator of readings, and accounts under a lock.
import * as df from "durable-functions";

df.app.entity("tally", ({ df: entity }) => {
  const value = entity.getState(() => 0);
  switch (entity.operationName) {
    case "add":
      entity.setState(value + entity.getInput());
      break;
    case "reset":
      entity.setState(0);
      break;
    case "get":
      entity.return(value);
      break;
  }
});

class Account {
  constructor(state) {
    this.balance = state.balance;
  }
  deposit(amount) {
    this.balance += amount;
  }
  withdraw(amount) {
    if (amount > this.balance) throw new Error("not enough");
    this.balance -= amount;
  }
  get() {
    return this.balance;
  }
}

/** Operations are the methods of a class; its fields are the state. */
const dispatchTo =
  (Class, initial) =>
  ({ df: entity }) => {
    const instance = new Class(entity.getState(() => initial));
    const result = instance[entity.operationName](entity.getInput());
    entity.setState({ ...instance });
    if (result !== undefined) entity.return(result);
  };

df.app.entity("account", dispatchTo(Account, { balance: 0 }));

df.app.entity("aggregate", ({ df: entity }) => {
  const { count, sum, max } = entity.getState(() => ({ count: 0, sum: 0, max: null }));
  const reading = entity.getInput();
  entity.setState({ count: count + 1, sum: sum + reading, max: Math.max(max ?? reading, reading) });
});

df.app.orchestration("countTo", function* ({ df: flow }) {
  const id = new df.EntityId("tally", flow.instanceId);
  for (let n = 1; n <= flow.getInput(); n++) yield flow.callEntity(id, "add", n);
  const sum = yield flow.callEntity(id, "get");
  yield flow.callEntity(id, "reset");
  return { sum, afterReset: yield flow.callEntity(id, "get") };
});

df.app.orchestration("fillAccount", function* ({ df: flow }) {
  const { account, amount } = flow.getInput();
  yield flow.callEntity(new df.EntityId("account", account), "deposit", amount);
});

// Money moves only while both accounts are held, so no look ever sees half a move.
df.app.orchestration("moveMoney", function* ({ df: flow }) {
  const { from, to, amount } = flow.getInput();
  const source = new df.EntityId("account", from);
  const target = new df.EntityId("account", to);
  const lock = yield flow.lock(source, target);
  const before = yield flow.callEntity(source, "get");
  if (before >= amount) {
    yield flow.callEntity(source, "withdraw", amount);
    yield flow.callEntity(target, "deposit", amount);
  }
  const total = (yield flow.callEntity(source, "get")) + (yield flow.callEntity(target, "get"));
  lock.release();
  return { moved: before >= amount, total };
});
