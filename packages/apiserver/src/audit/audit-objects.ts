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
 * Returns the object that a client sent, in the version it was sent in and with defaults, as upstream records it.
 * Returns undefined when the body is not an object.
 */
export function* requestObject(body: Uint8Array, { codecs, scheme }: ObjectFormats): Steps<AnyObject | undefined> {
  try {
    const { object } = yield* codecs.recognize(body).decodeInSteps(body);
    yield;
    scheme.default(object);
    yield;
    return parsedJson(codecs.json.encode(object));
  } catch {
    // The kind is missing or not in the scheme: the object is recorded as it was sent.
    return yield* parsedObject(body);
  }
}

/**
 * A patch as JSON on one line. Differs from upstream: for an apply patch in YAML, which it fails to encode, upstream
 * records nothing, not even the completion of the request.
 */
export function* patchText(body: Uint8Array): Steps<string | undefined> {
  try {
    return stringifyJson((yield* parseYamlInSteps(body)).value);
  } catch {
    return undefined;
  }
}

/** The options of a delete request, with the kind and apiVersion that upstream records. */
export function* deleteOptions(body: Uint8Array): Steps<AnyObject | undefined> {
  const object = body.length === 0 ? undefined : yield* parsedObject(body);
  if (!object) return undefined;
  const { kind: _, apiVersion: __, ...options } = object;
  return { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...options };
}

/** The API object in a response, decoded from JSON, YAML or protobuf. Undefined for all other responses. */
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

/** Removes `metadata.managedFields`, also from the items of a list and the rows of a Table. */
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
