/**
 * Requests whose responses were recorded from a real kube-apiserver v1.36.4 (`record.ts`), to compare ours with them. A file
 * `cases/x.cases.ts` exports `suite`; its recording is `../recorded/requests-x.json`.
 */
export interface Suite {
  /**
   * `plain`: every API version, no authorization, hardly any admission plug-in; `default`: the default configuration, with Node
   * and RBAC authorization; `strict`: like `default`, with admission plug-ins and features that are off by default.
   */
  readonly server?: ServerName;
  /** By a sentence about the scenario: its requests, in order, in a separate namespace. */
  readonly scenarios: Readonly<Record<string, readonly Step[]>>;
}

export type ServerName = 'plain' | 'default' | 'strict';

export type Step = Call | ReadEvents | Forget;

/**
 * In texts (path, headers, body), `{{ns}}` is replaced by the namespace, and `{{a.metadata.uid}}` by a part of the response to the
 * step named `a`. A text that is only such a placeholder becomes the part itself, of its own type. `{{forgotten}}` is a resource
 * whose early history is not in the server's watch cache.
 */
export interface Call {
  /**
   * Method and address. `v1:pods/x` is a resource in the scenario's namespace, `apps/v1:deployments` one of another
   * group, `v1::nodes/x` a cluster-scoped one. An address with a leading slash is the path itself.
   */
  readonly send: string;
  /** Objects are sent as JSON, strings and bytes as they are. */
  readonly body?: unknown;
  /** Names are in lower case. Headers with an empty value are not sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A name by which later steps refer to the response. */
  readonly as?: string;
  /** The user whose token is sent; the administrator by default. */
  readonly user?: string;
  /** The response is a watch that stays open. `ReadEvents` reads from it by its name (`as`). */
  readonly watch?: true;
  /** When recording, wait before this step, because caches of the real server may lag; longer for policies and discovery. */
  readonly settle?: true | 'policies' | 'discovery';
}

/** Reads events from the watch with that name. */
export interface ReadEvents {
  readonly events: string;
  /** The number of events. When undefined, all until the server ends the watch. */
  readonly count?: number;
}

/** Compacts the history, so that revision 1 is gone, as on the real server. */
export interface Forget {
  readonly forget: true;
}

export type JsonObject = Record<string, unknown>;

/** The response of an earlier step with changes, as `edited` describes them. */
export class Edited {
  readonly step: string;
  readonly changes: Readonly<Record<string, unknown>>;

  constructor(step: string, changes: Readonly<Record<string, unknown>>) {
    this.step = step;
    this.changes = changes;
  }
}

/**
 * Returns the response of the step with changed values at dotted paths; undefined removes a value. Keys that contain dots are in
 * brackets at the end: `metadata.labels[a.b/c]`. A number in a path is an index of a list.
 */
export const edited = (step: string, changes: Readonly<Record<string, unknown>> = {}): Edited =>
  new Edited(step, changes);

/** The compared part of a response. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The layout of JSON text: `pretty` when it has several lines, `open` when it does not end with a newline. */
  readonly layout?: string;
  readonly body?: unknown;
  readonly events?: readonly unknown[];
}
