/** The certificate of this machine's broker: made once, kept in a folder, and made anew before it lapses. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../../start-error.js";
import { makeCertificate, type CertificatePems } from "./certificate-der.js";

const dayMs = 86_400_000;
/** UTCTime, in which its times are written, ends with 2049. */
const lifeMs = 730 * dayMs;
const renewBeforeMs = 30 * dayMs;

const certificateFile = "certificate.pem";
const keyFile = "key.pem";

/** What clients are to trust: `NODE_EXTRA_CA_CERTS` takes this file. */
export const certificatePath = (folder: string): string => join(folder, certificateFile);

const read = async (folder: string): Promise<CertificatePems | undefined> => {
  try {
    const [certificate, key] = await Promise.all([
      readFile(join(folder, certificateFile), "utf8"),
      readFile(join(folder, keyFile), "utf8"),
    ]);
    return { certificate, key };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
};

/** Files that were cut off, or are not each other's, are not. */
const isUsable = ({ certificate, key }: CertificatePems, nowMs: number): boolean => {
  try {
    const parsed = new X509Certificate(certificate);
    return (
      Date.parse(parsed.validFrom) <= nowMs &&
      Date.parse(parsed.validTo) - renewBeforeMs > nowMs &&
      parsed.checkPrivateKey(createPrivateKey(key))
    );
  } catch {
    return false;
  }
};

/** Both files come at once, by the name of their folder; undefined where another program was faster. */
const place = async (
  folder: string,
  pems: CertificatePems,
  nowMs: number,
): Promise<CertificatePems | undefined> => {
  const draft = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true });
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  try {
    await writeFile(join(draft, keyFile), pems.key, { mode: 0o600 });
    await writeFile(join(draft, certificateFile), pems.certificate);
    const found = await read(folder);
    if (found !== undefined && isUsable(found, nowMs)) return found;
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return pems;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

/** The certificate in this folder, made where there is none, or where its end is near. */
export const keepCertificate = async (folder: string, nowMs: number): Promise<CertificatePems> => {
  const kept = await read(folder);
  if (kept !== undefined && isUsable(kept, nowMs)) return kept;
  const made = await makeCertificate(new Date(nowMs - dayMs), new Date(nowMs + lifeMs));
  return (await place(folder, made, nowMs)) ?? keepCertificate(folder, nowMs);
};

/** Looks again once a day, so that a program that runs on does not outlive its certificate. */
export const certificateKeeper = (folder: string): (() => Promise<CertificatePems>) => {
  let kept: Promise<CertificatePems> | undefined;
  let lookAgainAtMs = 0;
  return () => {
    const nowMs = Date.now();
    if (kept === undefined || nowMs >= lookAgainAtMs) {
      lookAgainAtMs = nowMs + dayMs;
      kept = keepCertificate(folder, nowMs).catch((error: unknown) => {
        kept = undefined;
        throw error;
      });
    }
    return kept;
  };
};
