/** Which addresses an affiliate's may be: in production none of the platform's own network, by whatever name. */
import type { LookupAddress } from "node:dns";
import { expect, test } from "vitest";
import { openConnections } from "../../../shared/affiliates/connections.js";
import {
  AddressRefusedError,
  checkHost,
  guardedLookup,
  isOnInternet,
} from "../../../shared/affiliates/own-network.js";
import {
  isEndpointUrl,
  isLoopbackUrl,
} from "../../../shared/domain/authorisations/endpoint-url.js";

test.each([
  ["93.184.216.34", true],
  ["8.8.8.8", true],
  ["172.32.0.1", true],
  ["2606:2800:220:1:248:1893:25c8:1946", true],
  ["127.0.0.1", false],
  ["127.8.8.8", false],
  ["10.1.2.3", false],
  ["172.16.0.1", false],
  ["172.31.255.255", false],
  ["192.168.1.1", false],
  ["169.254.169.254", false],
  ["168.63.129.16", false],
  ["100.64.0.1", false],
  ["0.0.0.0", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::", false],
  ["::1", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:8.8.8.8", false],
  ["64:ff9b::a00:1", false],
  ["2002:a00:1::", false],
  ["2001::a00:1", false],
  ["fd00:ec2::254", false],
  ["fe80::1", false],
  ["fec0::1", false],
  ["ff02::1", false],
  ["", false],
  ["localhost", false],
])("whether %j lies on the internet: %s", (address, expected) => {
  expect(isOnInternet(address)).toBe(expected);
});

test.each([
  ["https://affiliate.example/o2i?x=1", true],
  ["http://127.0.0.1:8080/o2i", true],
  ["http://localhost:8080", true],
  ["http://[::1]:8080/", true],
  ["http://affiliate.example/", false],
  ["http://127.0.0.1.example/", false],
  ["http://localhost.example/", false],
  ["https://user:secret@affiliate.example/", false],
  ["https://affiliate.example/#part", false],
  ["ftp://affiliate.example/", false],
  ["file:///etc/passwd", false],
  ["affiliate.example", false],
  ["", false],
  [`https://affiliate.example/${"x".repeat(2_048)}`, false],
])("whether %j may be an endpoint: %s", (text, expected) => {
  expect(isEndpointUrl(text)).toBe(expected);
});

test("an address of this machine is one however it is written", () => {
  for (const text of ["http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/"])
    expect(isLoopbackUrl(new URL(text))).toBe(true);
});

/** What a connection is given of these addresses, all at once as Node asks for them. */
const lookUp = (addresses: readonly string[], reach: "internet" | "loopback") =>
  new Promise<string | LookupAddress[]>((resolve, reject) => {
    const found = addresses.map((address) => ({ address, family: 4 as const }));
    const look = guardedLookup(reach, () => Promise.resolve(found));
    look("affiliate.example", { all: true }, (error, answer) => {
      if (error === null) resolve(answer);
      else reject(error);
    });
  });

test("a name is refused whole as soon as one of its addresses may not be called", async () => {
  expect(await lookUp(["93.184.216.34"], "internet")).toEqual([
    { address: "93.184.216.34", family: 4 },
  ]);
  for (const addresses of [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], []])
    await expect(lookUp(addresses, "internet")).rejects.toThrow(AddressRefusedError);
  await expect(lookUp(["93.184.216.34"], "loopback")).rejects.toThrow(AddressRefusedError);
});

test("in production no address of this machine or network is called, by number or by name", async () => {
  const url = (text: string) => ({ url: new URL(text), headers: {}, body: "{}" });
  const connections = openConnections(true, 2);
  try {
    for (const text of ["https://127.0.0.1:1/", "https://[::1]:1/", "https://2130706433:1/"])
      expect(() => connections.post(url(text))).toThrow(AddressRefusedError);
    expect(() => connections.post(url("http://127.0.0.1:1/"))).toThrow(AddressRefusedError);
    const byName = connections.post(url("https://localhost:1/"));
    await expect(byName.answer).rejects.toThrow(AddressRefusedError);
    expect(byName.wasSent()).toBe(false);
  } finally {
    connections.close();
  }
  expect(() => {
    checkHost(new URL("https://8.8.8.8/"), "internet");
  }).not.toThrow();
});
