import { type ErrorList, forbidden, invalid, notSupported, type Path, required } from '@coxswain/apimachinery';
import type { JSONSchemaProps, ValidationRule } from '../../generated/apiextensions/v1.ts';
import { additionalSchema } from '../schema/schema-visitor.ts';
import { resolveFieldPath } from './field-path.ts';
import { validateListType, validateMapListKeys, validateSetItems } from './list-type.ts';
import { structuralProblem } from './structural.ts';

/** Which of the newer rules apply. A rule that the stored schemas break does not apply to an update. */
export interface SchemaStrictness {
  readonly propertyTypes: boolean;
  readonly atomicSets: boolean;
  readonly mapListKeys: boolean;
}

/** The position of a schema inside the resource's schema, on which some rules depend. */
interface Place {
  readonly isRoot: boolean;
  readonly inMetadata: boolean;
  /** Why a default is forbidden here. */
  readonly noDefaultBecause?: string;
  readonly unsound: Set<JSONSchemaProps>;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const metaFields = new Set(['metadata', 'kind', 'apiVersion']);
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Validates the schema of a whole resource against the rules for OpenAPI v3 and its Kubernetes extensions. */
export function validateSchemaRules(
  schema: JSONSchemaProps,
  strictness: SchemaStrictness,
  path: Path,
  /** Receives the schemas that have errors, themselves or in a nested schema. */
  unsound = new Set<JSONSchemaProps>(),
): ErrorList {
  return validate(schema, { isRoot: true, inMetadata: false, unsound }, strictness, path);
}

function validate(schema: JSONSchemaProps, place: Place, strictness: SchemaStrictness, path: Path): ErrorList {
  const errors = validateKeywords(schema, place, strictness, path);
  const visit = (child: JSONSchemaProps | undefined, childPath: Path, childPlace: Place = inside) => {
    if (child) errors.push(...validate(child, childPlace, strictness, childPath));
  };
  const inside: Place = { ...place, isRoot: false };
  if (schema.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(path.child('uniqueItems'), detail));
  }
  const { additionalProperties, properties = {} } = schema;
  if (additionalProperties !== undefined) {
    if (Object.keys(properties).length > 0 && additionalProperties !== true) {
      const detail = 'additionalProperties and properties are mutual exclusive';
      errors.push(forbidden(path.child('additionalProperties'), detail));
    }
    visit(additionalSchema(schema), path.child('additionalProperties'), {
      ...inside,
      ...(place.inMetadata && { noDefaultBecause: 'inside additionalProperties applying to object metadata' }),
    });
  }
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = (place.isRoot || schema['x-kubernetes-embedded-resource'] === true) && metaFields.has(name);
    visit(property, path.child('properties').key(name), {
      ...inside,
      ...(isMeta && { inMetadata: true }),
      ...(isMeta && place.isRoot && { noDefaultBecause: `in top-level ${name}` }),
    });
  }
  visit(schema.not, path.child('not'));
  for (const field of ['allOf', 'oneOf', 'anyOf'] as const) {
    schema[field]?.forEach((nested, i) => {
      visit(nested, path.child(field).index(i));
    });
  }
  for (const [name, definition] of Object.entries(schema.definitions ?? {})) {
    visit(definition, path.child('definitions').key(name));
  }
  if (Array.isArray(schema.items)) {
    schema.items.forEach((item, i) => {
      visit(item, path.child('items').index(i));
    });
  } else visit(schema.items, path.child('items'));
  for (const [name, dependency] of Object.entries(schema.dependencies ?? {})) {
    if (!Array.isArray(dependency)) visit(dependency, path.child('dependencies').key(name));
  }
  errors.push(...validateExtensions(schema, strictness, path));
  if (errors.length > 0) place.unsound.add(schema);
  return errors;
}

/** Refuses keywords that are not supported at all, or not at this position. */
function validateKeywords(
  schema: JSONSchemaProps,
  place: Place,
  { propertyTypes }: SchemaStrictness,
  path: Path,
): ErrorList {
  const errors: ErrorList = [];
  if (propertyTypes && schema.type && !types.includes(schema.type)) {
    errors.push(notSupported(path.child('type'), schema.type, types));
  }
  if (schema.default !== undefined && place.noDefaultBecause) {
    errors.push(forbidden(path.child('default'), `must not be set ${place.noDefaultBecause}`));
  }
  for (const field of ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const) {
    if (schema[field] !== undefined) errors.push(forbidden(path.child(field), `${field} is not supported`));
  }
  if (schema.type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative';
    errors.push(forbidden(path.child('type'), detail));
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(forbidden(path.child('items'), 'items must be a schema object and not an array'));
  }
  if (place.inMetadata && schema['x-kubernetes-embedded-resource']) {
    errors.push(forbidden(path.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'));
  }
  return errors;
}

function validateExtensions(schema: JSONSchemaProps, strictness: SchemaStrictness, path: Path): ErrorList {
  const errors: ErrorList = [];
  const preserves = schema['x-kubernetes-preserve-unknown-fields'];
  if (preserves === false) {
    errors.push(invalid(path.child('x-kubernetes-preserve-unknown-fields'), preserves, 'must be true or undefined'));
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined && schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified';
    errors.push(schema.type ? invalid(path.child('type'), schema.type, detail) : required(path.child('type'), detail));
  }
  if (mapType !== undefined && !['atomic', 'granular'].includes(mapType)) {
    errors.push(notSupported(path.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  }
  const setErrors = strictness.atomicSets ? validateSetItems(schema, path) : [];
  errors.push(...validateListType(schema, path, setErrors));
  if (strictness.mapListKeys) errors.push(...validateMapListKeys(schema, path));
  schema['x-kubernetes-validations']?.forEach((rule, i) => {
    errors.push(...validateRule(rule, schema, path.child('x-kubernetes-validations').index(i)));
  });
  return errors;
}

const hasLineBreak = (text: string): boolean => /[\r\n]/.test(text);

/** Validates the parts of a rule that need no CEL compiler. */
function validateRule(validation: ValidationRule, schema: JSONSchemaProps, path: Path): ErrorList {
  const errors: ErrorList = [];
  const { rule = '', message = '', messageExpression, reason, fieldPath } = validation;
  if (!rule.trim()) errors.push(required(path.child('rule'), 'rule is not specified'));
  else if (message && !message.trim()) {
    errors.push(invalid(path.child('message'), message, 'must be non-empty if specified'));
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalid(path.child('message'), message, 'must not contain line breaks'));
  } else if (hasLineBreak(rule.trim()) && !message.trim()) {
    errors.push(required(path.child('message'), 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression && !messageExpression.trim()) {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(required(path.child('messageExpression'), detail));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(path.child('reason'), reason, reasons));
  }
  if (!fieldPath) return errors;
  const fieldPathPath = path.child('fieldPath');
  if (!fieldPath.trim()) errors.push(invalid(fieldPathPath, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(fieldPath)) errors.push(invalid(fieldPathPath, fieldPath, 'must not contain line breaks'));
  const isResolved =
    structuralProblem(schema) !== undefined ||
    typeof resolveFieldPath(fieldPath, schema, { allowBrackets: true }) === 'object';
  if (!isResolved) errors.push(invalid(fieldPathPath, fieldPath, 'must be a valid path'));
  return errors;
}
