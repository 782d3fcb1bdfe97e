import { byteLength, isLongerThan, parseIPSloppy } from '@coxswain/apimachinery';
import { parseGoUrl } from '../../admissionregistration/v1/go-url.ts';

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

const isIP = (text: string, separator: '.' | ':'): boolean =>
  text.includes(separator) && parseIPSloppy(text) !== undefined;

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const colour = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';
const shortName = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const longName = new RegExp(`^${shortName}(\\.${shortName})*$`);
const durationUnits = /^(ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (!year) return false;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time);
  return (
    text.length >= 4 && isDate(date) && parts !== null && parts[1]! <= '23' && parts[2]! <= '59' && parts[3]! <= '59'
  );
}

/** Accepts Go's duration syntax, or text that contains a number with a unit of Scala's Duration. */
function isDuration(text: string): boolean {
  // Each run of digits can match in one way only, and a match can start only at its first digit: otherwise matching
  // would take quadratic time.
  if (/^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some(([, unit]) => durationUnits.test(unit!));
}

function isRequestUri(text: string): boolean {
  if (text === '') return false;
  try {
    // A request URI has no fragment. Without a scheme it must be an absolute path.
    const url = parseGoUrl(text.replaceAll('#', '%23'));
    return url.scheme !== '' || text.startsWith('/') || text === '*';
  } catch {
    return false;
  }
}

function passesLuhn(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!creditCard.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 1 ? 2 : 1);
    return total + (value >= 10 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const value = (digit: string) => (digit === 'X' ? 10 : Number(digit));
  return [...digits].reduce((sum, digit, i) => sum + (i + 1) * value(digit), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((sum, digit, i) => sum + Number(digit) * (i % 2 === 1 ? 3 : 1), 0) % 10 === 0;
}

function isMac(text: string): boolean {
  const groups = /^[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1)+[0-9a-fA-F]{2}$/.test(text)
    ? text.split(/[:-]/).length
    : /^(?:[0-9a-fA-F]{4}\.)+[0-9a-fA-F]{4}$/.test(text)
      ? text.split('.').length * 2
      : /^(?:[0-9a-fA-F]{2})+$/.test(text)
        ? text.length / 2
        : 0;
  return groups === 6 || groups === 8 || groups === 20;
}

/** The checks of string formats, by the format's name without dashes. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: matches(
    /^(?:(?:"(?:[^"\\]|\\.)*"|[^<>@"]*)[ \t]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@(),:;"\\[\]]+@[^\s<>@(),:;"\\]+)$/,
  ),
  hostname: (text) =>
    hostname.test(text) && !isLongerThan(text, 255) && text.split('.').every((label) => byteLength(label) <= 63),
  ipv4: (text) => isIP(text, '.'),
  ipv6: (text) => isIP(text, ':'),
  cidr: (text) => {
    const [, address, bits] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
    return (
      address !== undefined &&
      parseIPSloppy(address) !== undefined &&
      Number(bits) <= (address.includes(':') ? 128 : 32)
    );
  },
  mac: isMac,
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: passesLuhn,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(new RegExp(`^rgb\\(${colour},${colour},${colour}\\)$`)),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && longName.test(text) && !text.includes('.'),
  k8slongname: (text) => text.length <= 253 && longName.test(text),
};

/** Returns the check of a format; undefined for an unknown format, which accepts every string. */
export function stringFormat(name: string): ((text: string) => boolean) | undefined {
  const normalized = name.replaceAll('-', '');
  return Object.hasOwn(formats, normalized) ? formats[normalized] : undefined;
}

/** Reports whether a format is recognized for values of the type. */
export function isRecognizedFormat(format: string, type: string | undefined): boolean {
  switch (type ?? '') {
    case '':
    case 'string':
      return stringFormat(format) !== undefined;
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}
