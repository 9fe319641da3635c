/** Binds a page of the site to its route: written and compressed at its first call, once per process. */
import type { Route } from "../../shared/contracts/route.js";
import { lazyBy } from "../../shared/platform/lazy.js";
import { openEndpoint, type Endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";
import { page, pageHeaders, type Page, type Policy } from "./shell.js";
import { pack, packedReply, type Packed } from "../kit/packed.js";

/** A page without what is the same for all pages of a process. */
export type PageContent = Omit<Page, "hasSandbox">;

export const hasSandbox = ({ config }: Services): boolean => config.environment !== "production";

export const packPage = async (services: Services, content: PageContent): Promise<Packed> =>
  pack(page({ ...content, hasSandbox: hasSandbox(services) }));

export const pageEndpoint = (
  route: Route,
  write: (services: Services) => PageContent | Promise<PageContent>,
  policy?: Policy,
): Endpoint => {
  const headers = pageHeaders(policy);
  const packed = lazyBy(async (services: Services) => packPage(services, await write(services)));
  return openEndpoint(route, async (services, request) =>
    packedReply(request, await packed(services), headers),
  );
};
