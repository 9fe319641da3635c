/** Which orchestrations this host may run, by the version that they were started with. */

export interface VersionSettings {
  /** What orchestrations get that are started without a version; also the version of this host. */
  readonly defaultVersion?: string | undefined;
  readonly match: "None" | "Strict" | "CurrentOrOlder";
  /** What becomes of those that do not match: they stay as they are, or they fail. */
  readonly failure: "Reject" | "Fail";
}

/** `leave` keeps it for another host, one with a version that matches. */
export type Verdict = "run" | "leave" | "fail";

/** Two to four numbers with dots between them, or undefined. */
const numbersOf = (version: string): number[] | undefined =>
  /^\d+(?:\.\d+){1,3}$/u.test(version) ? version.split(".").map(Number) : undefined;

/** Positive where `a` is the newer one. No version is older than any. */
export const compareVersions = (a: string, b: string): number => {
  const [first, second] = [a.trim(), b.trim()];
  if (first === "" || second === "") return first.length - second.length;
  const [numbers, others] = [numbersOf(first), numbersOf(second)];
  if (numbers === undefined || others === undefined) {
    const [x, y] = [first.toUpperCase(), second.toUpperCase()];
    return x === y ? 0 : x < y ? -1 : 1;
  }
  // A part that is not given is older than a zero: 1.0 comes before 1.0.0.
  for (let part = 0; part < Math.max(numbers.length, others.length); part++) {
    const difference = (numbers[part] ?? -1) - (others[part] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
};

const matches = (version: string, { match, defaultVersion = "" }: VersionSettings): boolean => {
  if (match === "None") return true;
  return match === "Strict"
    ? version === defaultVersion
    : compareVersions(version, defaultVersion) <= 0;
};

export const judgeVersion = (version: string | undefined, settings: VersionSettings): Verdict => {
  // A host without a version does not take part in versioning.
  if (settings.defaultVersion === undefined || matches(version ?? "", settings)) return "run";
  return settings.failure === "Fail" ? "fail" : "leave";
};
