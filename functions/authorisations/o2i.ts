/** The O2I routes: request, advice, inquiry and reversal, and their simulations. */
import {
  o2iKinds,
  o2iRoutes,
  o2iSimulationRoutes,
  type O2iKind,
} from "../../shared/contracts/authorisations/o2i.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";
import { authorise } from "./authorise.js";

type O2iRoute =
  | (typeof o2iRoutes)[keyof typeof o2iRoutes]
  | (typeof o2iSimulationRoutes)[keyof typeof o2iSimulationRoutes];

const o2iEndpoint = (route: O2iRoute, kind: O2iKind): Endpoint =>
  endpoint(route, async (services, { caller, body, ok, refuse }) => {
    const answered = await authorise(services, caller, kind, body);
    return answered.ok ? ok(answered.value) : refuse(answered);
  });

export const authorisationEndpoints: readonly Endpoint[] = [
  ...o2iKinds.map((kind) => o2iEndpoint(o2iRoutes[kind], kind)),
  o2iEndpoint(o2iSimulationRoutes.request, "request"),
  o2iEndpoint(o2iSimulationRoutes.reversal, "reversal"),
];
