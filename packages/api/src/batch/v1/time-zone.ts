import { isTimeZoneName } from './time-zone-names.ts';

/** A time zone, as its offset from UTC. */
export interface TimeZone {
  readonly name: string;
  /** Returns by how many milliseconds local time is ahead of UTC at an instant. */
  readonly offsetAt: (instantMs: number) => number;
}

/** Loaded zones by name; at most one for each name of the database. */
const loaded = new Map<string, TimeZone>();

export const utc: TimeZone = { name: 'UTC', offsetAt: () => 0 };

/**
 * Returns the zone of that name in the time zone database. The empty name and `Local` mean UTC: a cluster has no local
 * time. Throws an Error with Go's message for an unknown name.
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

/** The database's zone for unset clocks, which JavaScript engines do not have. */
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
