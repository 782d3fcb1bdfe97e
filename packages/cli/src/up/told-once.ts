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
  const toldAt = new Map<string, number>();
  const isNews = (text: string): boolean => {
    const last = toldAt.get(text);
    if (last !== undefined && now() - last < silenceMs) return false;
    // At the end, as the youngest.
    toldAt.delete(text);
    toldAt.set(text, now());
    if (toldAt.size > maxRemembered) toldAt.delete(toldAt.keys().next().value!);
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
