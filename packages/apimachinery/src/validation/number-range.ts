import { isLongerThan } from './byte-length.ts';
import { consistsOf, dash, digit, lowerAlphanumeric } from './character-class.ts';
import { inclusiveRangeError, maxLenError } from './messages.ts';

const maxInt32 = 2 ** 31 - 1;

/** Returns no message when `low <= value <= high`. */
export function isInRange(value: number | bigint, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [inclusiveRangeError(low, high)];
}

export const isValidPortNum = (port: number | bigint): string[] => isInRange(port, 1, 65535);
export const isValidUserId = (uid: number | bigint): string[] => isInRange(uid, 0, maxInt32);
export const isValidGroupId = (gid: number | bigint): string[] => isInRange(gid, 0, maxInt32);

const portNameMaxLength = 15;

/** Checks a port's name by RFC 6335. */
export function isValidPortName(port: string): string[] {
  const errors: string[] = [];
  if (isLongerThan(port, portNameMaxLength)) errors.push(maxLenError(portNameMaxLength));
  const isPlain = port !== '' && consistsOf(port, lowerAlphanumeric | dash);
  if (!isPlain) errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (isPlain ? consistsOf(port, digit | dash) : !/[a-z]/.test(port))
    errors.push('must contain at least one letter (a-z)');
  if (port.includes('--')) errors.push('must not contain consecutive hyphens');
  if (port.startsWith('-') || port.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}
