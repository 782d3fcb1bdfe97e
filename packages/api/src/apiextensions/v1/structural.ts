import {
  compileGoRegexp,
  completed,
  type ErrorList,
  forbidden,
  invalid,
  jsonEquals,
  Path,
  required,
  type Steps,
} from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { additionalSchema, findInChild, itemSchema, propertySchema } from '../schema/schema-visitor.ts';

const unsupported = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
] as const;

/** Returns why a schema has no structural form; undefined when it has one. */
export function structuralProblem(schema: JSONSchemaProps): string | undefined {
  for (const field of unsupported) {
    const value = schema[field];
    const isEmpty =
      value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
    if (!isEmpty || (field === 'additionalItems' && value !== undefined)) {
      return `OpenAPIV3Schema '${field === '$schema' ? 'schema' : field}' is not supported`;
    }
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return findInChild(schema, structuralProblem);
}

/** Reports whether a schema has a structural form that obeys all structural rules. */
export const isStructural = (schema: JSONSchemaProps): boolean => completed(isStructuralInSteps(schema));

/** Like `isStructural`, in steps. */
export function* isStructuralInSteps(schema: JSONSchemaProps): Steps<boolean> {
  if (structuralProblem(schema) !== undefined) return false;
  yield;
  const errors = yield* validateStructuralInSteps(schema, Path.of(''));
  return errors.length === 0;
}

/**
 * Validates the structural rules: they ensure that every field has one type, which is known without `allOf`, `anyOf`,
 * `oneOf` and `not`. Errors are sorted, because the order of a schema's properties has no meaning.
 */
export const validateStructural = (schema: JSONSchemaProps, path: Path): ErrorList =>
  completed(validateStructuralInSteps(schema, path));

/** Like `validateStructural`, in steps. */
export function* validateStructuralInSteps(schema: JSONSchemaProps, path: Path): Steps<ErrorList> {
  const invariants = validateInvariants(schema, 'root', path);
  yield;
  const errors = [...invariants, ...validateCompleteness(schema, schema, path, path)];
  const texts = new Map(errors.map((error) => [error, String(error)]));
  return errors.sort((a, b) => (texts.get(a)! < texts.get(b)! ? -1 : 1));
}

type Level = 'root' | 'item' | 'field';

const typeRequired: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function validateInvariants(schema: JSONSchemaProps, level: Level, path: Path): ErrorList {
  const errors: ErrorList = [];
  const { type = '', properties = {}, additionalProperties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const preservesUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const items = itemSchema(schema);
  if (type === 'array' && !items) errors.push(required(path.child('items'), 'must be specified'));
  if (items) errors.push(...validateInvariants(items, 'item', path.child('items')));
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...validateInvariants(property, 'field', path.child('properties').key(name)));
  }
  if (additionalProperties !== undefined) {
    const additionalPath = path.child('additionalProperties');
    if (level === 'root') errors.push(forbidden(additionalPath, 'must not be used at the root'));
    const additional = additionalSchema(schema);
    if (additional) errors.push(...validateInvariants(additional, 'field', additionalPath));
  }
  if (isIntOrString) {
    for (const field of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
      if (schema[field])
        errors.push(invalid(path.child(field), true, 'must be false if x-kubernetes-int-or-string is true'));
    }
  }
  errors.push(...validateValueRules(schema, path, isIntOrStringPattern(schema.anyOf), hasIntOrStringPattern(schema)));
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(path.child('type'), detail) : invalid(path.child('type'), type, detail));
  } else if (type === '' && !isIntOrString && !preservesUnknown) {
    errors.push(required(path.child('type'), typeRequired[level]));
  }
  if (isEmbedded && additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(path.child('additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(path.child('type'), type, 'must be object at the root'));
  }
  errors.push(...validateMetadata(schema, level === 'root', isEmbedded, path.child('properties')));
  if (isEmbedded && !preservesUnknown && Object.keys(properties).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(path.child('properties'), detail));
  }
  return errors;
}

/** Validates the schemas of `kind`, `apiVersion` and `metadata` of a resource, at the root or embedded. */
function validateMetadata(schema: JSONSchemaProps, isRoot: boolean, isEmbedded: boolean, properties: Path): ErrorList {
  const errors: ErrorList = [];
  for (const name of ['kind', 'apiVersion']) {
    const property = propertySchema(schema, name);
    if (property && (isRoot || isEmbedded) && property.type !== 'string') {
      errors.push(invalid(properties.key(name).child('type'), property.type ?? '', 'must be string'));
    }
  }
  const metadata = propertySchema(schema, 'metadata');
  if (!metadata) return errors;
  if ((isRoot || isEmbedded) && metadata.type !== 'object') {
    errors.push(invalid(properties.key('metadata').child('type'), metadata.type ?? '', 'must be object'));
  }
  const { type: _type, default: _default, properties: restricted, ...more } = metadata;
  const restrictsOthers = Object.keys(restricted ?? {}).some((name) => name !== 'name' && name !== 'generateName');
  if (isRoot && (restrictsOthers || Object.keys(more).length > 0)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(properties.key('metadata'), detail));
  }
  return errors;
}

