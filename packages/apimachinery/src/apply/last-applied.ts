import { readJson } from '../codec/json.ts';
import { goJson } from '../json/go-format.ts';
import { isJsonObject } from '../json/index.ts';
import type { KubernetesObject } from '../meta/index.ts';
import { LAST_APPLIED_CONFIG_ANNOTATION } from '../patch/last-applied.ts';
import type { Schema } from '../schema/schema.ts';
import type { Steps } from '../steps/index.ts';
import { byteLength } from '../validation/byte-length.ts';
import { totalAnnotationSizeLimitBytes } from '../validation/object-meta.ts';
import type { FieldSet } from './field-set.ts';
import { TypedValue } from './typed-value.ts';

/** The manager whose server-side apply takes over the fields of client-side apply. */
export const lastAppliedManager = 'kubectl';

/** Returns the annotations, or undefined when there are none. A null value becomes ''. */
function annotationsOf(object: KubernetesObject): Record<string, string> | undefined {
  const annotations: unknown = object.metadata?.annotations;
  if (!isJsonObject(annotations)) return undefined;
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, String(value ?? '')]));
}

const lastApplied = (object: KubernetesObject): string | undefined =>
  annotationsOf(object)?.[LAST_APPLIED_CONFIG_ANNOTATION] || undefined;

/**
 * Returns the fields that client-side apply set and that have not changed since: server-side apply may take them without a conflict.
 * Returns undefined when the object has no last-applied configuration of this version that can be decoded.
 */
export function* allowedByLastApplied(
  live: KubernetesObject,
  apiVersion: string,
  schema: Schema,
): Steps<FieldSet | undefined> {
  const text = lastApplied(live);
  if (text === undefined) return undefined;
  try {
    const config: unknown = readJson(text);
    if (!isJsonObject(config) || config.apiVersion !== apiVersion || typeof config.kind !== 'string') return undefined;
    yield;
    const applied = TypedValue.of(config, schema);
    yield;
    const { added, modified, removed } = applied.compare(TypedValue.of(live, schema));
    yield;
    return applied.toFieldSet().difference(modified).difference(added).difference(removed);
  } catch {
    return undefined;
  }
}

/**
 * Returns the object with its last-applied annotation, if it has one, set to the patch. The annotation is dropped when it would be too
 * large.
 */
export function withLastApplied<T extends KubernetesObject>(object: T, patch: KubernetesObject): T {
  if (lastApplied(object) === undefined) return object;
  const annotations = { ...annotationsOf(object), [LAST_APPLIED_CONFIG_ANNOTATION]: encodeConfig(patch) };
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  const kept = size > totalAnnotationSizeLimitBytes ? withoutLastApplied(annotations) : annotations;
  return { ...object, metadata: { ...object.metadata, annotations: kept } };
}

/** Encodes the patch as upstream's encoder does, with the trailing newline. */
function encodeConfig(patch: KubernetesObject): string {
  const { annotations: _, ...metadata } = patch.metadata ?? {};
  const annotations = annotationsOf(patch);
  const config = annotations ? { ...metadata, annotations: withoutLastApplied(annotations) } : metadata;
  return `${goJson({ ...patch, metadata: config })}\n`;
}

function withoutLastApplied(annotations: Record<string, string>): Record<string, string> {
  const { [LAST_APPLIED_CONFIG_ANNOTATION]: _, ...rest } = annotations;
  return rest;
}
