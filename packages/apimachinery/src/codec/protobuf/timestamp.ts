import { formatTime, parseTime } from '../../time/index.ts';
import { commonStrings } from './string-table.ts';

/*
 * Objects contain many times, and for protobuf each of them has to be converted. These functions convert canonical times with four-digit
 * years, several times faster than Date; the time folder does all others.
 */

const secondsPerDay = 86_400;
/** Days from 1 March of the year 0, where the arithmetic begins, to 1970. */
const daysBefore1970 = 719_468;
const daysPerEra = 146_097;
const yearsPerEra = 400;

const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

const zero = 0x30;
/** A buffer for formatting a time, which is then converted to a string at once. */
const canonical = Uint8Array.from('2006-01-02T15:04:05Z', (character) => character.charCodeAt(0));

/** The last time that was converted: the times of one object are often the same. */
const last = { seconds: 0, text: '1970-01-01T00:00:00Z' };

/**
 * Caches the time in the buffer and returns its text. The text given by a caller is not cached: it may be a slice of a far longer string.
 */
function remember(seconds: number): string {
  last.text = commonStrings.get(canonical, 0, canonical.length);
  last.seconds = seconds;
  return last.text;
}

/** Writes two digits to the buffer. */
function setPair(at: number, number: number): void {
  const tens = (number / 10) | 0;
  canonical[at] = zero + tens;
  canonical[at + 1] = zero + number - tens * 10;
}

/** Returns the canonical form of an instant, given in seconds since 1970; null for the zero time. Throws beyond the range of Date. */
export function timeOfSeconds(seconds: number | bigint): string | null {
  if (seconds === last.seconds) return last.text;
  if (typeof seconds === 'bigint' || seconds <= firstSecond || seconds > lastSecond) {
    return formatTime({ seconds, nanos: 0 });
  }
  setCanonical(seconds);
  return remember(seconds);
}

/** Writes the canonical form of an instant to the buffer. */
function setCanonical(seconds: number): void {
  const days = Math.floor(seconds / secondsPerDay);
  const ofDay = seconds - days * secondsPerDay;
  // Here years begin in March, so that a leap day is the last day of a year. An era is a cycle of leap years, 400 years.
  const sinceStart = days + daysBefore1970;
  const era = Math.floor(sinceStart / daysPerEra);
  const dayOfEra = sinceStart - era * daysPerEra;
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0));
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * yearsPerEra + (month <= 2 ? 1 : 0);
  const hour = (ofDay / 3600) | 0;
  const minute = ((ofDay - hour * 3600) / 60) | 0;
  const century = (year / 100) | 0;
  setPair(0, century);
  setPair(2, year - century * 100);
  setPair(5, month);
  setPair(8, day);
  setPair(11, hour);
  setPair(14, minute);
  setPair(17, ofDay - hour * 3600 - minute * 60);
}

/** Returns the seconds since 1970 of a time. Throws when the text is not a time. */
export function secondsOfTime(text: string): number | bigint {
  if (text === last.text) return last.seconds;
  if (text.length !== canonical.length) return parseTime(text).seconds;
  const pair = (at: number): number => (text.charCodeAt(at) - zero) * 10 + text.charCodeAt(at + 1) - zero;
  const month = pair(5);
  const year = pair(0) * 100 + pair(2) - (month <= 2 ? 1 : 0);
  const era = Math.floor(year / yearsPerEra);
  const yearOfEra = year - era * yearsPerEra;
  const dayOfYear = (((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0) + pair(8) - 1;
  const dayOfEra = yearOfEra * 365 + (yearOfEra >> 2) - ((yearOfEra / 100) | 0) + dayOfYear;
  const days = era * daysPerEra + dayOfEra - daysBefore1970;
  const seconds = days * secondsPerDay + pair(11) * 3600 + pair(14) * 60 + pair(17);
  if (!(seconds > firstSecond && seconds <= lastSecond)) return parseTime(text).seconds;
  // Formatting the result again is the cheapest check that the text is canonical.
  setCanonical(seconds);
  for (let i = 0; i < canonical.length; i++) {
    if (text.charCodeAt(i) !== canonical[i]) return parseTime(text).seconds;
  }
  remember(seconds);
  return seconds;
}
