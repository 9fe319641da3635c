/** The commands for dead letters, on the broker that options or settings name. */
import type { ServiceBusClient, ServiceBusAdministrationClient } from "@azure/service-bus";
import { openAdministration } from "../../shared/events/broker-administration.js";
import { openClient } from "../../shared/events/service-bus.js";
import type { Environment } from "../../shared/platform/settings/reading.js";
import { brokerHelp, brokerOf, brokerOptions, certificateOf } from "../kit/broker-place.js";
import { failureText } from "../kit/failure-text.js";
import { runProgram, type ExitCode, type Program, type Voice } from "../kit/command-line.js";
import { listCommand } from "./list.js";
import { resendCommand } from "./resend.js";
import { showCommand } from "./show.js";
import type { Tools } from "./tools.js";

const program: Program<Tools & { close(): Promise<void> }> = {
  start: "npm run dead-letters -- ",
  summary: "What was delivered too often or could not be read: listed, shown, sent again.",
  commands: [listCommand, showCommand, resendCommand],
  placeOptions: { ...brokerOptions, json: { type: "boolean" }, help: { type: "boolean" } },
  placeHelp: [...brokerHelp, "--json               what was done as one JSON object, for programs"],
  open: (given, environment, voice) => {
    const connection = brokerOf(given, environment);
    let client: Promise<ServiceBusClient> | undefined;
    let administration: Promise<ServiceBusAdministrationClient> | undefined;
    return {
      client: () => (client ??= openClient(connection)),
      administration: () =>
        (administration ??= certificateOf(given, connection).then((ca) =>
          openAdministration(connection, { ca }),
        )),
      // Beside what is printed, so that --json stays one object.
      tell: voice.complain,
      close: async () => (await client)?.close(),
    };
  },
  explain: (error) =>
    `It could not be done: ${failureText(error)}\n` +
    "Run the same command again: what was resent is no dead letter any more.",
};

export const runDeadLetters = (
  args: readonly string[],
  environment: Environment,
  voice: Voice,
): Promise<ExitCode> => runProgram(program, args, environment, voice);
