/** Registers endpoints and catch-alls with the Functions host. */
import { app } from "@azure/functions";
import { fullPath, functionName } from "../../shared/http/paths.js";
import { answer } from "./answer.js";
import { catchAlls } from "./catch-all.js";
import type { Endpoint } from "./endpoint.js";
import type { Services } from "./services.js";

const register = (services: Services, endpoint: Endpoint): void => {
  const { route, extraInputs } = endpoint;
  app.http(functionName(route), {
    methods: [route.method],
    // The token is ours to check: the host's function keys would only hide its answers.
    authLevel: "anonymous",
    route: fullPath(route),
    extraInputs: [...extraInputs],
    handler: (request, context) => answer(services, endpoint, request, context),
  });
};

export const registerEndpoints = (services: Services, endpoints: readonly Endpoint[]): void => {
  for (const endpoint of endpoints) register(services, endpoint);
  for (const { name, api, methods, path, template, answer: refuse } of catchAlls(services.routes)) {
    const endpoint = {
      route: { api, id: name, path },
      answer: async (...[, request, , { requestId }]) => refuse(request, requestId),
    } satisfies Parameters<typeof answer>[1];
    app.http(name, {
      methods: [...methods],
      authLevel: "anonymous",
      route: template,
      handler: (request, context) => answer(services, endpoint, request, context),
    });
  }
};
