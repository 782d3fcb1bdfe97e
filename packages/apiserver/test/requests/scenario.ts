/**
 * Requests whose answers were recorded from a real kube-apiserver v1.36.4 (`record.ts`), so that ours can be held against
 * them without one. A file `cases/x.cases.ts` exports `suite`; its recording is `../recorded/x.json`.
 */
export interface Suite {
  /**
   * `plain`: every API version, no authorization, hardly any admission plug-in; `default`: what a server does unless it
   * is told otherwise, with Node and RBAC authorization; `strict`: the same with admission plug-ins and features that are
   * off by default.
   */
  readonly server?: ServerName;
  /** A sentence that says what they are about → requests, one after the other, in a namespace of their own. */
  readonly scenarios: Readonly<Record<string, readonly Step[]>>;
}

export type ServerName = 'plain' | 'default' | 'strict';

export type Step = Call | ReadEvents | Forget;

/**
 * In texts (path, headers, body) `{{ns}}` stands for the namespace, `{{a.metadata.uid}}` for a part of the answer of the
 * step named `a`; a text that is nothing else becomes the part itself. `{{forgotten}}` is a resource of whose beginnings
 * the server's cache knows nothing.
 */
export interface Call {
  /**
   * Method and address. `v1:pods/x` is a resource in the scenario's namespace, `apps/v1:deployments` one of another
   * group, `v1::nodes/x` one outside of namespaces; what begins with a slash is the path itself.
   */
  readonly send: string;
  /** Objects are sent as JSON, texts and bytes as they are. */
  readonly body?: unknown;
  /** Name in lower case; empty: not sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A name for the answer, to be referred to. */
  readonly as?: string;
  /** Whose token is sent; the administrator's by default. */
  readonly user?: string;
  /** The answer is a watch that stays open under its name; `ReadEvents` reads from it. */
  readonly watch?: true;
  /** The real server answers from a cache that may be a little behind: recording waits before; with policies, longer. */
  readonly settle?: true | 'policies' | 'discovery';
}

/** Reads from the watch of that name. */
export interface ReadEvents {
  readonly events: string;
  /** So many; absent: all until the server ends it. */
  readonly count?: number;
}

/** The server no longer knows revision 1: the real one has long forgotten it. */
export interface Forget {
  readonly forget: true;
}

export type JsonObject = Record<string, unknown>;

/** An object that a former step answered, changed: keys as `edit` has them. */
export class Edited {
  readonly step: string;
  readonly changes: Readonly<Record<string, unknown>>;

  constructor(step: string, changes: Readonly<Record<string, unknown>>) {
    this.step = step;
    this.changes = changes;
  }
}

/**
 * The answer of the step, with the values at these dotted paths; undefined removes. Keys that hold dots themselves stand
 * in brackets at the end: `metadata.labels[a.b/c]`. A number in the path is a place in a list.
 */
export const edited = (step: string, changes: Readonly<Record<string, unknown>> = {}): Edited =>
  new Edited(step, changes);

/** What is compared. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** How a text of JSON is laid out: `pretty` when over several lines, `open` without a newline at its end. */
  readonly layout?: string;
  readonly body?: unknown;
  readonly events?: readonly unknown[];
}
