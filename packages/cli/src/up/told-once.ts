import { LruExpireCache } from '@coxswain/apimachinery/cache';
import { reasonOf, type ServerLogger } from '../server-process.ts';

/** Said again after so long, if it still holds. */
const silenceMs = 10 * 60_000;
/** So many are remembered. */
const maxRemembered = 200;

/**
 * A logger for a terminal that somebody looks at: what is wrong and stays so, as an autoscaler without metrics, is tried again every few seconds, and
 * told once in ten minutes.
 */
export function toldOnce(logger: ServerLogger, now: () => number): ServerLogger {
  const told = new LruExpireCache<string, true>(maxRemembered, () => new Date(now()));
  const isNews = (text: string): boolean => {
    if (told.get(text)) return false;
    told.set(text, true, silenceMs);
    return true;
  };
  return {
    info: (message) => logger.info(message),
    warn: (message) => {
      if (isNews(message)) logger.warn(message);
    },
    error: (message, error) => {
      if (isNews(error === undefined ? message : `${message}: ${reasonOf(error)}`)) logger.error(message, error);
    },
  };
}
