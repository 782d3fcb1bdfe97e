import { formatTime, parseTime } from '../../time/index.ts';
import { commonStrings } from './string-table.ts';

/*
 * Objects are full of times, and on the protobuf wire every one has to be converted. These two do for the canonical form
 * and four-digit years what Date does several times slower; everything else is left to the time folder.
 */

const secondsPerDay = 86_400;
/** From the first of March of the year 0, with which the arithmetic begins, to 1970. */
const daysBefore1970 = 719_468;
const daysPerEra = 146_097;
const yearsPerEra = 400;

const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

const zero = 0x30;
/** Where a time is put together, to be turned into a string in one go. */
const canonical = Uint8Array.from('2006-01-02T15:04:05Z', (character) => character.charCodeAt(0));

/** The last time that was converted: those of one object are often the same. */
const last = { seconds: 0, text: '1970-01-01T00:00:00Z' };

/** Returns what was put together. The text that somebody gave is not kept: it may be cut from a far longer one. */
function remember(seconds: number): string {
  last.text = commonStrings.get(canonical, 0, canonical.length);
  last.seconds = seconds;
  return last.text;
}

/** Puts two digits in their place. */
function setPair(at: number, number: number): void {
  const tens = (number / 10) | 0;
  canonical[at] = zero + tens;
  canonical[at + 1] = zero + number - tens * 10;
}

/** The canonical form of an instant, given in seconds since 1970; null for the zero time. Throws beyond what Date knows. */
export function timeOfSeconds(seconds: number | bigint): string | null {
  if (seconds === last.seconds) return last.text;
  if (typeof seconds === 'bigint' || seconds <= firstSecond || seconds > lastSecond) {
    return formatTime({ seconds, nanos: 0 });
  }
  setCanonical(seconds);
  return remember(seconds);
}

/** Puts the canonical form of an instant together. */
function setCanonical(seconds: number): void {
  const days = Math.floor(seconds / secondsPerDay);
  const ofDay = seconds - days * secondsPerDay;
  // Years begin in March here, so that a leap day is the last day of one. An era is a whole cycle of leap years.
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

/** The seconds since 1970 of a time. Throws when it is none. */
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
  // Writing what was read is the cheapest proof that it was a canonical time at all.
  setCanonical(seconds);
  for (let i = 0; i < canonical.length; i++) {
    if (text.charCodeAt(i) !== canonical[i]) return parseTime(text).seconds;
  }
  remember(seconds);
  return seconds;
}
