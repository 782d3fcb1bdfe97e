import { LruExpireCache } from '@coxswain/apimachinery/cache';
import { type LogSink, textFieldsOf } from '@coxswain/apimachinery/log';

/** Said again after so long, if it still holds. */
const silenceMs = 10 * 60_000;
/** So many are remembered. */
const maxRemembered = 200;

/**
 * A log for a terminal that somebody looks at: what is wrong and stays so, as an autoscaler without metrics, is tried again every few seconds, and
 * told once in ten minutes.
 */
export function toldOnce(sink: LogSink, now: () => number): LogSink {
  const told = new LruExpireCache<string, true>(maxRemembered, () => new Date(now()));
  const isNews = (text: string): boolean => {
    if (told.get(text)) return false;
    told.set(text, true, silenceMs);
    return true;
  };
  return (entry) => {
    if (entry.severity === 'info' || isNews(`${entry.name}: ${entry.message}${textFieldsOf(entry)}`)) sink(entry);
  };
}
