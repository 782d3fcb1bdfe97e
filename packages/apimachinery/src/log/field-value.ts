/** Longer text is cut off. */
const longestText = 4_096;
/** A value with more members is cut off, so that no log line takes long to write. */
const mostMembers = 256;
const deepest = 6;
/** Causes may form a circle. */
const mostCauses = 8;

/** Returns the message of a thrown value with those of its causes, which often contain the actual reason. */
export function reasonOf(error: unknown): string {
  const reasons: string[] = [];
  let each: unknown = error;
  for (let depth = 0; depth < mostCauses && each !== undefined; depth++) {
    const message = each instanceof Error ? each.message : String(plainOf(each));
    if (!reasons.some((reason) => reason.includes(message))) reasons.push(message);
    each = each instanceof Error ? each.cause : undefined;
  }
  return reasons.join(': ');
}

/**
 * Returns a field's value for a JSON log: a value that JSON can represent, limited in size. API objects become `{ name, namespace }`,
 * errors their messages. Never throws.
 */
export function jsonValueOf(value: unknown): unknown {
  return plainOf(value, refToJson);
}

/** Like `jsonValueOf`, for a text log. Text is quoted; API objects become `"namespace/name"`. */
export function textValueOf(value: unknown): string {
  return shortened(JSON.stringify(plainOf(value, refToText)));
}

interface ObjectRef {
  readonly name: string;
  readonly namespace: string;
}

const refToText = ({ name, namespace }: ObjectRef): unknown => (namespace ? `${namespace}/${name}` : name);
const refToJson = ({ name, namespace }: ObjectRef): unknown => (namespace ? { name, namespace } : { name });

function plainOf(value: unknown, ofRef = refToText): unknown {
  try {
    return new PlainValue(ofRef).of(value, 0);
  } catch {
    // A getter or toJSON threw.
    return Object.prototype.toString.call(value);
  }
}

/** The conversion of one value, which may be huge or contain itself. */
class PlainValue {
  readonly #ofRef: (ref: ObjectRef) => unknown;
  readonly #ancestors = new Set<object>();
  #left = mostMembers;

  constructor(ofRef: (ref: ObjectRef) => unknown) {
    this.#ofRef = ofRef;
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return shortened(value);
    if (value === undefined || value === null) return null;
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value !== 'object') return shortened(String(value));
    if (value instanceof Error) return shortened(reasonOf(value));
    const ref = refOf(value);
    if (ref) return this.#ofRef(ref);
    if (depth === deepest || this.#ancestors.has(value)) return '...';
    this.#ancestors.add(value);
    const plain = this.#members(value, depth + 1);
    this.#ancestors.delete(value);
    return plain;
  }

  #members(value: object, depth: number): unknown {
    if (value instanceof Map) return this.#record(value, depth);
    if (value instanceof Set) return this.#list(value, depth);
    if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
    if (Array.isArray(value)) return this.#list(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.of(value.toJSON(), depth);
    return this.#record(entriesOf(value), depth);
  }

  #list(items: Iterable<unknown>, depth: number): unknown[] {
    const list: unknown[] = [];
    for (const item of items) {
      if (this.#left-- <= 0) {
        list.push('...');
        break;
      }
      list.push(this.of(item, depth));
    }
    return list;
  }

  #record(entries: Iterable<readonly [unknown, unknown]>, depth: number): object {
    const record = new Map<string, unknown>();
    for (const [key, value] of entries) {
      if (this.#left-- <= 0) {
        record.set('...', '...');
        break;
      }
      if (value !== undefined) record.set(String(key), this.of(value, depth));
    }
    // Unlike an assignment, this also creates a member named `__proto__`.
    return Object.fromEntries(record);
  }
}

/** Yields an object's own entries one by one, so that those of a huge object are not all listed before the first one is read. */
function* entriesOf(value: object): Generator<readonly [string, unknown]> {
  for (const key in value) if (Object.hasOwn(value, key)) yield [key, Reflect.get(value, key)];
}

/** Returns the name of an API object, or of an object with only `name` and `namespace`; undefined for all others. */
function refOf(value: object): ObjectRef | undefined {
  if (Array.isArray(value)) return undefined;
  if ('metadata' in value && isRecord(value.metadata)) return namesOf(value.metadata);
  if (!('name' in value) || typeof value.name !== 'string') return undefined;
  for (const key in value) if (key !== 'name' && key !== 'namespace') return undefined;
  return namesOf(value);
}

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null;

const namesOf = (value: object): ObjectRef => ({
  name: 'name' in value && typeof value.name === 'string' ? value.name : '',
  namespace: 'namespace' in value && typeof value.namespace === 'string' ? value.namespace : '',
});

const shortened = (text: string): string =>
  text.length > longestText ? `${text.slice(0, longestText)}... (${text.length} characters)` : text;
