/**
 * Timestamps of log lines as bytes: RFC 3339 with any number of fractional digits. A log has millions of them, so they are neither
 * decoded to strings nor made a Date.
 */

const zero = 0x30;
const [plus, hyphen, period, colon, upperT, upperZ] = [0x2b, 0x2d, 0x2e, 0x3a, 0x54, 0x5a];

/** Of `2006-01-02T15:04:05`. */
const secondsLength = 19;
/** Of `.000000000`. */
const fractionLength = 10;
/** Of the longest text that `writeTimestamp` writes. */
export const longestTimestamp = secondsLength + fractionLength + '+00:00'.length;

/** Returns the time in milliseconds since 1970, with fractions; NaN if the bytes are no timestamp. */
export function timestampMs(bytes: Uint8Array, start: number, end: number): number {
  const zone = zoneStart(bytes, start, end);
  if (zone === -1) return Number.NaN;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  const hour = twoDigits(bytes, start + 11);
  const minute = twoDigits(bytes, start + 14);
  const second = twoDigits(bytes, start + 17);
  // Comparisons with NaN are false.
  const isTime = year >= 0 && hour <= 23 && minute <= 59 && second <= 59;
  if (!isTime || !(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year))) return Number.NaN;
  let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
  if (bytes[zone] !== upperZ) {
    const [hours, minutes] = [twoDigits(bytes, zone + 1), twoDigits(bytes, zone + 4)];
    if (!(hours <= 24 && minutes <= 60)) return Number.NaN;
    const offset = hours * 3600 + minutes * 60;
    seconds += bytes[zone] === plus ? -offset : offset;
  }
  let fraction = 0;
  let unit = 100;
  for (let at = start + secondsLength + 1; at < zone; at++, unit /= 10) fraction += (bytes[at]! - zero) * unit;
  return seconds * 1000 + fraction;
}

/** Writes a timestamp for which `timestampMs` returned a number, with nine fractional digits. Returns the position after it. */
export function writeTimestamp(bytes: Uint8Array, start: number, end: number, into: Uint8Array, at: number): number {
  const zone = zoneStart(bytes, start, end);
  const fractionEnd = Math.min(zone, start + secondsLength + fractionLength);
  let position = at;
  for (let from = start; from < fractionEnd; from++) into[position++] = bytes[from]!;
  if (position === at + secondsLength) into[position++] = period;
  while (position < at + secondsLength + fractionLength) into[position++] = zero;
  if (isUtc(bytes, zone)) {
    into[position++] = upperZ;
    return position;
  }
  for (let from = zone; from < end; from++) into[position++] = bytes[from]!;
  return position;
}

/** Returns where the zone begins; -1 if the separators are not those of a timestamp, or the fraction or the zone is malformed. */
function zoneStart(bytes: Uint8Array, start: number, end: number): number {
  const hasSeparators =
    end - start > secondsLength &&
    bytes[start + 4] === hyphen &&
    bytes[start + 7] === hyphen &&
    bytes[start + 10] === upperT &&
    bytes[start + 13] === colon &&
    bytes[start + 16] === colon;
  if (!hasSeparators) return -1;
  let zone = start + secondsLength;
  if (bytes[zone] === period) {
    zone++;
    while (zone < end && isDigit(bytes[zone]!)) zone++;
    if (zone === start + secondsLength + 1) return -1;
  }
  if (bytes[zone] === upperZ) return zone + 1 === end ? zone : -1;
  const isOffset = (bytes[zone] === plus || bytes[zone] === hyphen) && zone + 6 === end && bytes[zone + 3] === colon;
  return isOffset ? zone : -1;
}

function isUtc(bytes: Uint8Array, zone: number): boolean {
  return bytes[zone] === upperZ || (twoDigits(bytes, zone + 1) === 0 && twoDigits(bytes, zone + 4) === 0);
}

const isDigit = (byte: number): boolean => byte >= zero && byte <= zero + 9;

/** NaN if they are no digits. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const [tens, ones] = [bytes[at]!, bytes[at + 1]!];
  return isDigit(tens) && isDigit(ones) ? (tens - zero) * 10 + ones - zero : Number.NaN;
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(month: number, year: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : monthLengths[month - 1]!;
}

/** In the Gregorian calendar. Years begin in March here, so that the leap day is the last of a year. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}
