/**
 * Decodes a value of a document. Returns undefined for null and absent values. Throws an Error in the words of Go's
 * decoder.
 */
export type Decoder<T> = (value: unknown, at: Position) => T | undefined;

/** The position of a value: the path of fields from the root, and the Go type that has the last field. */
interface Position {
  readonly path: string;
  readonly owner: string;
}

/** Decodes a whole document. */
export function decode<T>(decoder: Decoder<T>, value: unknown): T | undefined {
  return decoder(value, { path: '', owner: '' });
}

function fail(value: unknown, { path, owner }: Position, type: string): never {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw new Error(`json: cannot unmarshal ${kind} into Go struct field ${owner}.${path} of type ${type}`);
}

export const string: Decoder<string> = (value, at) => {
  if (value === null || value === undefined || typeof value === 'string') return value ?? undefined;
  return fail(value, at, 'string');
};

export const bool: Decoder<boolean> = (value, at) => {
  if (value === null || value === undefined || typeof value === 'boolean') return value ?? undefined;
  return fail(value, at, 'bool');
};

/** Accepts any value. */
export const anything: Decoder<unknown> = (value) => value ?? undefined;

/** Base64, possibly with line breaks. Returns the text without them. */
export const base64: Decoder<string> = (value, at) => {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'string') return fail(value, at, '[]uint8');
  const text = value.replace(/[\r\n]/g, '');
  const wrong = text.search(/[^A-Za-z0-9+/]/);
  const digits = wrong < 0 ? text.length : wrong;
  const padding = '='.repeat((4 - (digits % 4)) % 4);
  if (digits % 4 !== 1 && text.slice(digits) === padding) return text;
  throw new Error(`illegal base64 data at input byte ${digits}`);
};

/** `type` is the Go type of an item. Nulls are dropped. */
export const list =
  <T>(type: string, item: Decoder<T>): Decoder<readonly T[]> =>
  (value, at) => {
    if (value === null || value === undefined) return undefined;
    if (!Array.isArray(value)) return fail(value, at, `[]${type}`);
    return value.map((one: unknown) => item(one, at)).filter((one) => one !== undefined);
  };

/** `type` is the Go type of a value. */
export const record =
  <T>(type: string, item: Decoder<T>): Decoder<Readonly<Record<string, T>>> =>
  (value, at) => {
    if (value === null || value === undefined) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) return fail(value, at, `map[string]${type}`);
    const entries: [string, T][] = [];
    for (const [key, one] of Object.entries(value)) {
      const decoded = item(one, at);
      if (decoded !== undefined) entries.push([key, decoded]);
    }
    return Object.fromEntries(entries);
  };

/** Unknown fields are kept, so that they survive a rewrite of the file. */
export const struct =
  <T extends object>(
    type: string,
    fields: { readonly [K in keyof T]-?: Decoder<Exclude<T[K], undefined>> },
  ): Decoder<T> =>
  (value, at) => {
    if (value === null || value === undefined) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) return fail(value, at, `v1.${type}`);
    const decoders = new Map<string, Decoder<unknown>>(Object.entries(fields));
    const entries: [string, unknown][] = [];
    for (const [key, one] of Object.entries(value)) {
      const decoder = decoders.get(key) ?? anything;
      const decoded = decoder(one, { path: at.path === '' ? key : `${at.path}.${key}`, owner: type });
      if (decoded !== undefined) entries.push([key, decoded]);
    }
    // Every present field of T was decoded, and all are optional.
    return Object.fromEntries(entries) as T;
  };
