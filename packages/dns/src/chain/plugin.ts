import type { Query } from './query.ts';
import { failure, type Reply } from './reply.ts';

/** Answers a query. Never rejects. An answer that is known at once is returned at once: most are, and a promise for each would cost more than the answer. */
export type Handler = (query: Query) => Reply | Promise<Reply>;

/** A configured plug-in of a server block. */
export interface Plugin {
  readonly name: string;
  /** Returns the handler that asks `next` for what the plug-in does not answer itself. Absent for plug-ins without a part in answers, such as `health`. */
  readonly handler?: (next: Handler) => Handler;
  /** Starts what runs beside queries, such as health checks. The signal ends it. Called once, when the configuration is used. */
  readonly start?: (signal: AbortSignal) => void | Promise<void>;
  /** Whether queries can be answered; undefined when that is always so. */
  readonly isReady?: () => boolean;
  /** Resolves when everything has ended that `start` started. */
  readonly stopped?: () => Promise<void>;
}

/** The handler behind the last plug-in. */
export const noNext =
  (plugin: string): Handler =>
  () =>
    failure(plugin, new Error(`plugin/${plugin}: no next plugin found`));

/** Calls `change` with a reply, now or when it is there. */
export function whenReplied(
  reply: Reply | Promise<Reply>,
  change: (reply: Reply) => Reply | Promise<Reply>,
): Reply | Promise<Reply> {
  return reply instanceof Promise ? reply.then(change) : change(reply);
}
