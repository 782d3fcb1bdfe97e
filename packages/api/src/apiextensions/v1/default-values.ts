import { aggregate, cloneJson, type ErrorList, invalid, isJsonObject, Path } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import {
  compileSchemaValidator,
  mistypedEmbeddedResource,
  newStructural,
  prune,
  type SchemaValidatorOptions,
  type Structural,
  validateEmbeddedResources,
} from '../schema/index.ts';
import { itemSchema } from '../schema/schema-visitor.ts';
import type { RuleChecks } from './rule-checks.ts';

/** Wraps a default value in a resource, at the place where it would be set. */
type Surround = (value: unknown) => unknown;

/** The position of a schema: the resource schema that contains it, and whether it is inside that resource's metadata. */
interface Place {
  readonly resource: JSONSchemaProps;
  readonly surround: Surround;
  readonly isMetadata: boolean;
  readonly path: Path;
  readonly compiled: Compiled;
}

/** Caches of compiled schemas: nested schemas of a schema with a default often have one too. */
interface Compiled {
  readonly checks: NonNullable<SchemaValidatorOptions['compiled']>;
  readonly structurals: Map<JSONSchemaProps, Structural>;
  readonly rules: RuleChecks | undefined;
  /** The remaining cost budget of CEL rules. Below zero, no further defaults are validated. */
  budget: number;
}

/** The cost budget of all rules together; the same as for a request. */
const ruleBudget = 10_000_000;

const rootPlace = (resource: JSONSchemaProps, path: Path, rules?: RuleChecks): Place => ({
  resource,
  surround: withTypeMeta,
  isMetadata: false,
  path,
  compiled: { checks: new Map(), structurals: new Map(), rules, budget: ruleBudget },
});

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);

const withTypeMeta: Surround = (value) =>
  isJsonObject(value) ? { kind: 'Validation', apiVersion: 'validation/v1', ...value } : value;

/**
 * Validates default values against their schemas. With `requirePruned` they must not have fields that the schema does
 * not specify.
 */
export function validateDefaults(
  schema: JSONSchemaProps,
  path: Path,
  requirePruned: boolean,
  rules?: RuleChecks,
): ErrorList {
  return collect(schema, rootPlace(schema, path, rules), (inner, place) =>
    validateDefault(inner, place, requirePruned),
  );
}

/** Reports whether a default has fields that the schema does not specify. */
export function hasUnprunedDefaults(schema: JSONSchemaProps): boolean {
  return collect(schema, rootPlace(schema, Path.of('')), validatePruned).length > 0;
}

/** Visits every schema with a default, except in `additionalProperties`, where defaults are forbidden by another rule. */
function collect(
  schema: JSONSchemaProps,
  given: Place,
  visit: (schema: JSONSchemaProps, place: Place) => ErrorList,
): ErrorList {
  const isResource = isResourceSchema(schema, given);
  const place: Place = isResource ? { ...given, resource: schema, surround: withTypeMeta, isMetadata: false } : given;
  if (place.compiled.budget < 0) return [];
  const errors = (schema.default ?? null) === null ? [] : visit(schema, place);
  const items = itemSchema(schema);
  if (items) {
    const below = { ...place, surround: (value: unknown) => place.surround([value]), path: place.path.child('items') };
    errors.push(...collect(items, below, visit));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const below: Place = {
      ...place,
      surround: (value) => place.surround({ [name]: value }),
      isMetadata: place.isMetadata || (isResource && metaFields.has(name)),
      path: place.path.child('properties').key(name),
    };
    errors.push(...collect(property, below, visit));
  }
  return errors;
}

const isResourceSchema = (schema: JSONSchemaProps, { resource }: Place): boolean =>
  schema === resource || schema['x-kubernetes-embedded-resource'] === true;

const structuralOf = (schema: JSONSchemaProps, { compiled }: Place, isResource: boolean): Structural =>
  newStructural(schema, { isResource, known: compiled.structurals });

function validatePruned(schema: JSONSchemaProps, place: Place): ErrorList {
  if (place.isMetadata) return [];
  const pruned = prune(cloneJson(schema.default), structuralOf(schema, place, isResourceSchema(schema, place)));
  return pruned.length === 0
    ? []
    : [invalid(place.path.child('default'), schema.default, 'must not have unknown fields')];
}

/** A field of the wrong type is the only error reported: the other checks need valid types. */
function validateResources(value: unknown, structural: Structural, path?: Path): ErrorList {
  const problem = mistypedEmbeddedResource(value, structural, path);
  return problem ? [problem] : validateEmbeddedResources(value, structural, path);
}

function validateDefault(schema: JSONSchemaProps, place: Place, requirePruned: boolean): ErrorList {
  const path = place.path.child('default');
  const value = schema.default;
  const errors = requirePruned ? validatePruned(schema, place) : [];
  if (place.isMetadata) {
    const resource = place.surround(cloneJson(value));
    const problems = validateResources(resource, structuralOf(place.resource, place, true));
    if (problems.length > 0) {
      return [invalid(path, value, `must result in valid metadata: ${aggregate(problems)}`)];
    }
  } else {
    const problems = validateResources(value, structuralOf(schema, place, isResourceSchema(schema, place)), path);
    if (problems.length > 0) return [...errors, ...problems];
  }
  const validate = compileSchemaValidator(schema, { structural: true, compiled: place.compiled.checks });
  const problems = validate(value, path);
  return [...errors, ...(problems.length > 0 ? problems : validateByRules(schema, place, path))];
}

function validateByRules(schema: JSONSchemaProps, { resource, compiled }: Place, path: Path): ErrorList {
  const { rules, budget } = compiled;
  if (!rules) return [];
  const outcome = rules.validateDefault(schema, path, { isResource: schema === resource, budget });
  compiled.budget = outcome.budget;
  return outcome.errors;
}
