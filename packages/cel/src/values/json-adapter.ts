import { writeJson } from '@coxswain/apimachinery/codec/json';
import { formatDuration } from './duration.ts';
import { parseDurationFormat } from './duration-format.ts';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  OpaqueValue,
  Optional,
  Timestamp,
  Uint,
  type ValuePairs,
} from './values.ts';

/** How JSON of a declared type is converted to CEL values. Derived from an OpenAPI schema by the caller. */
export interface ValueSchema {
  readonly kind:
    | 'dyn'
    | 'bool'
    | 'int'
    | 'double'
    | 'string'
    | 'bytes'
    | 'timestamp'
    | 'date'
    | 'duration'
    | 'intOrString'
    | 'object'
    | 'map'
    | 'list';
  readonly nullable?: boolean;
  /** Elements of a list, values of a map. */
  readonly items?: ValueSchema;
  /** Fields of an object by their name in JSON; others are not visible. */
  field?(name: string): ValueSchema | undefined;
  /**
   * Returns the JSON name of a field that expressions write differently (`__namespace__` for `namespace`); undefined if
   * there is none.
   */
  unescape?(name: string): string | undefined;
  /** Returns the name of a field in expressions; undefined to hide it. */
  escape?(name: string): string | undefined;
  readonly listType?: 'atomic' | 'set' | 'map';
  /** The fields that identify an element of a list of type `map`. */
  readonly listMapKeys?: readonly string[];
}

const DYN_SCHEMA: ValueSchema = { kind: 'dyn', nullable: true };
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Returns a CEL value that is a view of JSON data. Nothing is copied, so the data must not change while the value is in
 * use. Without a schema, integers are int and other numbers double. Throws CelError if the data does not fit the
 * schema.
 */
export function fromJson(json: unknown, schema: ValueSchema = DYN_SCHEMA): CelValue {
  if (json === null || json === undefined) {
    if (schema.kind === 'dyn' || schema.nullable) return null;
    throw new CelError('invalid data, got null for schema with nullable=false');
  }
  switch (schema.kind) {
    case 'dyn':
      return fromUntyped(json);
    case 'bool':
      return typeof json === 'boolean' ? json : unexpected('bool', json);
    case 'int':
      return Number.isSafeInteger(json) || typeof json === 'bigint'
        ? BigInt(json as number | bigint)
        : unexpected('int', json);
    case 'double':
      return typeof json === 'number' || typeof json === 'bigint' ? Number(json) : unexpected('float', json);
    case 'intOrString':
      if (typeof json === 'string') return json;
      if (typeof json === 'bigint' || Number.isInteger(json)) return BigInt(json as number | bigint);
      throw new CelError('invalid data, expected XIntOrString value to be either a string or integer');
    case 'object':
    case 'map':
      if (!isRecord(json)) throw new CelError('invalid data, expected a map for the provided schema with type=object');
      return new JsonMap(json, schema);
    case 'list':
      if (!Array.isArray(json))
        throw new CelError('invalid data, expected an array for the provided schema with type=array');
      return new JsonList(json, schema);
    default:
      return typeof json === 'string' ? fromString(json, schema) : unexpected('string', json);
  }
}

function unexpected(expected: string, json: unknown): never {
  throw new CelError(`invalid data, expected ${expected}, got ${goTypeName(json)}`);
}

function goTypeName(json: unknown): string {
  if (Array.isArray(json)) return '[]interface {}';
  switch (typeof json) {
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'number':
      return Number.isInteger(json) ? 'int64' : 'float64';
    case 'bigint':
      return 'int64';
    default:
      return 'map[string]interface {}';
  }
}

function fromString(text: string, { kind }: ValueSchema): CelValue {
  switch (kind) {
    case 'duration': {
      const duration = parseDurationFormat(text);
      if (duration === undefined) throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
      return duration;
    }
    case 'timestamp':
    case 'date': {
      const timestamp = parseTimestamp(kind === 'date' ? `${text}T00:00:00Z` : text);
      if (timestamp === undefined)
        throw new CelError(`Invalid ${kind === 'date' ? 'date' : 'date-time'} formatted string ${text}`);
      return timestamp;
    }
    case 'bytes':
      if (!BASE64.test(text)) throw new CelError(`Invalid byte formatted string ${text}`);
      return new Uint8Array(Buffer.from(text, 'base64'));
    default:
      return text;
  }
}

function fromUntyped(json: unknown): CelValue {
  switch (typeof json) {
    case 'boolean':
    case 'string':
    case 'bigint':
      return json;
    case 'number':
      return Number.isInteger(json) ? BigInt(json) : json;
  }
  if (Array.isArray(json)) return new JsonList(json, DYN_SCHEMA);
  if (isRecord(json)) return new JsonMap(json, DYN_SCHEMA);
  throw new CelError(`unsupported conversion to ref.Val: (${typeof json})`);
}

function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

class JsonMap extends CelMap {
  readonly json: Record<string, unknown>;
  #knownNames: readonly string[] | undefined;
  readonly #schema: ValueSchema;

