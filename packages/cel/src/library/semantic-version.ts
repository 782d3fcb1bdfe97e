import { quote } from '@coxswain/apimachinery';

/** A number or an alphanumeric identifier. */
type Identifier = bigint | string;

/** A version as defined by semver.org. */
export interface SemanticVersion {
  /** Major, minor, patch. */
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly Identifier[];
  readonly build: readonly string[];
}

const maxUint64 = 2n ** 64n - 1n;
const alphanumeric = /^[0-9A-Za-z-]*$/;

/** Parses a version. Throws an Error with upstream's message. */
export function parseSemanticVersion(text: string): SemanticVersion {
  if (text === '') throw new Error('Version string empty');
  const [major, minor, rest] = splitInThree(text);
  if (minor === undefined || rest === undefined) throw new Error('No Major.Minor.Patch elements found');
  const majorNumber = parseNumber(major, 'Major');
  const minorNumber = parseNumber(minor, 'Minor');
  const [beforeBuild, build] = cut(rest, '+');
  const [patch, prerelease] = cut(beforeBuild, '-');
  return {
    numbers: [majorNumber, minorNumber, parseNumber(patch, 'Patch')],
    prerelease: prerelease === undefined ? [] : prerelease.split('.').map(parseIdentifier),
    build: build === undefined ? [] : build.split('.').map(parseBuild),
  };
}

/** Like `parseSemanticVersion`, but accepts a leading `v`, leading zeros in numbers, and fewer than three numbers. */
export function parseLenientVersion(text: string): SemanticVersion {
  const parts = splitInThree(text.replace(/^v/, '')).filter((part) => part !== undefined);
  const trimmed = parts.map((part) => {
    if (part.length < 2) return part;
    const withoutZeros = part.replace(/^0+/, '');
    return /^[0-9]/.test(withoutZeros) ? withoutZeros : `0${withoutZeros}`;
  });
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? '')) {
    throw new Error('short version cannot contain PreRelease/Build meta data');
  }
  while (trimmed.length < 3) trimmed.push('0');
  return parseSemanticVersion(trimmed.join('.'));
}

/** Compares two versions. Returns a negative number, zero or a positive number. Build metadata is ignored. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const i of [0, 1, 2] as const) {
    if (a.numbers[i] !== b.numbers[i]) return a.numbers[i] < b.numbers[i] ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  const shared = Math.min(a.prerelease.length, b.prerelease.length);
  for (let i = 0; i < shared; i++) {
    const order = compareIdentifiers(a.prerelease[i]!, b.prerelease[i]!);
    if (order !== 0) return order;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

/** Compares identifiers: numbers precede alphanumeric ones. */
function compareIdentifiers(a: Identifier, b: Identifier): number {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function splitInThree(text: string): [string, string?, string?] {
  const [first, rest] = cut(text, '.');
  if (rest === undefined) return [first];
  return [first, ...cut(rest, '.')];
}

function cut(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const hasLeadingZero = (digits: string): boolean => digits.length > 1 && digits.startsWith('0');

function parseNumber(digits: string, name: 'Major' | 'Minor' | 'Patch'): bigint {
  if (!/^[0-9]*$/.test(digits)) {
    throw new Error(`Invalid character(s) found in ${name.toLowerCase()} number ${quote(digits)}`);
  }
  if (hasLeadingZero(digits)) throw new Error(`${name} number must not contain leading zeroes ${quote(digits)}`);
  return parseUint64(digits);
}

function parseUint64(digits: string): bigint {
  const problem = (reason: string) => new Error(`strconv.ParseUint: parsing ${quote(digits)}: ${reason}`);
  if (digits === '') throw problem('invalid syntax');
  if (digits.length > 20 || BigInt(digits) > maxUint64) throw problem('value out of range');
  return BigInt(digits);
}

function parseIdentifier(text: string): Identifier {
  if (text === '') throw new Error('Prerelease is empty');
  if (!/^[0-9]+$/.test(text)) {
    if (!alphanumeric.test(text)) throw new Error(`Invalid character(s) found in prerelease ${quote(text)}`);
    return text;
  }
  if (hasLeadingZero(text)) {
    throw new Error(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`);
  }
  return parseUint64(text);
}

function parseBuild(text: string): string {
  if (text === '') throw new Error('Build meta data is empty');
  if (!alphanumeric.test(text)) throw new Error(`Invalid character(s) found in build meta data ${quote(text)}`);
  return text;
}
