/** A client that presents the tokens it is told to, where the genuine one makes its own. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import rhea, { type Connection, type EventContext } from "rhea";

/** A connection that has shown no token yet, and does not come back by itself. */
export const openConnection = async (port: number): Promise<Connection> => {
  const connection = rhea.create_container().connect({
    port,
    host: "127.0.0.1",
    username: "RootManageSharedAccessKey",
    reconnect: false,
  });
  await once(connection, "connection_open");
  return connection;
};

/** Presents a token and answers the status of the reply. */
export const presentToken = async (connection: Connection, presented: string): Promise<number> => {
  const name = randomUUID();
  const replies = connection.open_receiver({ name, source: { address: "$cbs" } });
  const requests = connection.open_sender({ target: { address: "$cbs" } });
  await once(requests, "sendable");
  requests.send({
    message_id: "1",
    reply_to: name,
    application_properties: { operation: "put-token", type: "servicebus.windows.net:sastoken" },
    body: presented,
  });
  const [{ message }] = (await once(replies, "message")) as [EventContext];
  replies.close();
  requests.close();
  return Number(message?.application_properties?.["status-code"]);
};