/** Matches `anyOf` of exactly an integer and a string: the only place where a type may be set inside `anyOf`. */
const isIntOrStringPattern = (anyOf: readonly JSONSchemaProps[] | undefined): boolean =>
  anyOf?.length === 2 && jsonEquals(anyOf, [{ type: 'integer' }, { type: 'string' }]);

const hasIntOrStringPattern = (schema: JSONSchemaProps): boolean => isIntOrStringPattern(schema.allOf?.[0]?.anyOf);

function validateValueRules(
  schema: JSONSchemaProps,
  path: Path,
  skipAnyOf: boolean,
  skipFirstAllOfAnyOf: boolean,
): ErrorList {
  const errors: ErrorList = [];
  if (!skipAnyOf) {
    schema.anyOf?.forEach((nested, i) => {
      errors.push(...validateNested(nested, path.child('anyOf').index(i)));
    });
  }
  schema.allOf?.forEach((nested, i) => {
    errors.push(...validateNested(nested, path.child('allOf').index(i), skipFirstAllOfAnyOf && i === 0));
  });
  schema.oneOf?.forEach((nested, i) => {
    errors.push(...validateNested(nested, path.child('oneOf').index(i)));
  });
  if (schema.not) errors.push(...validateNested(schema.not, path.child('not')));
  if (schema.pattern) {
    try {
      compileGoRegexp(schema.pattern);
    } catch (error) {
      const detail = `must be a valid regular expression, but isn't: ${(error as Error).message}`;
      errors.push(invalid(path.child('pattern'), schema.pattern, detail));
    }
  }
  return errors;
}

/** Fields that must not be set inside `allOf`, `anyOf`, `oneOf` and `not`, and the wording of upstream's message. */
const forbiddenInside: readonly (readonly [field: keyof JSONSchemaProps, wanted: 'empty' | 'undefined' | 'false'])[] = [
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function validateNested(schema: JSONSchemaProps, path: Path, skipAnyOf = false): ErrorList {
  const errors = validateValueRules(schema, path, skipAnyOf, false);
  const items = itemSchema(schema);
  if (items) errors.push(...validateNested(items, path.child('items')));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...validateNested(property, path.child('properties').key(name)));
  }
  const forbid = (field: string, wanted: string) =>
    errors.push(forbidden(path.child(field), `must be ${wanted} to be structural`));
  if (schema.type) forbid('type', 'empty');
  if (schema.additionalProperties) forbid('additionalProperties', 'undefined');
  for (const [field, wanted] of forbiddenInside) {
    const value = schema[field];
    const isSet =
      wanted === 'undefined' ? (value ?? null) !== null : wanted === 'false' ? value === true : hasContent(value);
    if (isSet) forbid(field, wanted);
  }
  if (propertySchema(schema, 'metadata')) {
    errors.push(forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context'));
  }
  return errors;
}

const hasContent = (value: unknown): boolean => (typeof value === 'string' || Array.isArray(value)) && value.length > 0;

/** Every field inside `allOf`, `anyOf`, `oneOf` and `not` must also be specified outside, at the same place. */
function validateCompleteness(
  rules: JSONSchemaProps,
  schema: JSONSchemaProps,
  schemaPath: Path,
  rulesPath: Path,
): ErrorList {
  const errors: ErrorList = [];
  const visit = (nested: JSONSchemaProps, path: Path) =>
    errors.push(...validateNestedCompleteness(nested, schema, schemaPath, path));
  if (rules.not) visit(rules.not, rulesPath.child('not'));
  for (const field of ['allOf', 'anyOf', 'oneOf'] as const) {
    rules[field]?.forEach((nested, i) => {
      visit(nested, rulesPath.child(field).index(i));
    });
  }
  return errors;
}

function validateNestedCompleteness(
  rules: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  schemaPath: Path,
  rulesPath: Path,
): ErrorList {
  if (!schema) return [required(schemaPath, `because it is defined in ${rulesPath}`)];
  const errors = validateCompleteness(rules, schema, schemaPath, rulesPath);
  const items = itemSchema(rules);
  if (items) {
    const itemsPath = schemaPath.child('items');
    errors.push(...validateNestedCompleteness(items, itemSchema(schema), itemsPath, rulesPath.child('items')));
  }
  for (const [name, property] of Object.entries(rules.properties ?? {})) {
    const place = schemaPath.child('properties').key(name);
    const rulesPlace = rulesPath.child('properties').key(name);
    errors.push(...validateNestedCompleteness(property, propertySchema(schema, name), place, rulesPlace));
  }
  return errors;
}
