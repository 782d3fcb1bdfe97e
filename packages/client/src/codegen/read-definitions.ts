import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { parseYaml, splitYamlDocuments } from '@coxswain/apimachinery/codec';

/**
 * Returns the CustomResourceDefinitions of a manifest (YAML or JSON), including those inside lists. Other kinds are
 * skipped. Throws for documents that are not objects with a kind, and for definitions of another version than v1.
 */
export function readDefinitions(manifest: string): CustomResourceDefinition[] {
  return [...splitYamlDocuments(manifest)].flatMap((document) => definitionsIn(parseYaml(document).value));
}

function definitionsIn(value: unknown): CustomResourceDefinition[] {
  if (value === null) return [];
  if (!isObject(value) || typeof value.kind !== 'string')
    throw new Error('the manifest has a document that is not an object with a kind');
  if (Array.isArray(value.items)) return value.items.flatMap(definitionsIn);
  if (value.kind !== 'CustomResourceDefinition') return [];
  if (value.apiVersion !== 'apiextensions.k8s.io/v1')
    throw new Error(`a CustomResourceDefinition must be of apiextensions.k8s.io/v1, not ${value.apiVersion}`);
  if (!isDefinition(value)) throw new Error('the CustomResourceDefinition has no group, names and versions');
  return [value];
}

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Checks only the fields that the generator needs; schemas are read leniently. */
function isDefinition(value: JsonObject): value is JsonObject & CustomResourceDefinition {
  const { spec } = value;
  if (!isObject(spec) || !isObject(spec.names) || !Array.isArray(spec.versions)) return false;
  const texts = [spec.group, spec.names.kind, spec.names.plural, ...spec.versions.map((version) => version?.name)];
  return texts.every((text) => typeof text === 'string');
}
