import type { Behaviour } from './webhook-server.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request to the API server. `{{ns}}` is the namespace of the scenario. */
export interface Step {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly user?: 'alice';
  /** A preparation: sent before there are webhooks, and not part of the outcome. */
  readonly before?: boolean;
}

/** Webhooks by short name, their behaviours, and requests of clients. */
export interface Scenario {
  readonly mutating?: Readonly<Record<string, Fields>>;
  readonly validating?: Readonly<Record<string, Fields>>;
  readonly behaviours?: Readonly<Record<string, Behaviour>>;
  readonly steps: readonly Step[];
}

/** The compared outcome: responses to clients, and requests to webhooks. */
export interface Outcome {
  readonly answers: readonly { status: number; body: unknown; warnings?: readonly string[]; annotations?: Fields }[];
  readonly asked: readonly { webhook: string; url: string; headers?: Fields; review: unknown }[];
}
