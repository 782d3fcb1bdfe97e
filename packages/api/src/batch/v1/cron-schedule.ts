import { parseDuration, parseInt64, quote } from '@coxswain/apimachinery';
import { loadTimeZone, type TimeZone, utc } from './time-zone.ts';

/** A parsed cron schedule. */
export interface CronSchedule {
  /** Returns the first time after the given one, in whole seconds; undefined when there is none within five years. */
  next(after: Date): Date | undefined;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The fields of an expression, in order. A name stands for its index in `names`, counted from `min`. */
const bounds = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: monthNames },
  dayOfWeek: { min: 0, max: 6, names: dayNames },
} satisfies Record<string, Bounds>;

type FieldName = keyof typeof bounds;
const fieldNames = Object.keys(bounds) as FieldName[];

/** The values of one field, in ascending order. */
interface Field {
  readonly values: readonly number[];
  /** Written as a star. If one of the two day fields is a star, a day must match both fields; otherwise one of them is enough. */
  readonly isStar: boolean;
}

const descriptors: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const every = '@every ';
const spaces = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/**
 * Parses `30 4 * * mon-fri`, `@daily`, `@every 1h30m`, optionally after `TZ=Europe/Berlin `. Without that prefix, hours
 * and days are those of `timeZone`, by default UTC. Throws an Error with upstream's message, also for an unknown time
 * zone.
 */
export function parseCronSchedule(text: string, timeZone?: string): CronSchedule {
  if (text === '') throw new Error('empty spec string');
  let zone = timeZone === undefined ? utc : loadTimeZone(timeZone);
  let expression = text;
  if (/^(CRON_)?TZ=/.test(text)) {
    const end = text.indexOf(' ');
    // Upstream's parser panics here; the server recovers and reports the panic as the error.
    if (end < 0) throw new Error('invalid schedule format: runtime error: slice bounds out of range [:-1]');
    zone = scheduleTimeZone(text.slice(text.indexOf('=') + 1, end));
    expression = text.slice(end).trim();
  }
  if (expression.startsWith(every)) return new ConstantDelay(parseDelay(expression));
  if (expression.startsWith('@')) {
    const standard = descriptors.get(expression);
    if (standard === undefined) throw new Error(`unrecognized descriptor: ${expression}`);
    expression = standard;
  }
  const texts = expression.split(spaces).filter(Boolean);
  if (texts.length !== fieldNames.length)
    throw new Error(`expected exactly 5 fields, found ${texts.length}: [${texts.join(' ')}]`);
  const fields = fieldNames.map((name, i) => [name, parseField(texts[i]!, bounds[name])] as const);
  return new FieldSchedule(Object.fromEntries(fields) as Record<FieldName, Field>, zone);
}

