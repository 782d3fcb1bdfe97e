import {
  compileNormalizer,
  type ErrorList,
  GroupVersion,
  invalid,
  isDns1035Label,
  isJsonObject,
  type Normalizer,
  type ObjectMeta,
  type Path,
  pathSegmentName,
  required,
  validateObjectMeta,
} from '@coxswain/apimachinery';
import { Catalogue } from '../../catalogue/catalogue.ts';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { additionalSchema, itemSchema, propertySchema } from './schema-visitor.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * TypeMeta and ObjectMeta of resources inside a value, and of the value itself with `isResource`. Values of the wrong
 * type are reported alone, the first of them: nothing else can be said then.
 */
export function validateEmbeddedResources(
  value: unknown,
  schema: JSONSchemaProps,
  isResource: boolean,
  path: Path,
): ErrorList {
  const mistyped = walk(value, schema, isResource, path, validateTypes);
  return mistyped.length > 0 ? mistyped.slice(0, 1) : walk(value, schema, isResource, path, validateResource);
}

function walk(
  value: unknown,
  schema: JSONSchemaProps | undefined,
  isResource: boolean,
  path: Path,
  validate: (resource: JsonObject, path: Path) => ErrorList,
): ErrorList {
  if (!schema) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => walk(item, itemSchema(schema), false, path.index(i), validate));
  }
  if (!isJsonObject(value)) return [];
  const errors = isResource || schema['x-kubernetes-embedded-resource'] ? validate(value, path) : [];
  for (const [key, field] of Object.entries(value)) {
    const property = propertySchema(schema, key);
    const place = property ? path.child(key) : path.key(key);
    errors.push(...walk(field, property ?? additionalSchema(schema), false, place, validate));
  }
  return errors;
}

let objectMeta: Normalizer | undefined;

/** Reads metadata as the server would; throws with the server's message. */
function readObjectMeta(value: unknown): ObjectMeta {
  objectMeta ??= compileNormalizer(Catalogue.builtIn().type('meta.v1.ObjectMeta'));
  return objectMeta(value).object as ObjectMeta;
}

function validateTypes(resource: JsonObject, path: Path): ErrorList {
  const errors: ErrorList = [];
  for (const key of ['apiVersion', 'kind']) {
    const value = resource[key];
    if (value !== undefined && typeof value !== 'string')
      errors.push(invalid(path.child(key), value, 'must be a string'));
  }
  if (resource.metadata === undefined) return errors;
  try {
    readObjectMeta(resource.metadata);
  } catch (error) {
    errors.push(invalid(path.child('metadata'), resource.metadata, (error as Error).message));
  }
  return errors;
}

function validateResource(resource: JsonObject, path: Path): ErrorList {
  const errors: ErrorList = [];
  const { apiVersion, kind, metadata } = resource;
  if (apiVersion === undefined) errors.push(required(path.child('apiVersion')));
  if (kind === undefined) errors.push(required(path.child('kind')));
  if (typeof apiVersion === 'string') {
    if (apiVersion === '') errors.push(invalid(path.child('apiVersion'), apiVersion, 'must not be empty'));
    else {
      try {
        GroupVersion.parse(apiVersion);
      } catch (error) {
        errors.push(invalid(path.child('apiVersion'), apiVersion, (error as Error).message));
      }
    }
  }
  if (typeof kind === 'string') {
    const problems = isDns1035Label(kind.toLowerCase());
    if (kind === '') errors.push(invalid(path.child('kind'), kind, 'must not be empty'));
    else if (problems.length > 0) {
      const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
      errors.push(invalid(path.child('kind'), kind, detail));
    }
  }
  if (metadata !== undefined) {
    const meta = readObjectMeta(metadata);
    // An embedded resource needs no name.
    const named = { ...meta, name: meta.name || 'fakename' };
    errors.push(...validateObjectMeta(named, Boolean(meta.namespace), pathSegmentName, path.child('metadata')));
  }
  return errors;
}
