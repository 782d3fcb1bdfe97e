import type { Behaviour } from './webhook-server.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request to the API server. `{{ns}}` is a namespace of the scenario's own. */
export interface Step {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly user?: 'alice';
  /** It only prepares something: done before there are webhooks, and of no interest. */
  readonly before?: boolean;
}

/** Webhooks, by short name, what they do, and what clients ask for meanwhile. */
export interface Scenario {
  readonly mutating?: Readonly<Record<string, Fields>>;
  readonly validating?: Readonly<Record<string, Fields>>;
  readonly behaviours?: Readonly<Record<string, Behaviour>>;
  readonly steps: readonly Step[];
}

/** What there is to compare. */
export interface Outcome {
  readonly answers: readonly { status: number; body: unknown; warnings?: readonly string[]; annotations?: Fields }[];
  readonly asked: readonly { webhook: string; url: string; headers?: Fields; review: unknown }[];
}
