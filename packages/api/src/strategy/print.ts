import type { PrintContext } from './table.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** For durations below `limit` seconds: the unit, and the smaller unit for the remainder where one is shown. */
const steps: readonly (readonly [limit: number, unit: number, suffix: string, rest?: number, restSuffix?: string])[] = [
  [2 * minute, 1, 's'],
  [10 * minute, minute, 'm', 1, 's'],
  [3 * hour, minute, 'm'],
  [8 * hour, hour, 'h', minute, 'm'],
  [2 * day, hour, 'h'],
  [8 * day, day, 'd', hour, 'h'],
  [2 * year, day, 'd'],
  [8 * year, year, 'y', day, 'd'],
  [Number.POSITIVE_INFINITY, year, 'y'],
];

/** Formats a duration as kubectl shows ages: `45s`, `3m10s`, `5d`. Clocks may differ by less than two seconds. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < 0) return seconds < -1 ? '<invalid>' : '0s';
  const [, unit, suffix, rest, restSuffix] = steps.find(([limit]) => seconds < limit)!;
  const whole = `${Math.trunc(seconds / unit)}${suffix}`;
  const remainder = rest === undefined ? 0 : Math.trunc((seconds % unit) / rest);
  return remainder === 0 ? whole : `${whole}${remainder}${restSuffix}`;
}

/** Formats how long ago a Time or MicroTime was; `<unknown>` for none. */
export function translateTimestampSince(time: string | null | undefined, { now }: PrintContext): string {
  return time === undefined || time === null ? '<unknown>' : humanDuration(now.getTime() - Date.parse(time));
}

/** `a=b,c=d` in the order of the keys; `<none>` for none. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const text = Object.keys(labels ?? {})
    .sort()
    .map((key) => `${key}=${labels![key]}`)
    .join(',');
  return text === '' ? '<none>' : text;
}
