import { durationToMs } from '@coxswain/apimachinery/time';

/** Milliseconds, or a text such as `90s`, `1h30m`, `30d`. */
export type Span = number | string;

const dayMs = 24 * 60 * 60 * 1000;

/** Throws an Error, worded as Go's, when the text makes no sense. */
export function toMs(span: Span): number {
  if (typeof span === 'number') return span;
  const [, days, rest = ''] = /^(?:(\d+)d)?(.*)$/s.exec(span) ?? [];
  if (days === undefined) return durationToMs(span);
  return Number(days) * dayMs + (rest === '' ? 0 : durationToMs(rest));
}