function scheduleTimeZone(name: string): TimeZone {
  try {
    return loadTimeZone(name);
  } catch (cause) {
    throw new Error(`provided bad location ${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function parseDelay(descriptor: string): number {
  try {
    return Number(parseDuration(descriptor.slice(every.length)) / 1_000_000_000n);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`failed to parse duration ${descriptor}: ${reason}`, { cause });
  }
}

function parseField(text: string, limits: Bounds): Field {
  const chosen = new Set<number>();
  let isStar = false;
  for (const part of text.split(',').filter(Boolean)) {
    const range = parseRange(part, limits);
    for (let value = range.start; value <= range.end; value += range.step) chosen.add(value);
    isStar ||= range.isStar;
  }
  return { values: [...chosen].sort((a, b) => a - b), isStar };
}

/** Parses `*`, `5` or `5-10`, each with an optional `/step`. */
function parseRange(text: string, { min, max, names }: Bounds) {
  const [range = '', stepText, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreHighs] = range.split('-');
  const isAny = low === '*' || low === '?';
  let start = BigInt(min);
  let end = BigInt(max);
  if (!isAny) {
    start = parseValue(low, min, names);
    if (moreHighs.length > 0) throw new Error(`too many hyphens: ${text}`);
    end = high === undefined ? start : parseValue(high, min, names);
  }
  if (moreSteps.length > 0) throw new Error(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1n : parseNumber(stepText);
  // With a step, a single value is the start of a range: `5/10` begins at 5 and ends at the maximum.
  if (stepText !== undefined && high === undefined) end = BigInt(max);
  if (start < min) throw new Error(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new Error(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0n) throw new Error(`step of range should be a positive number: ${text}`);
  return { start: Number(start), end: Number(end), step: Number(step), isStar: isAny && step === 1n };
}

function parseValue(text: string, min: number, names: readonly string[] | undefined): bigint {
  const place = names?.indexOf(text.toLowerCase()) ?? -1;
  return place < 0 ? parseNumber(text) : BigInt(min + place);
}

function parseNumber(text: string): bigint {
  const value = parseInt64(text);
  if (value === undefined) {
    const reason = /^[-+]?[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax';
    throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${reason}`);
  }
  if (value < 0n) throw new Error(`negative number (${value}) not allowed: ${text}`);
  return value;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearsToLook = 5;

const upcomingSecond = (after: Date): number => Math.floor(after.getTime() / secondMs) * secondMs + secondMs;

/** Triggers at a fixed interval of at least a second after the previous time, independent of the time zone. */
class ConstantDelay implements CronSchedule {
  readonly #seconds: number;

  constructor(seconds: number) {
    this.#seconds = Math.max(seconds, 1);
  }

  next(after: Date): Date {
    return new Date(upcomingSecond(after) + (this.#seconds - 1) * secondMs);
  }
}

/**
 * Triggers at every minute at which the local time of the zone matches the fields. Local times that the clock skips in
 * spring do not trigger, those that it shows twice in autumn trigger twice.
 *
 * Differs from upstream: when the clock skips midnight, or changes by less than an hour, upstream misses times of that
 * day.
 */
class FieldSchedule implements CronSchedule {
  readonly #fields: Readonly<Record<FieldName, Field>>;
  readonly #zone: TimeZone;

  constructor(fields: Readonly<Record<FieldName, Field>>, zone: TimeZone) {
    this.#fields = fields;
    this.#zone = zone;
  }

  next(after: Date): Date | undefined {
    const earliest = upcomingSecond(after);
    // Days of the zone's calendar are represented as days of UTC, which all have 24 hours.
    const local = earliest + this.#zone.offsetAt(earliest);
    const lastYear = new Date(local).getUTCFullYear() + yearsToLook;
    let day = new Date(Math.floor(local / dayMs) * dayMs);
    while (day.getUTCFullYear() <= lastYear) {
      if (!this.#fields.month.values.includes(day.getUTCMonth() + 1)) {
        day = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1));
        continue;
      }
      const found = this.#isOn(day) ? this.#firstOn(day.getTime(), earliest) : undefined;
      if (found !== undefined) return new Date(found);
      day = new Date(day.getTime() + dayMs);
    }
    return undefined;
  }

  #isOn(day: Date): boolean {
    const { dayOfMonth, dayOfWeek } = this.#fields;
    const inMonth = dayOfMonth.values.includes(day.getUTCDate());
    const inWeek = dayOfWeek.values.includes(day.getUTCDay());
    return dayOfMonth.isStar || dayOfWeek.isStar ? inMonth && inWeek : inMonth || inWeek;
  }

  #firstOn(day: number, earliest: number): number | undefined {
    const { hour, minute } = this.#fields;
    const { offsetAt } = this.#zone;
    // At most one change of the clock is assumed within these days.
    const before = offsetAt(day - dayMs);
    const after = offsetAt(day + 2 * dayMs);
    let first: number | undefined;
    for (const h of hour.values) {
      for (const m of minute.values) {
        const shown = day + h * hourMs + m * minuteMs;
        if (before === after) {
          if (shown - before >= earliest) return shown - before;
          continue;
        }
        for (const offset of [before, after]) {
          const instant = shown - offset;
          const isShown = instant >= earliest && offsetAt(instant) === offset;
          if (isShown && (first === undefined || instant < first)) first = instant;
        }
      }
    }
    return first;
  }
}
