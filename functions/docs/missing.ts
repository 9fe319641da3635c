/** The answer for a page that there is not: a page to browsers, the platform's error to all others. */
import type { HttpRequest } from "@azure/functions";
import { preferredType } from "../../shared/http/accept.js";
import { errorReply } from "../../shared/http/error-body.js";
import type { Reply } from "../kit/reply.js";
import type { Services } from "../kit/services.js";
import { html, type Html } from "./html.js";
import { hasSandbox } from "./pages.js";
import { page, pageHeaders } from "./shell.js";

const shownLength = 100;

const body = (path: string, requestId: string): Html =>
  html`<div class="sheet">
    <h1>No such page</h1>
    <p class="lead">There is nothing at <code>${path.slice(0, shownLength)}</code>.</p>
    <p>
      The <a href="/docs">first page</a> leads to the references, the
      <a href="/docs/guide">guides</a> and the <a href="/docs/events">events</a>.
    </p>
    <p class="soft">Request <code>${requestId}</code></p>
  </div>`;

const headers = pageHeaders();

export const missingPage = (services: Services, request: HttpRequest, requestId: string): Reply => {
  const refused = errorReply("platform", { code: "RouteNotFound" }, requestId);
  const accepted = preferredType(request.headers.get("accept"), ["application/json", "text/html"]);
  if (accepted === "application/json") return refused;
  const path = new URL(request.url).pathname;
  return {
    ...refused,
    headers: { ...headers, Vary: "Accept" },
    body: page({
      title: "No such page",
      path,
      body: body(path, requestId),
      hasSandbox: hasSandbox(services),
    }),
  };
};
