/** What the address of a link stands for, or why nothing is opened there. */
import { BrokerError, conditions, entityNotFound } from "../errors.js";
import type { Destination } from "../entities/destination.js";
import type { Directory } from "../entities/directory.js";
import type { Queue } from "../entities/queue.js";
import type { ManagedEntity } from "../requests/management.js";
import type { EntityStore } from "../storage/entity-store.js";
import type { Link } from "../wire/rhea.js";

export const authorizationAddress = "$cbs";

const managementSuffix = /\/\$management$/i;

export const isManagement = (address: string): boolean => managementSuffix.test(address);

/** Both ends of a link have an address or none. */
export const checkAddresses = ({ source, target }: Link): void => {
  for (const address of [source?.address, target?.address])
    if (typeof (address ?? "") !== "string")
      throw new BrokerError(conditions.invalidField, "The address of a link is a text.");
};

/** For a sender. */
export const destinationAt = (directory: Directory, address: string): Destination => {
  const destination = directory.destination(address);
  if (destination !== undefined) return destination;
  if (directory.subscription(address) === undefined) throw entityNotFound(address);
  throw new BrokerError(
    conditions.notAllowed,
    `Cannot create a message sender for a subscription. Entity: '${address}'.`,
  );
};

/** For a receiver. */
export const queueAt = (directory: Directory, address: string): Queue => {
  const queue = directory.queue(address);
  queue?.checkReceivable();
  if (queue !== undefined) return queue;
  throw directory.destination(address) === undefined
    ? entityNotFound(address)
    : new BrokerError(
        conditions.notAllowed,
        `Messages of '${address}' are taken from its subscriptions.`,
      );
};

/** For requests that manage it. */
export const managedAt = (
  { directory, entities }: { readonly directory: Directory; readonly entities: EntityStore },
  address: string,
): ManagedEntity => {
  const path = address.replace(managementSuffix, "");
  const found = {
    queue: directory.queue(path),
    destination: directory.destination(path),
    subscription: directory.subscription(path),
    entities,
  };
  if (found.queue === undefined && found.destination === undefined) throw entityNotFound(path);
  return found;
};
