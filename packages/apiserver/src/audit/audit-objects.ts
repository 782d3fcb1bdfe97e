import {
  type CodecFactory,
  completed,
  isJsonObject,
  parseYamlInSteps,
  type Scheme,
  type Steps,
  stringifyJson,
} from '@coxswain/apimachinery';
import { readJson } from '@coxswain/apimachinery/codec/json';

export interface ObjectFormats {
  readonly codecs: CodecFactory;
  readonly scheme: Scheme;
}

type AnyObject = Record<string, unknown>;

/**
 * What a client sent to be written, in its own version and with its defaults, which is how upstream records it.
 * Undefined for what cannot be read as an object.
 */
export function* requestObject(body: Uint8Array, { codecs, scheme }: ObjectFormats): Steps<AnyObject | undefined> {
  try {
    const { object } = yield* codecs.recognize(body).decodeInSteps(body);
    yield;
    scheme.default(object);
    yield;
    return parsedJson(codecs.json.encode(object));
  } catch {
    // Of no kind that is known here, or none at all: recorded as it came.
    return yield* parsedObject(body);
  }
}

/**
 * A patch as JSON on one line. Differs from upstream: of an apply patch in YAML, which it fails to encode, it records
 * nothing at all, not even that the request was answered.
 */
export function* patchText(body: Uint8Array): Steps<string | undefined> {
  try {
    return stringifyJson((yield* parseYamlInSteps(body)).value);
  } catch {
    return undefined;
  }
}

/** Options of a deletion, under the name that upstream records them by. */
export function* deleteOptions(body: Uint8Array): Steps<AnyObject | undefined> {
  const object = body.length === 0 ? undefined : yield* parsedObject(body);
  if (!object) return undefined;
  const { kind: _, apiVersion: __, ...options } = object;
  return { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...options };
}

/** An API object that was answered, of whatever representation. Undefined for all other answers. */
export function responseObject(
  body: Uint8Array,
  contentType: string,
  { codecs }: ObjectFormats,
): AnyObject | undefined {
  try {
    const object = contentType.startsWith('application/vnd.kubernetes.protobuf')
      ? parsedJson(codecs.json.encode(codecs.protobuf.decode(body).object))
      : isText(contentType)
        ? completed(parsedObject(body))
        : undefined;
    return typeof object?.kind === 'string' && typeof object.apiVersion === 'string' ? object : undefined;
  } catch {
    return undefined;
  }
}

const isText = (contentType: string): boolean =>
  contentType.startsWith('application/json') || contentType.startsWith('application/yaml');

function parsedJson(body: Uint8Array): AnyObject | undefined {
  const value: unknown = readJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  return isJsonObject(value) ? value : undefined;
}

function* parsedObject(body: Uint8Array): Steps<AnyObject | undefined> {
  try {
    return parsedJson(body);
  } catch {
    try {
      const { value } = yield* parseYamlInSteps(body);
      return isJsonObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Without `metadata.managedFields`, also those of the items of a list and the rows of a table. */
export function withoutManagedFields(object: AnyObject): AnyObject {
  const strip = (item: unknown): unknown => {
    if (!isJsonObject(item) || !isJsonObject(item.metadata) || !('managedFields' in item.metadata)) return item;
    const { managedFields: _, ...metadata } = item.metadata;
    return { ...item, metadata };
  };
  const stripped = strip(object) as AnyObject;
  if (Array.isArray(stripped.items)) return { ...stripped, items: stripped.items.map(strip) };
  if (stripped.kind !== 'Table' || !Array.isArray(stripped.rows)) return stripped;
  const rows = stripped.rows.map((row: unknown) => (isJsonObject(row) ? { ...row, object: strip(row.object) } : row));
  return { ...stripped, rows };
}
