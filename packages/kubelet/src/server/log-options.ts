import type { PodLogOptions } from '@coxswain/api/core/v1';
import { canonicalTime } from '@coxswain/apimachinery';

/** Reads PodLogOptions from a query. Undefined if a value cannot be parsed. */
export function readLogOptions(query: URLSearchParams): PodLogOptions | undefined {
  const options: PodLogOptions = { stream: query.get('stream') ?? 'All' };
  for (const name of ['follow', 'previous', 'timestamps'] as const) {
    const value = query.get(name);
    // Any other value is true, also an empty one.
    if (value !== null) options[name] = value !== '0' && value.toLowerCase() !== 'false';
  }
  // `tail` is an older name; `all` stands for no limit.
  const tail = query.get('tail') || null;
  const numbers = {
    tailLines: tail === 'all' ? null : (tail ?? query.get('tailLines')),
    sinceSeconds: query.get('sinceSeconds'),
    limitBytes: query.get('limitBytes'),
  };
  for (const name of ['tailLines', 'sinceSeconds', 'limitBytes'] as const) {
    const text = numbers[name];
    if (text === null) continue;
    const value = integer(text);
    if (value === undefined) return undefined;
    options[name] = value;
  }
  const sinceTime = query.get('sinceTime');
  if (sinceTime === null) return options;
  const time = timeOf(sinceTime);
  return time === undefined ? undefined : { ...options, sinceTime: time };
}

/** Numbers beyond the exact ones are cut: counts of lines, bytes and seconds are never larger. Undefined if it is no int64. */
function integer(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const exact = BigInt(text.replace('+', ''));
  if (BigInt.asIntN(64, exact) !== exact) return undefined;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(exact), Number.MAX_SAFE_INTEGER));
}

/** Go's zero time, which stands for an empty value. A log since then is the whole log. */
const zeroTime = '0001-01-01T00:00:00Z';

function timeOf(text: string): string | undefined {
  if (text === '' || text === 'null') return zeroTime;
  try {
    return canonicalTime(text) ?? zeroTime;
  } catch {
    return undefined;
  }
}
