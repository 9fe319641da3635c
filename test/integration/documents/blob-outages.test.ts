/** Blob Storage that cannot be reached, or for which there is no token: outages, and nothing worse. */
import { randomUUID } from "node:crypto";
import type { ContainerClient } from "@azure/storage-blob";
import { afterEach, expect, test, vi } from "vitest";
import { blobDocuments, openContainer } from "../../../shared/documents/blob-documents.js";
import { DependencyUnavailableError } from "../../../shared/platform/dependency-unavailable.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a store that cannot be reached is an outage, and is tried again by the next call", async () => {
  let attempts = 0;
  const documents = blobDocuments(async (): Promise<ContainerClient> => {
    attempts += 1;
    const connectionString =
      "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;" +
      "BlobEndpoint=http://127.0.0.1:1/a;";
    return openContainer({ account: { connectionString }, container: "documents" });
  });
  for (const call of [1, 2]) {
    await expect(documents.get("some")).rejects.toBeInstanceOf(DependencyUnavailableError);
    expect(attempts).toBe(call);
  }
});

test.each([
  ["there is no identity", {}],
  [
    "the identity's issuer is away",
    {
      AZURE_TENANT_ID: randomUUID(),
      AZURE_CLIENT_ID: randomUUID(),
      AZURE_CLIENT_SECRET: "secret",
      AZURE_AUTHORITY_HOST: "https://127.0.0.1:1",
    },
  ],
])("a store whose tokens cannot be had is an outage: %s", async (_why, settings) => {
  // The others would look for an identity elsewhere on this machine or in its network.
  vi.stubEnv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential");
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const documents = blobDocuments(() =>
    openContainer({ account: { accountUrl: "https://127.0.0.1:1" }, container: "documents" }),
  );
  await expect(documents.get("some")).rejects.toBeInstanceOf(DependencyUnavailableError);
});
