import { isTimeZoneName } from './time-zone-names.ts';

/** A place's clock, as far as it differs from UTC. */
export interface TimeZone {
  readonly name: string;
  /** How many milliseconds its clock is ahead of UTC at an instant. */
  readonly offsetAt: (instantMs: number) => number;
}

/** One for each name of the database at most. */
const loaded = new Map<string, TimeZone>();

export const utc: TimeZone = { name: 'UTC', offsetAt: () => 0 };

/**
 * The zone of that name in the time zone database. Nothing is UTC, and so is `Local`: a cluster has no place of its own.
 * Throws an Error with Go's text when there is none.
 */
export function loadTimeZone(name: string): TimeZone {
  if (name === '' || name === 'UTC' || name === 'Local') return utc;
  if (name.includes('..') || name.startsWith('/') || name.includes('\\'))
    throw new Error('time: invalid location name');
  if (!isTimeZoneName(name)) throw new Error(`unknown time zone ${name}`);
  const known = loaded.get(name);
  if (known) return known;
  const zone: TimeZone = { name, offsetAt: offsetsOf(name) };
  loaded.set(name, zone);
  return zone;
}

/** The zone that no clock was set to yet; engines do not know it. */
const unset = 'Factory';

function offsetsOf(timeZone: string): TimeZone['offsetAt'] {
  if (timeZone === unset) return utc.offsetAt;
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', second: 'numeric', ...numeric });
  return (instantMs) => {
    const seconds = Math.floor(instantMs / 1000) * 1000;
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(seconds)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - seconds;
  };
}
