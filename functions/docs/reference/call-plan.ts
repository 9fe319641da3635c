/** What an operation's page hands to its scripts: the call, those that it may need, and as whom one may call. */
import type { RouteExample } from "../../../shared/contracts/story/route-example.js";

/** A call that is made for another one. */
export interface Step {
  readonly call: string;
  /** What its body says besides, or in place of, its example's. */
  readonly saying?: Readonly<Record<string, unknown>>;
}

/** Codes of refusals with the calls after which the refused call goes through. */
export type StepsByCode = Readonly<Record<string, readonly Step[]>>;

/** A call as the page's scripts make it. */
export interface Call {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly role: string | null;
  readonly example: RouteExample;
  /** Of its body. */
  readonly mediaType: string;
  /** Headers that show who calls, besides the token. */
  readonly credentials: readonly string[];
  readonly takesKey: boolean;
  /** Whether its answer has ids that nothing had before. */
  readonly creates: boolean;
  /** The story's ids that it names, and the call that makes each. */
  readonly needs: readonly { readonly id: string; readonly maker: string }[];
  /** The story's values that belonged to what this call makes anew. */
  readonly forgets: readonly string[];
  /** Of a list: the id that others need of it, and the calls after which it shows one. */
  readonly finds: { readonly id: string; readonly after: readonly Step[] } | null;
  /** The story's cypher in its body: what it seals, and the call that answers the key. */
  readonly sealed: {
    readonly storys: string;
    readonly text: string;
    readonly key: string;
  } | null;
}

/** A call, the others that it may need, and what to do about refusals, by their codes. */
export interface CallPlan {
  readonly call: Call;
  readonly others: readonly Call[];
  readonly remedies: StepsByCode;
  /** The same for some operations alone, by their ids. */
  readonly stepsBefore: Readonly<Record<string, StepsByCode>>;
  readonly wornOut: readonly string[];
  readonly overtaken: readonly string[];
  /** What the reader has to do first. */
  readonly hint: string | null;
}

/** A partner of the sandbox, as whom a reader may call by one click. */
export interface SandboxCaller {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authKey: string;
  /** What it may do, in words. */
  readonly may: string;
  readonly roles: readonly string[];
  /** Whether it is the platform's own, and acts for every partner. */
  readonly isOperator: boolean;
  readonly dealers: readonly string[];
  readonly collectionIban: string;
}

/** Where the sandbox gives tokens; null where only a pasted one will do. */
export interface Sandbox {
  readonly tokenPath: string;
  readonly scope: string;
  readonly callers: readonly SandboxCaller[];
}

export interface TryData {
  readonly plan: CallPlan;
  readonly sandbox: Sandbox | null;
}