  constructor(json: Record<string, unknown>, schema: ValueSchema) {
    super();
    this.json = json;
    this.#schema = schema;
  }

  get #names(): readonly string[] {
    this.#knownNames ??= Object.keys(this.json);
    return this.#knownNames;
  }

  get size(): number {
    return this.#names.length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') {
      if (this.#schema.kind === 'dyn') return undefined;
      throw new CelError('no such overload');
    }
    const schema = this.#schema;
    const name = schema.unescape === undefined ? key : schema.unescape(key);
    return name === undefined ? undefined : this.#field(name);
  }

  /** Returns a field by its JSON name. A null field of an object counts as absent. */
  #field(name: string): CelValue | undefined {
    const schema = this.#schema;
    if (!Object.hasOwn(this.json, name)) return undefined;
    const value = this.json[name];
    if (value === undefined || (value === null && schema.kind === 'object')) return undefined;
    if (schema.kind === 'dyn') return fromUntypedOrNull(value);
    const fieldSchema = schema.kind === 'object' ? schema.field?.(name) : schema.items;
    return fieldSchema === undefined ? undefined : fromJson(value, fieldSchema);
  }

  /** Fields that the schema does not specify are compared too, as data without schema. */
  override pairsWith(other: CelMap): ValuePairs | undefined {
    const schema = this.#schema;
    if (schema.kind !== 'object' || !(other instanceof JsonMap)) return undefined;
    const names = this.#names.values();
    return {
      next: () => {
        const { done, value: name } = names.next();
        if (done) return true;
        if (schema.field?.(name) === undefined) {
          if (!Object.hasOwn(other.json, name)) return undefined;
          return [fromUntypedOrNull(this.json[name]), fromUntypedOrNull(other.json[name])];
        }
        const mine = this.#field(name);
        const theirs = other.#field(name);
        return mine === undefined || theirs === undefined ? mine === theirs && undefined : [mine, theirs];
      },
    };
  }

  *keys(): IterableIterator<CelValue> {
    for (const name of this.#names) {
      if (this.#schema.kind === 'object' && this.#schema.field?.(name) === undefined) continue;
      const escaped = this.#schema.escape === undefined ? name : this.#schema.escape(name);
      if (escaped !== undefined) yield escaped;
    }
  }
}

function fromUntypedOrNull(json: unknown): CelValue {
  return json === null ? null : fromUntyped(json);
}

class JsonList extends CelList {
  readonly json: readonly unknown[];
  readonly #schema: ValueSchema;

  constructor(json: readonly unknown[], schema: ValueSchema) {
    super();
    this.json = json;
    this.#schema = schema;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): CelValue {
    const value = this.json[index];
    return this.#schema.kind === 'dyn' ? fromUntypedOrNull(value) : fromJson(value, this.#schema.items);
  }

  override get elementIdentity(): ((element: CelValue) => string) | undefined {
    const { listType } = this.#schema;
    return listType === 'set' || listType === 'map' ? this.#identity : undefined;
  }

  readonly #identity = (element: CelValue): string => {
    // A fast path for strings. The text is unambiguous, because no other JSON starts with a quote.
    if (typeof element === 'string') return `"${element}`;
    if (this.#schema.listType === 'set' || !(element instanceof CelMap)) return writeJson(toJson(element));
    const visible = (name: string) => this.#schema.items?.escape?.(name) ?? name;
    return writeJson((this.#schema.listMapKeys ?? []).map((name) => toJson(element.get(visible(name)) ?? null)));
  };
}

/** The limit for nodes: a value that contains another many times could have a huge JSON. */
const MAX_JSON_NODES = 250_000;

/** Copies a value to JSON data. Throws CelError for values that JSON cannot represent or that are too large. */
export function toJson(value: CelValue): unknown {
  let left = MAX_JSON_NODES;
  const convert = (inner: CelValue): unknown => {
    if (--left < 0) throw new CelError('operation cancelled: value too large');
    if (inner === null || typeof inner === 'boolean' || typeof inner === 'string' || typeof inner === 'number')
      return inner;
    if (typeof inner === 'bigint') return numberOrBigInt(inner);
    if (inner instanceof Uint) return numberOrBigInt(inner.value);
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString('base64');
    if (inner instanceof Timestamp) return formatTimestamp(inner);
    if (inner instanceof Duration) return formatDuration(inner);
    if (inner instanceof CelList) {
      const items: unknown[] = [];
      for (const item of inner) items.push(convert(item));
      return items;
    }
    if (inner instanceof CelMap) {
      const entries: [string, unknown][] = [];
      for (const key of inner.keys()) {
        if (typeof key !== 'string') throw new CelError('unsupported map key type in JSON: must be string');
        entries.push([key, convert(inner.get(key) ?? null)]);
      }
      return Object.fromEntries(entries);
    }
    if (inner instanceof Optional) return inner.value === undefined ? null : convert(inner.value);
    throw new CelError(`unsupported conversion to JSON: ${inner instanceof OpaqueValue ? inner.celType : 'type'}`);
  };
  return convert(value);
}

function numberOrBigInt(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
