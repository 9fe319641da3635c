/** The Unix-domain socket of a server: quicker than the loopback network for programs of this machine. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const socketName = ".s.PGSQL.";

/** The shortest limit of the systems that the server is run on: macOS has 104 bytes, with a NUL. */
const pathBytesMax = 103;

/** Whether a socket of any port can have its place in the server's own directory, which is closed to others. */
export const hasRoomForSocket = (directory: string): boolean =>
  Buffer.byteLength(join(directory, `${socketName}65535`)) <= pathBytesMax;

/** As the setting `unix_socket_directories` wants it: a list, whose items may be quoted. */
export const socketSetting = (directory: string): string => `"${directory.replaceAll('"', '""')}"`;

/** The file system of this directory may not know sockets, as some that are shared with a container. */
export const isSocketRefused = (complaint: string): boolean => complaint.includes("Unix");

/** The connection string by the socket; by a client that knows no sockets it is read as the other one. */
export const withSocket = (url: string, directory: string): string =>
  `${url}?host=${encodeURIComponent(directory)}`;

/** What a killed server left: its process id may by now be another program's, which the next would respect. */
export const removeSockets = async (directory: string): Promise<void> => {
  const left = (await readdir(directory)).filter((name) => name.startsWith(socketName));
  await Promise.all(left.map((name) => rm(join(directory, name), { force: true })));
};
