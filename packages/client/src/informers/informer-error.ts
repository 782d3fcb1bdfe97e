import type { Logger } from '@coxswain/apimachinery/log';
import { isExpired } from './server-errors.ts';

/** The origin of an error. */
export interface InformerErrorContext {
  /** The informer's or reflector's name. */
  readonly name: string;
  /**
   * - `list`, `watch`: the server or the connection failed; the request is retried
   * - `store`: an object could not be stored (a transform or index function threw); the cache keeps its old state of it
   * - `handler`: an event handler threw; the next event is delivered nevertheless
   */
  readonly during: 'list' | 'watch' | 'store' | 'handler';
  /** The delay before the retry; undefined when the error interrupts nothing. */
  readonly retryInMs?: number;
}

/** Called with every error. Must return quickly; an error that it throws is logged. */
export type InformerErrorHandler = (error: Error, context: InformerErrorContext) => void;

/** Logs errors. An expired resource version is a normal event and is logged as info at verbosity 4. */
export function logErrors(logger: Logger): InformerErrorHandler {
  const own = logger.named('reflector');
  return (error, { name, during, retryInMs }) => {
    const fields = { reflector: name, ...(retryInMs !== undefined && { retryInMs: Math.round(retryInMs) }) };
    if (isExpired(error)) own.v(4).info(ended[during], { ...fields, err: error });
    else own.error(failed[during], error, fields);
  };
}

const failed = {
  list: 'Failed to list',
  watch: 'Failed to watch',
  store: 'Failed to store an object',
  handler: 'An event handler failed',
};
const ended = { ...failed, list: 'List expired', watch: 'Watch closed' };

/** Wraps the handler so that it never throws: its own errors are logged. */
export const guarded =
  (onError: InformerErrorHandler, logger: Logger): ((error: unknown, context: InformerErrorContext) => void) =>
  (error, context) => {
    try {
      onError(asError(error), context);
    } catch (thrown) {
      logger.error('The error handler of an informer failed', thrown, { reflector: context.name });
    }
  };

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The server closed a watch within a second, before any event. */
export class VeryShortWatchError extends Error {
  override readonly name = 'VeryShortWatchError';

  constructor(reflector: string) {
    super(
      `very short watch: ${reflector}: Unexpected watch close - watch lasted less than a second and no items received`,
    );
  }
}

/** A connection was silent for so long that it was closed as dead. */
export class StalledError extends Error {
  override readonly name = 'StalledError';

  constructor(what: string, silentMs: number) {
    super(`${what}: no data received for ${Math.round(silentMs / 1000)} s; the connection was closed`);
  }
}
