import { parseYaml } from '@coxswain/apimachinery/codec/yaml';
import { messageOf } from '@coxswain/apimachinery/errors';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { configurationKind, configurationShape, type GivenConfiguration } from './configuration-shape.ts';
import { readFields } from './read-fields.ts';

/**
 * Decodes a KubeletConfiguration, YAML or JSON, without defaults. Throws an Error for unknown and duplicate fields, and for fields of the
 * wrong type. Differs from upstream, which only logs unknown and duplicate fields of v1beta1.
 */
export function decodeConfiguration(text: string): GivenConfiguration {
  return readFields(decoded(text), configurationShape, { kind: configurationKind.kind });
}

/**
 * Decodes a file of the drop-in directory as a JSON merge patch: fields that are null remove those of earlier files. Throws like
 * `decodeConfiguration`.
 */
export function decodeDropIn(text: string): Readonly<Record<string, unknown>> {
  return readFields(decoded(text), configurationShape, { kind: configurationKind.kind, keepNull: true });
}

/** Returns the fields beside apiVersion and kind. */
function decoded(text: string): object {
  const { value, duplicateKeys } = parsed(text);
  const { apiVersion, kind, ...fields } = isJsonObject(value) ? value : {};
  if (!kind) throw new Error(`Object 'Kind' is missing in '${text}'`);
  if (!apiVersion) throw new Error(`Object 'apiVersion' is missing in '${text}'`);
  if (apiVersion !== configurationKind.apiVersion || kind !== configurationKind.kind)
    throw new Error(`no kind "${kind}" is registered for version "${apiVersion}"`);
  if (duplicateKeys.length > 0) throw new Error(`strict decoding error: ${duplicateKeys.join(', ')}`);
  return fields;
}

function parsed(text: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(text);
  } catch (cause) {
    throw new Error(`couldn't get version/kind; json parse error: ${messageOf(cause)}`, { cause });
  }
}
