import type { Logger } from '@coxswain/apimachinery/log';
import { isExpired } from './server-errors.ts';

/** Where an error came from. */
export interface InformerErrorContext {
  /** The informer's or reflector's name. */
  readonly name: string;
  /**
   * - `list`, `watch`: the server or the way to it; it is tried again
   * - `store`: an object could not be taken in (a transform or index function threw); the cache stays as it was for it
   * - `handler`: an event handler threw; it gets the next event
   */
  readonly during: 'list' | 'watch' | 'store' | 'handler';
  /** After how long it is tried again; none when the error ends nothing. */
  readonly retryInMs?: number;
}

/** Hears of every error. Returns quickly; what it throws goes to the logger. */
export type InformerErrorHandler = (error: Error, context: InformerErrorContext) => void;

/** Says it to the logger. That a resource version expired is part of life, and no error there. */
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

/** The handler, made safe: whatever it does, the caller goes on. */
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

/** Nothing came over a connection for so long that it must be dead. */
export class StalledError extends Error {
  override readonly name = 'StalledError';

  constructor(what: string, silentMs: number) {
    super(`${what}: nothing came for ${Math.round(silentMs / 1000)} s; the connection was given up`);
  }
}
