import {
  type ErrorList,
  type FieldError,
  invalid,
  newRequestEntityTooLarge,
  Path,
  quote,
  typeInvalid,
} from '@coxswain/apimachinery';

/** Stands for an old value where there is none that belongs to the new one. */
export const uncorrelated: unique symbol = Symbol('uncorrelated');

/**
 * Checks a value and tells the run what is wrong with it. `old` is what stood in its place before an update, or
 * `uncorrelated`.
 */
export type Check = (value: unknown, run: ValidationRun, old: unknown) => void;

/** More than any honest object needs, a fraction of a second. */
const maxChecks = 5_000_000;

/** Nobody reads more. Differs from upstream, which writes as many errors as an object has. */
const maxErrors = 10_000;
const maxErrorLength = 1_000_000;

/** One validation of one value: where it is, what it found. Nothing is made of good values but this. */
export class ValidationRun {
  readonly errors: ErrorList = [];
  /** Problems found, also while errors are not written down. */
  failures = 0;
  /** How many checks have passed. Of alternatives that all fail, the one with the most is reported. */
  matches = 0;
  /** Results of comparisons with old values, by the new one. */
  readonly comparisons = new Map<object, boolean>();
  readonly #root: Path | undefined;
  readonly #steps: (string | number)[] = [];
  #startsWithKey = false;
  #silent = false;
  #checks = 0;
  /** How long errors are together, up to and with each. */
  readonly #lengths: number[] = [];

  /** `root`: where the value stands; undefined at the root of an object. */
  constructor(root: Path | undefined) {
    this.#root = root;
  }

  /** To be called for every value. Throws an ApiError (413) when values times schemas are beyond all measure. */
  count(): void {
    if (++this.#checks > maxChecks) {
      throw newRequestEntityTooLarge('the object is too large to be validated by its schema');
    }
  }

  get isAtRoot(): boolean {
    return this.#steps.length === 0;
  }

  /** Goes to a property, an item, or, with `isKey`, a key that no property names. To be left with `leave`. */
  enter(step: string | number, isKey = false): void {
    if (this.#steps.length === 0) this.#startsWithKey = isKey;
    this.#steps.push(step);
  }

  leave(): void {
    this.#steps.pop();
  }

  /** Forgets errors found since there were so many. */
  forgive(failures: number): void {
    this.errors.length = Math.min(failures, this.errors.length);
    this.#lengths.length = this.errors.length;
    this.failures = failures;
  }

  /** Runs a check without writing errors down; tells how many there are and adds nothing to the run. */
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

  /** Whether errors are written down: if not, counting is enough. */
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

  /** `spec.x in body should …` */
  complain(value: unknown, detail: string): void {
    this.fail((path, name) => invalid(path, value ?? '', `${name} in body ${detail}`));
  }

  complainOfType(wanted: string, actual: string): void {
    this.fail((path, name) => typeInvalid(path, actual, `${name} in body must be of type ${wanted}: ${quote(actual)}`));
  }

  /** A problem that upstream does not say the place of, only the name. */
  complainOfName(detail: (name: string) => string): void {
    this.fail((_, name) => invalid(this.#root, '', detail(name)));
  }

  /** As upstream's messages name it: a key that no property names has a dot before it even where nothing precedes. */
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
