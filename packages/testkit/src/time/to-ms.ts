import { durationToMs } from '@coxswain/apimachinery/time';

/** Milliseconds, or a text such as `90s`, `1h30m`, `30d`. */
export type Span = number | string;

const dayMs = 24 * 60 * 60 * 1000;

/** Throws an Error with Go's message when the text is invalid, and an Error when the span is negative. */
export function toMs(span: Span): number {
  const ms = typeof span === 'number' ? span : parsed(span);
  if (!(ms >= 0)) throw new Error(`a span of time must not be negative: ${span}`);
  return ms;
}

function parsed(span: string): number {
  const [, days, rest = ''] = /^(?:(\d+)d)?(.*)$/s.exec(span) ?? [];
  if (days === undefined) return durationToMs(span);
  return Number(days) * dayMs + (rest === '' ? 0 : durationToMs(rest));
}
