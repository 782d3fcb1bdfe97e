import { isJsonObject, parseYaml } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';

/** Parses a configuration file in YAML or JSON. Throws an Error when it does not contain an object. */
export function readConfiguration(text: string): ObjectReader {
  let value: unknown;
  try {
    ({ value } = parseYaml(text));
  } catch (cause) {
    throw new Error(`failed decoding: ${messageOf(cause)}`, { cause });
  }
  if (!isJsonObject(value)) throw new Error('failed decoding: the file does not contain an object');
  return new ObjectReader(value, '');
}

/**
 * Reads the fields of one object in a configuration file, and keeps track of those that were not read. Its methods
 * throw an Error that names the field when a value has the wrong type. They treat null as absent.
 */
export class ObjectReader {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #known = new Set<string>();
  readonly #parts: ObjectReader[] = [];

  constructor(raw: Readonly<Record<string, unknown>>, path: string) {
    this.raw = raw;
    this.#path = path;
  }

  /** The paths of all fields that were never read, also in nested objects. */
  get unknown(): string[] {
    const own = Object.keys(this.raw).filter((key) => !this.#known.has(key));
    return [...own.map((key) => this.#at(key)), ...this.#parts.flatMap(({ unknown }) => unknown)];
  }

  ignore(...keys: string[]): void {
    for (const key of keys) this.#known.add(key);
  }

  string(key: string): string | undefined {
    return this.#value(key, 'a string', (value) => typeof value === 'string');
  }

  boolean(key: string): boolean | undefined {
    return this.#value(key, 'true or false', (value) => typeof value === 'boolean');
  }

  integer(key: string): number | undefined {
    return this.#value(key, 'an integer', (value): value is number => Number.isSafeInteger(value));
  }

  /** Returns a value of any type. */
  any(key: string): unknown {
    return this.#value(key, 'anything', (value): value is unknown => true);
  }

  object(key: string): ObjectReader | undefined {
    const object = this.#value(key, 'an object', isJsonObject);
    if (!object) return undefined;
    const part = new ObjectReader(object, this.#at(key));
    this.#parts.push(part);
    return part;
  }

  strings(key: string): string[] {
    const isStrings = (value: unknown): value is string[] =>
      Array.isArray(value) && value.every((item) => typeof item === 'string');
    return this.#value(key, 'a list of strings', isStrings) ?? [];
  }

  objects(key: string): ObjectReader[] {
    const isObjects = (value: unknown): value is Record<string, unknown>[] =>
      Array.isArray(value) && value.every(isJsonObject);
    const objects = this.#value(key, 'a list of objects', isObjects) ?? [];
    const parts = objects.map((object, index) => new ObjectReader(object, `${this.#at(key)}[${index}]`));
    this.#parts.push(...parts);
    return parts;
  }

  #value<T>(key: string, what: string, is: (value: unknown) => value is T): T | undefined {
    this.#known.add(key);
    const value = Object.hasOwn(this.raw, key) ? this.raw[key] : undefined;
    if (value === undefined || value === null) return undefined;
    if (!is(value)) throw new Error(`failed decoding: ${this.#at(key)} must be ${what}`);
    return value;
  }

  #at(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`;
  }
}
