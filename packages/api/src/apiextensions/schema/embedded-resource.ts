import {
  type ErrorList,
  type FieldError,
  GroupVersion,
  invalid,
  isDns1035Label,
  isJsonObject,
  Path,
  pathSegmentName,
  required,
  validateObjectMeta,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { readObjectMeta } from './object-meta.ts';
import { withSortedKeys } from './sorted-keys.ts';
import { type Structural, schemaOfKey } from './structural.ts';

type JsonObject = Record<string, unknown>;
type Visit = (resource: JsonObject, path: Path | undefined) => void;

const below = (path: Path | undefined, key: string): Path => (path ? path.child(key) : Path.of(key));

/** Calls the visitor for every embedded resource inside the value, the value itself included, outer ones first. */
function visitResources(value: unknown, schema: Structural | undefined, path: Path | undefined, visit: Visit): void {
  if (!schema?.hasEmbeddedResources) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      visitResources(value[i], schema.items, (path ?? Path.of('')).index(i), visit);
    }
  } else if (isJsonObject(value)) {
    if (schema.isEmbeddedResource) visit(value, path);
    for (const key in value) {
      const child = schemaOfKey(schema, key);
      if (!child?.hasEmbeddedResources) continue;
      const place = schema.properties.has(key) ? below(path, key) : (path ?? Path.of('')).key(key);
      visitResources(value[key], child, place, visit);
    }
  }
}

/** Returns the errors for apiVersion, kind and metadata fields of the wrong type. */
function mistyped(resource: JsonObject, path: Path | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['apiVersion', 'kind']) {
    const value = Object.hasOwn(resource, key) ? resource[key] : undefined;
    if (value !== undefined && typeof value !== 'string')
      errors.push(invalid(below(path, key), withSortedKeys(value), 'must be a string'));
  }
  if (resource.metadata === undefined) return errors;
  try {
    readObjectMeta(resource.metadata);
  } catch (error) {
    errors.push(invalid(below(path, 'metadata'), withSortedKeys(resource.metadata), messageOf(error)));
  }
  return errors;
}

/** Returns the first error for a field of the wrong type in embedded resources. */
export function mistypedEmbeddedResource(value: unknown, schema: Structural, path?: Path): FieldError | undefined {
  const errors: FieldError[] = [];
  visitResources(value, schema, path, (resource, place) => errors.push(...mistyped(resource, place)));
  return errors[0];
}

/**
 * Coerces the metadata of embedded resources to ObjectMeta, in place. Returns the paths of unknown metadata fields.
 * Throws an Error with upstream's message for fields of the wrong type; with `dropInvalid` it removes them instead.
 */
export function coerceEmbeddedResources(value: unknown, schema: Structural, dropInvalid: boolean): string[] {
  const unknown: string[] = [];
  visitResources(value, schema, undefined, (resource, path) => {
    if (dropInvalid) {
      for (const key of ['apiVersion', 'kind']) {
        if (Object.hasOwn(resource, key) && typeof resource[key] !== 'string') delete resource[key];
      }
    } else {
      const [problem] = mistyped(resource, path);
      if (problem) throw new Error(String(problem));
    }
    if (!Object.hasOwn(resource, 'metadata')) return;
    const place = below(path, 'metadata');
    try {
      const read = readObjectMeta(resource.metadata, dropInvalid);
      resource.metadata = read.metadata;
      unknown.push(...read.unknown.map((field) => `${place}.${field}`));
    } catch {
      // The metadata is not an object. Upstream leaves it in place here, although invalid fields are dropped.
    }
  });
  return unknown.sort();
}

/** Validates TypeMeta and ObjectMeta of embedded resources. */
export function validateEmbeddedResources(value: unknown, schema: Structural, path?: Path): ErrorList {
  const errors: ErrorList = [];
  visitResources(value, schema, path, (resource, place) => validateResource(resource, place, errors));
  return errors;
}

function validateResource(resource: JsonObject, path: Path | undefined, errors: ErrorList): void {
  const { apiVersion, kind } = resource;
  for (const key of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(resource, key)) errors.push(required(below(path, key)));
  }
  const wrong = mistyped(resource, path);
  if (typeof apiVersion === 'string') {
    const problem = apiVersion === '' ? 'must not be empty' : groupVersionProblem(apiVersion);
    if (problem) errors.push(invalid(below(path, 'apiVersion'), apiVersion, problem));
  }
  if (typeof kind === 'string') {
    const problems = isDns1035Label(kind.toLowerCase());
    const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
    if (kind === '') errors.push(invalid(below(path, 'kind'), kind, 'must not be empty'));
    else if (problems.length > 0) errors.push(invalid(below(path, 'kind'), kind, detail));
  }
  errors.push(...wrong);
  if (wrong.length > 0 || resource.metadata === undefined) return;
  const { metadata } = readObjectMeta(resource.metadata);
  // An embedded resource needs no name, but validateObjectMeta requires one.
  const named = { ...metadata, name: metadata.name || 'fakename' };
  errors.push(...validateObjectMeta(named, Boolean(metadata.namespace), pathSegmentName, below(path, 'metadata')));
}

function groupVersionProblem(apiVersion: string): string | undefined {
  try {
    GroupVersion.parse(apiVersion);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
