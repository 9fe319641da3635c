/** A document about the platform that is written and compressed once per process, and not sent again to who has it. */
import type { Route } from "../../shared/contracts/route.js";
import type { Json } from "../../shared/http/json-schemas.js";
import { openEndpoint, type Endpoint } from "../kit/endpoint.js";
import { pack, packedReply, type Packed } from "../kit/packed.js";
import type { Services } from "../kit/services.js";

const headers = { "Content-Type": "application/json", "Cache-Control": "no-cache" };

export const documentEndpoint = (
  route: Route,
  documentOf: (services: Services) => Json,
): Endpoint => {
  let packed: Promise<Packed> | undefined;
  return openEndpoint(route, async (services, request) => {
    packed ??= pack(JSON.stringify(documentOf(services)));
    return packedReply(request, await packed, headers);
  });
};
