import { goFloat } from '../json/go-format.ts';
import { stringifyJson } from '../json/stringify-json.ts';
import { quote } from '../strconv/quote.ts';
import { noteFieldError } from './error-limit.ts';
import type { Path } from './path.ts';

/** The kinds of field errors, by the names that upstream puts into `details.causes[].reason`. */
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

/** Errors of these types do not print the value, because it is missing, forbidden or long. */
const withoutValue: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
]);

/** A value that the message leaves out. */
export const omittedValue: unique symbol = Symbol('omitted value');

/** An error in one field of an object. It is not thrown: validators return lists of these. */
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

  /** Returns the message without the field's path, as in `details.causes[].message`. */
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
 * The errors that validators find. A validator adds errors to the list that is its last argument, and passes that list on to the
 * validators it calls, so that only one list is created for a valid object. Validators for callers in other packages also return the
 * list, and create one if none is given.
 */
export type ErrorList = FieldError[];

function printValue(value: unknown): string {
  if (value === undefined) return 'null';
  if (typeof value === 'string') return quote(value);
  // In Go, a fraction or an integer that is not safe is a float64.
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

/** The supported values are printed in the given order. Upstream sorts most of its sets, so these must be passed sorted. */
export function notSupported(field: Path | undefined, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length > 0 ? `supported values: ${supported.map(quote).join(', ')}` : '';
  return new FieldError('FieldValueNotSupported', field, value, detail);
}

/** Adds an `Invalid value` error for each message. */
export function invalidEach(
  field: Path,
  value: unknown,
  messages: readonly string[],
  errors: ErrorList = [],
): ErrorList {
  for (const message of messages) errors.push(invalid(field, value, message));
  return errors;
}

/** Checks the field `name` of the value at `path`. The field's own path is created only if there is an error. */
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

/** Like `checkField`, but a missing or empty value is a `Required value` error. */
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

/** Joins all messages, repeated ones once: an empty text for none, `[a, b]` for several. */
export function aggregate(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map(String))];
  return messages.length === 1 ? messages[0]! : messages.length === 0 ? '' : `[${messages.join(', ')}]`;
}
