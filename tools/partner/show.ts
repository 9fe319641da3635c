/** Shows one partner: who it is, what it may, what is set, and what waits on its topic. */
import { findRecord } from "../../shared/database/partners/records.js";
import { removalFaults } from "../../shared/database/partners/removal.js";
import { partnerTopicState } from "../../shared/events/partner-topic.js";
import { refused, type Command, type Given, type Report } from "../kit/command-line.js";
import { partnerOf, type Tools } from "./command.js";

const topicOf = async (tools: Tools, partnerKey: string) => {
  const broker = await tools.brokerIfSet();
  return broker === undefined ? undefined : partnerTopicState(broker.administration, partnerKey);
};

type Topic = Awaited<ReturnType<typeof topicOf>>;

const topicLine = (topic: Topic): string => {
  if (topic === undefined) return "not looked at: no setting names the broker";
  if (topic === null) return "missing: npm run partner -- add makes it";
  return `${topic.activeMessages} messages wait, ${topic.deadLetters} dead letters`;
};

const show = async (given: Given, tools: Tools): Promise<Report> => {
  const partnerKey = partnerOf(given);
  const record = await findRecord(tools.database, partnerKey);
  if (record === undefined) return refused([`There is no partner ${partnerKey}.`]);
  const topic = await topicOf(tools, partnerKey);
  const left = record.isOperator ? [] : await removalFaults(tools.database, partnerKey);
  const { clientId, roles, dealers, settings, formerAuthKeysUntil, removedAt } = record;
  return {
    done: true,
    value: { ...record, topic: topic ?? null, left },
    lines: [
      partnerKey + (removedAt === null ? "" : `, removed at ${removedAt.toISOString()}`),
      `  Client    ${clientId}${record.hasClientSecret ? ", with a secret for the sandbox" : ""}`,
      `  May       ${roles.join(", ")}${record.isOperator ? " (operator)" : ""}`,
      `  Dealers   ${dealers.length === 0 ? "none" : dealers.join(", ")}`,
      ...formerAuthKeysUntil.map(
        (until) => `  AuthKey   one before holds until ${until.toISOString()}`,
      ),
      `  Topic     ${topicLine(topic)}`,
      ...left.map((sentence) => `  Books     ${sentence}`),
      `  Settings  ${JSON.stringify(settings, null, 2).replaceAll("\n", "\n            ")}`,
    ],
  };
};

export const showCommand: Command<Tools> = {
  name: "show",
  usage: "NAME",
  summary: "shows a partner, its settings, what waits on its topic and what is left of it",
  options: {},
  help: [],
  run: show,
};
