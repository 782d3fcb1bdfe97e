import type { JsonObject } from '../json/go-value.ts';
import { assertJsonDepth, isJsonObject, ownEntry, setOwnEntry } from '../json/index.ts';
import { encodeSortedJson } from './encode-sorted-json.ts';
import { mapEntries } from './map-entries.ts';

/** The annotation in which client-side apply stores the configuration that it applied last. */
export const LAST_APPLIED_CONFIG_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** Returns the configuration applied last; undefined when the object does not have the annotation. */
export function getOriginalConfiguration(object: JsonObject): string | undefined {
  return annotationsOf(object).get(LAST_APPLIED_CONFIG_ANNOTATION);
}

/**
 * Returns the object as `kubectl apply` compares and sends it: JSON with sorted keys and a newline at the end, without the annotation for
 * the configuration applied last, or with the object itself in that annotation. Does not modify the object.
 */
export function getModifiedConfiguration(object: JsonObject, annotate: boolean): string {
  const annotations = annotationsOf(object);
  annotations.delete(LAST_APPLIED_CONFIG_ANNOTATION);
  const plain = encode(withAnnotations(object, annotations));
  if (!annotate) return plain;
  annotations.set(LAST_APPLIED_CONFIG_ANNOTATION, plain);
  return encode(withAnnotations(object, annotations));
}

/** Returns the object with itself as the configuration applied last. The original is not modified; unchanged parts are shared. */
export function setLastAppliedAnnotation(object: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  annotations.set(LAST_APPLIED_CONFIG_ANNOTATION, getModifiedConfiguration(object, false));
  return withAnnotations(object, annotations);
}

function encode(object: JsonObject): string {
  assertJsonDepth(object);
  return `${encodeSortedJson(object)}\n`;
}

/** Returns the annotations as kubectl reads them: null is an empty text, and if one is of another type there are none at all. */
function annotationsOf(object: JsonObject): Map<string, string> {
  const metadata = ownEntry(object, 'metadata');
  const annotations = isJsonObject(metadata) ? ownEntry(metadata, 'annotations') : undefined;
  const read = new Map<string, string>();
  for (const [key, value] of Object.entries(isJsonObject(annotations) ? annotations : {})) {
    if (typeof value !== 'string' && value !== null) return new Map();
    read.set(key, value ?? '');
  }
  return read;
}

function withAnnotations(object: JsonObject, annotations: ReadonlyMap<string, string>): JsonObject {
  const values: JsonObject = {};
  for (const [key, value] of annotations) setOwnEntry(values, key, value);
  const metadata = ownEntry(object, 'metadata');
  return { ...shallow(object), metadata: { ...shallow(isJsonObject(metadata) ? metadata : {}), annotations: values } };
}

const shallow = (object: JsonObject): JsonObject => mapEntries(object, (value) => value);
