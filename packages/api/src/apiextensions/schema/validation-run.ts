import {
  type ErrorList,
  type FieldError,
  invalid,
  newRequestEntityTooLarge,
  Path,
  quote,
  typeInvalid,
} from '@coxswain/apimachinery';

/** The old value where there is none that corresponds to the new one. */
export const uncorrelated: unique symbol = Symbol('uncorrelated');

/** Checks a value and adds its errors to the run. `old` is the corresponding value before an update, or `uncorrelated`. */
export type Check = (value: unknown, run: ValidationRun, old: unknown) => void;

/** The limit for checks of one value: more than reasonable objects need, and a fraction of a second. */
const maxChecks = 5_000_000;

/** Limits for the number of errors and the length of their texts. Differs from upstream, which reports all errors. */
const maxErrors = 10_000;
const maxErrorLength = 1_000_000;

/**
 * The state of one validation of one value: the current path and the errors found. For valid values nothing else is
 * allocated.
 */
export class ValidationRun {
  readonly errors: ErrorList = [];
  /** The number of errors found, also while they are not recorded. */
  failures = 0;
  /** The number of checks passed. Of alternatives that all fail, the one with the most matches is reported. */
  matches = 0;
  /** Cached results of comparisons with old values, by the new value. */
  readonly comparisons = new Map<object, boolean>();
  readonly #root: Path | undefined;
  readonly #steps: (string | number)[] = [];
  #startsWithKey = false;
  #silent = false;
  #checks = 0;
  /** For each error, the total length of the errors up to and including it. */
  readonly #lengths: number[] = [];

  /** `root` is the path of the value; undefined at the root of an object. */
  constructor(root: Path | undefined) {
    this.#root = root;
  }

  /** Counts a check; called for every value and schema. Throws an ApiError (413) beyond the limit. */
  count(): void {
    if (++this.#checks > maxChecks) {
      throw newRequestEntityTooLarge('the object is too large to be validated by its schema');
    }
  }

  get isAtRoot(): boolean {
    return this.#steps.length === 0;
  }

  /** Enters a property, an item, or, with `isKey`, a key that is not in `properties`. Must be followed by `leave`. */
  enter(step: string | number, isKey = false): void {
    if (this.#steps.length === 0) this.#startsWithKey = isKey;
    this.#steps.push(step);
  }

  leave(): void {
    this.#steps.pop();
  }

  /** Drops the errors found since `failures` had this value. */
  forgive(failures: number): void {
    this.errors.length = Math.min(failures, this.errors.length);
    this.#lengths.length = this.errors.length;
    this.failures = failures;
  }

  /** Runs a check without recording errors or changing the counters. Returns its counts. */
  probe(check: Check, value: unknown): { readonly failures: number; readonly matches: number } {
    const { failures, matches } = this;
    const wasSilent = this.#silent;
    this.#silent = true;
    this.failures = 0;
    this.matches = 0;
    check(value, this, uncorrelated);
    const result = { failures: this.failures, matches: this.matches };
    this.#silent = wasSilent;
    this.failures = failures;
    this.matches = matches;
    return result;
  }

  /** True while errors are only counted, not recorded. */
  get isSilent(): boolean {
    return this.#silent;
  }

  /** Adds an error about the value, or about the property `below` it. */
  fail(make: (path: Path | undefined, name: string) => FieldError, below?: string): void {
    this.failures++;
    const length = this.#lengths.at(-1) ?? 0;
    if (this.#silent || this.errors.length >= maxErrors || length > maxErrorLength) return;
    const name = below === undefined ? this.#name() : `${this.#name()}.${below}`;
    const error = make(this.#pathOf(name), name);
    this.#lengths.push(length + error.field.length + error.detail.length);
    this.errors.push(error);
  }

  /** Adds an error with the message `spec.x in body should …`. */
  complain(value: unknown, detail: string): void {
    this.fail((path, name) => invalid(path, value ?? '', `${name} in body ${detail}`));
  }

  complainOfType(wanted: string, actual: string): void {
    this.fail((path, name) => typeInvalid(path, actual, `${name} in body must be of type ${wanted}: ${quote(actual)}`));
  }

  /** Adds an error at the root path: upstream reports this error without the value's path and only names it in the message. */
  complainOfName(detail: (name: string) => string): void {
    this.fail((_, name) => invalid(this.#root, '', detail(name)));
  }

  /** Returns the value's name in upstream's messages. A key that is not in `properties` has a dot before it even at the root. */
  #name(): string {
    let name = this.#startsWithKey && this.#steps.length > 0 ? '.' : '';
    for (let i = 0; i < this.#steps.length; i++) {
      const step = this.#steps[i]!;
      if (typeof step === 'number') name += `[${step}]`;
      else name += i === 0 || name === '' ? step : `.${step}`;
    }
    return name;
  }

  #pathOf(name: string): Path | undefined {
    const child = name.startsWith('.') ? name.slice(1) : name;
    if (child === '') return this.#root;
    return this.#root ? this.#root.child(child) : Path.of(child);
  }
}
