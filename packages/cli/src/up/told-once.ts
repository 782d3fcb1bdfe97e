import { LruExpireCache } from '@coxswain/apimachinery/cache';
import { type LogSink, textFieldsOf } from '@coxswain/apimachinery/log';

/** A message that is repeated is logged again after this time. */
const silenceMs = 10 * 60_000;
/** The number of messages to remember. */
const maxRemembered = 200;

/**
 * Returns a log sink for a terminal. A problem that persists, such as an autoscaler without metrics, is retried every few seconds, but
 * logged only once in ten minutes.
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
