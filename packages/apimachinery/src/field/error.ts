import { goFloat } from '../json/go-format.ts';
import { stringifyJson } from '../json/stringify-json.ts';
import { quote } from '../strconv/quote.ts';
import { noteFieldError } from './error-limit.ts';
import type { Path } from './path.ts';

/** What went wrong, by the names upstream puts into `details.causes[].reason`. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTooShort'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

const label: Record<FieldErrorType, string> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTooShort: 'Too short',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

/** These never print the value they complain of: it is missing, forbidden or long. */
const withoutValue: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
]);

/** Stands for a value that the message leaves out. */
export const omittedValue: unique symbol = Symbol('omitted value');

/** A problem with one field of an object. Not an exception: validators return lists of them. */
export class FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly badValue: unknown;
  readonly detail: string;

  constructor(type: FieldErrorType, field: Path | string | undefined, badValue: unknown, detail: string) {
    this.type = type;
    this.field = field === undefined ? '<nil>' : field.toString();
    this.badValue = badValue;
    this.detail = detail;
    noteFieldError(this);
  }

  /** The message without the field's path, as it stands in `details.causes[].message`. */
  body(): string {
    const text = label[this.type];
    const value = withoutValue.has(this.type) || this.badValue === omittedValue ? '' : `: ${printValue(this.badValue)}`;
    return `${text}${value}${this.detail && `: ${this.detail}`}`;
  }

  toString(): string {
    return `${this.field}: ${this.body()}`;
  }
}

/**
 * What validators find. A validator adds to the list that it is given as its last argument, and hands that list down
 * to those it calls: for a good object one list is made in all. Those that are called from afar also return it, and
 * make one if none is given.
 */
export type ErrorList = FieldError[];

function printValue(value: unknown): string {
  if (value === undefined) return 'null';
  if (typeof value === 'string') return quote(value);
  // What is no whole number, or too large for one, is a float64 in Go.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return goFloat(value);
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}

export const notFound = (field: Path, value: unknown): FieldError =>
  new FieldError('FieldValueNotFound', field, value, '');
export const required = (field: Path | undefined, detail = ''): FieldError =>
  new FieldError('FieldValueRequired', field, '', detail);
export const duplicate = (field: Path | undefined, value: unknown): FieldError =>
  new FieldError('FieldValueDuplicate', field, value, '');
export const invalid = (field: Path | undefined, value: unknown, detail: string): FieldError =>
  new FieldError('FieldValueInvalid', field, value, detail);
export const typeInvalid = (field: Path | undefined, value: unknown, detail: string): FieldError =>
  new FieldError('FieldValueTypeInvalid', field, value, detail);
export const forbidden = (field: Path | undefined, detail: string): FieldError =>
  new FieldError('FieldValueForbidden', field, '', detail);
export const internalError = (field: Path | undefined, cause: Error): FieldError =>
  new FieldError('InternalError', field, cause, cause.message);

/** The supported values are printed in the order given: upstream sorts most of its sets, sort those. */
export function notSupported(field: Path | undefined, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length > 0 ? `supported values: ${supported.map(quote).join(', ')}` : '';
  return new FieldError('FieldValueNotSupported', field, value, detail);
}

/** Adds an `Invalid value` for each of the messages that a check of the value gave. */
export function invalidEach(
  field: Path,
  value: unknown,
  messages: readonly string[],
  errors: ErrorList = [],
): ErrorList {
  for (const message of messages) errors.push(invalid(field, value, message));
  return errors;
}

/** Checks the field `name` of what is at `path`, whose own path is made only if something is wrong with it. */
export function checkField<T>(
  path: Path,
  name: string,
  value: T,
  check: (value: T) => readonly string[],
  errors: ErrorList,
): void {
  const messages = check(value);
  if (messages.length > 0) invalidEach(path.child(name), value, messages, errors);
}

/** As `checkField`, but nothing at all is `Required value`. */
export function checkRequiredField<T>(
  path: Path,
  name: string,
  value: T | undefined,
  check: (value: T) => readonly string[],
  errors: ErrorList,
): void {
  if (value) checkField(path, name, value, check, errors);
  else errors.push(required(path.child(name)));
}

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

export const tooLong = (field: Path | undefined, maxBytes: number): FieldError =>
  new FieldError(
    'FieldValueTooLong',
    field,
    '<value omitted>',
    maxBytes >= 0 ? `may not be more than ${counted(maxBytes, 'byte')}` : 'value is too long',
  );
export const tooLongCharacters = (field: Path, maxCharacters: number): FieldError =>
  new FieldError(
    'FieldValueTooLong',
    field,
    '<value omitted>',
    maxCharacters >= 0 ? `may not be more than ${counted(maxCharacters, 'character')}` : 'value is too long',
  );
export const tooShort = (field: Path, value: string, minCharacters: number): FieldError =>
  new FieldError(
    'FieldValueTooShort',
    field,
    value,
    minCharacters >= 0 ? `must be at least ${counted(minCharacters, 'character')}` : 'value is too short',
  );
/** A negative `actual` is left out of the message. */
export const tooMany = (field: Path | undefined, actual: number, max: number): FieldError =>
  new FieldError(
    'FieldValueTooMany',
    field,
    actual >= 0 ? actual : omittedValue,
    max >= 0 ? `must have at most ${counted(max, 'item')}` : 'has too many items',
  );
export const tooFew = (field: Path, actual: number, min: number): FieldError =>
  new FieldError(
    'FieldValueTooFew',
    field,
    actual,
    min >= 0 ? `must have at least ${counted(min, 'item')}` : 'has too few items',
  );

/** All messages as one, repeated ones once: nothing for none, `[a, b]` for several. */
export function aggregate(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map(String))];
  return messages.length === 1 ? messages[0]! : messages.length === 0 ? '' : `[${messages.join(', ')}]`;
}
