/** What commands for dead letters work with. */
import type { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";

/** Each part is opened when it is first asked for. */
export interface Tools {
  client(): Promise<ServiceBusClient>;
  administration(): Promise<ServiceBusAdministrationClient>;
  /** Says what was done so far. */
  tell(step: string): void;
}
