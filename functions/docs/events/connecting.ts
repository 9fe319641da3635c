/** How a partner reaches its topic: in the cloud with its own client, on one machine with a key. */
import { codeBlock } from "../code.js";
import { html, type Html } from "../html.js";
import type { Services } from "../../kit/services.js";
import { localBrokerHost } from "../../platform/asyncapi.js";
import { sandboxCallers } from "../../platform/openapi.js";

const inTheCloud = `import { ClientSecretCredential } from "@azure/identity";
import { ServiceBusClient } from "@azure/service-bus";

const credential = new ClientSecretCredential(tenantId, clientId, clientSecret);
const client = new ServiceBusClient("NAMESPACE.servicebus.windows.net", credential);
const receiver = client.createReceiver("PARTNER", "PARTNER"); // topic and subscription`;

const onThisMachine = `import { ServiceBusClient } from "@azure/service-bus";

const client = new ServiceBusClient(connectionString);
const receiver = client.createReceiver("acme", "acme"); // topic and subscription`;

const connectionString = (host: string, partner: string): string =>
  `Endpoint=sb://${host};SharedAccessKeyName=${partner};SharedAccessKey=${partner}-local-key;UseDevelopmentEmulator=true;`;

const keyOf = (host: string, partner: string): Html =>
  codeBlock({ code: connectionString(host, partner), language: "sh", title: partner });

const here = (host: string): Html => {
  const [first = "", ...others] = new Set(sandboxCallers.map(({ name }) => name));
  return html`<p>
      Here it is a broker on this machine, and each of the sandbox's partners has a key that reads
      its own topic:
    </p>
    ${keyOf(host, first)}
    <details class="more">
      <summary>The same for ${others.join(", ")}</summary>
      ${others.map((partner) => keyOf(host, partner))}
    </details>
    ${codeBlock({ code: onThisMachine, language: "js" })}`;
};

export const connecting = ({ config }: Services): Html => {
  const host = config.environment === "production" ? null : localBrokerHost(config.serviceBus);
  return html`<h2 id="connecting">Connecting</h2>
    <p>
      Topic and subscription both have the partner's name. Any client of Azure Service Bus reads
      them, over AMQP 1.0; the subscription needs no sessions, and nothing else of the broker is
      open to a partner.
    </p>
    ${host === null ? "" : here(host)}
    <p>
      In Azure the partner's own client id and secret open it; administrators name the namespace:
    </p>
    ${codeBlock({ code: inTheCloud, language: "js" })}`;
};
