/** Every five minutes: starts the flows anew of pending operation groups that have lost theirs. */
import { pendingGroups, type PendingGroup } from "../../shared/database/operations/expiry.js";
import {
  operationGroup,
  operationGroupInstance,
} from "../../orchestrations/operation-group.flow.js";
import type { Services } from "../kit/services.js";
import { registerSweep, type FlowSweep } from "./sweep.js";

/** Groups that nobody has confirmed or ended. */
export const groupSweep = ({ database }: Pick<Services, "database">): FlowSweep<PendingGroup> => ({
  name: "groupSweep",
  page: (after, groupsMax) => pendingGroups(database, after, groupsMax),
  placeOf: ({ place }) => place,
  startOf: ({ operationGroupId }) => ({
    flow: operationGroup,
    instanceId: operationGroupInstance(operationGroupId),
    input: { operationGroupId },
    restartAfter: ["completed", "failed"],
  }),
});

export const registerGroupSweep = (services: Services): void => {
  registerSweep(services, { schedule: "45 */5 * * * *", sweep: groupSweep(services) });
};
