import {
  type ErrorList,
  invalid,
  isJsonObject,
  jsonEquals,
  notSupported,
  type Path,
  quote,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { GoRegexp } from './go-regexp/index.ts';
import { numberChecks } from './number-checks.ts';
import { type Check, type Problem, placeOf, problemAt, problemSomewhere, type Result } from './schema-problem.ts';
import { stringFormat } from './string-formats.ts';

/** A value's errors against a schema, in upstream's words. */
export type SchemaValidator = (value: unknown, path: Path) => ErrorList;

export interface SchemaValidatorOptions {
  /** Defaults are checked against the structural form of a schema, in which int-or-string says nothing of the type. */
  readonly untypedIntOrString?: boolean;
}

/** Prepares a schema once for checking many values. */
export function compileSchemaValidator(schema: JSONSchemaProps, options: SchemaValidatorOptions = {}): SchemaValidator {
  const check = compile(schema, options);
  return (value, path) => check(value, '').problems.map((problem) => problem(path));
}

const nothing = (): Result => ({ problems: [], matches: 0 });
const failed = (...problems: Problem[]): Result => ({ problems, matches: 0 });

function merge(into: Result, result: Result): void {
  into.problems.push(...result.problems);
  into.matches += result.matches;
}

/** Runs the checks that concern the kind of value. */
function compile(schema: JSONSchemaProps, options: SchemaValidatorOptions): Check {
  const type = typeCheck(schema, options);
  const combined = combinationCheck(schema, options);
  const format = schema.format ? stringFormat(schema.format) : undefined;
  const text = stringCheck(schema);
  const numbers = numberChecks(schema);
  const list = listCheck(schema, options);
  const enumeration = enumCheck(schema);
  const object = objectCheck(schema, options);
  return (value, name) => {
    const result = nothing();
    const run = (check: Check) => {
      merge(result, check(value, name));
      result.matches++;
    };
    if (value === null || value === undefined) {
      if (type) merge(result, type(value, name));
      merge(result, enumeration(value, name));
      return result;
    }
    if (type) run(type);
    run(combined);
    if (typeof value === 'string') {
      run(text);
      if (format) {
        const isOfFormat = format(value);
        run(() => (isOfFormat ? nothing() : failed(wrongType(name, schema.format!, value))));
      }
    } else if (typeof value === 'number' || typeof value === 'bigint') run(numbers);
    else if (Array.isArray(value)) run(list);
    run(enumeration);
    if (isJsonObject(value)) run(object);
    result.matches++;
    return result;
  };
}

const wrongType =
  (name: string, wanted: string, actual: string): Problem =>
  (root) =>
    typeInvalid(placeOf(root, name), actual, `${name} in body must be of type ${wanted}: ${quote(actual)}`);

/** The type of a JSON value, and the format that Go's type for it has. */
function typeOf(value: unknown): readonly [type: string, format: string] {
  if (Array.isArray(value)) return ['array', ''];
  if (typeof value === 'bigint' || Number.isInteger(value)) return ['integer', 'int64'];
  if (typeof value === 'number') return ['number', 'float64'];
  return [typeof value, ''];
}

function typeCheck(schema: JSONSchemaProps, { untypedIntOrString }: SchemaValidatorOptions): Check | undefined {
  const types =
    schema['x-kubernetes-int-or-string'] && !untypedIntOrString
      ? ['integer', 'string']
      : schema.type
        ? [schema.type]
        : [];
  const { format = '', nullable } = schema;
  if (types.length === 0 && format === '') return undefined;
  const wanted = types.join(',');
  const isNumeric = types.includes('number') || types.includes('integer');
  return (value, name) => {
    if (value === null || value === undefined) {
      return types.length > 0 && !nullable && !types.includes('null')
        ? failed(wrongType(name, wanted, 'null'))
        : { problems: [], matches: 1 };
    }
    const [type, goFormat] = typeOf(value);
    const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
    const isTextOrList = type === 'string' || type === 'array';
    if (format !== '' && !isTextOrList && !fits && goFormat !== format)
      return failed(wrongType(name, format, goFormat));
    if (format !== '' && isTextOrList && !isNumeric) return { problems: [], matches: 1 };
    return fits ? { problems: [], matches: 1 } : failed(wrongType(name, wanted, type));
  };
}

function combinationCheck(schema: JSONSchemaProps, options: SchemaValidatorOptions): Check {
  const compileAll = (schemas: readonly JSONSchemaProps[] = []) => schemas.map((one) => compile(one, options));
  const anyOf = compileAll(schema.anyOf);
  const oneOf = compileAll(schema.oneOf);
  const allOf = compileAll(schema.allOf);
  const not = schema.not && compile(schema.not, options);
  return (value, name) => {
    const result = nothing();
    const complain = (detail: string) => result.problems.push(problemSomewhere(`${quote(name)} must ${detail}`));
    if (anyOf.length > 0) {
      const { valid, best } = alternatives(anyOf, value, name, true);
      if (valid === 0) complain('validate at least one schema (anyOf)');
      if (best) merge(result, best);
    }
    if (oneOf.length > 0) {
      const { valid, best } = alternatives(oneOf, value, name, false);
      if (valid !== 1) {
        const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
        complain(`validate one and only one schema (oneOf). ${found}`);
      }
      if (best && valid < 2) merge(result, best);
    }
    if (allOf.length > 0) {
      const results = allOf.map((check) => check(value, name));
      for (const one of results) merge(result, one);
      const valid = results.filter(({ problems }) => problems.length === 0).length;
      if (valid !== allOf.length) complain(`validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
    }
    if (not && not(value, name).problems.length === 0) complain('not validate the schema (not)');
    result.matches++;
    return result;
  };
}

/** How many alternatives hold, and the result to report: the first that holds, or the one that comes closest. */
function alternatives(
  checks: readonly Check[],
  value: unknown,
  name: string,
  stopAtFirst: boolean,
): { valid: number; best: Result | undefined } {
  let valid = 0;
  let success: Result | undefined;
  let closest: Result | undefined;
  for (const check of checks) {
    const result = check(value, name);
    if (result.problems.length === 0) {
      valid++;
      success ??= result;
      if (stopAtFirst) break;
    } else if (!closest || result.matches > closest.matches) closest = result;
  }
  return { valid, best: success ?? closest };
}

function stringCheck({ maxLength, minLength, pattern }: JSONSchemaProps): Check {
  const compiled = pattern ? compilePattern(pattern) : undefined;
  return (value, name) => {
    const text = value as string;
    const length = maxLength === undefined && minLength === undefined ? 0 : [...text].length;
    if (maxLength !== undefined && length > maxLength) return failed((root) => tooLong(placeOf(root, name), maxLength));
    if (minLength !== undefined && length < minLength) {
      return failed(problemAt(name, text, `should be at least ${minLength} chars long`));
    }
    if (compiled && !compiled.test(text)) {
      return failed(problemAt(name, text, `should match '${pattern}'`));
    }
    return nothing();
  };
}

function compilePattern(pattern: string): Pick<GoRegexp, 'test'> {
  try {
    return new GoRegexp(pattern);
  } catch {
    // A schema with such a pattern is refused before it gets here.
    return { test: () => false };
  }
}

function listCheck(schema: JSONSchemaProps, options: SchemaValidatorOptions): Check {
  const { items, minItems, maxItems, uniqueItems } = schema;
  const item = items && !Array.isArray(items) ? compile(items, options) : undefined;
  return (value, name) => {
    const list = value as unknown[];
    const result = nothing();
    if (item) for (const [i, one] of list.entries()) merge(result, item(one, `${name}[${i}]`));
    if (minItems !== undefined && list.length < minItems) {
      result.problems.push(problemAt(name, list.length, `should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && list.length > maxItems) {
      result.problems.push((root) => tooMany(placeOf(root, name), list.length, maxItems));
    }
    if (uniqueItems && list.some((one, i) => list.slice(0, i).some((other) => jsonEquals(one, other)))) {
      result.problems.push(problemAt(name, '', "shouldn't contain duplicates"));
    }
    result.matches++;
    return result;
  };
}

function enumCheck({ enum: values }: JSONSchemaProps): Check {
  if (!values?.length) return nothing;
  const printed = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return (value, name) =>
    value !== null && values.some((one) => jsonEquals(one, value))
      ? nothing()
      : failed((root) => notSupported(placeOf(root, name), value, printed));
}

function objectCheck(schema: JSONSchemaProps, options: SchemaValidatorOptions): Check {
  const { minProperties, maxProperties, additionalProperties } = schema;
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([key, property]) => [key, compile(property, options)]),
  );
  const additional = isJsonObject(additionalProperties)
    ? compile(additionalProperties as JSONSchemaProps, options)
    : undefined;
  return (value, name) => {
    const object = value as Readonly<Record<string, unknown>>;
    const keys = Object.keys(object);
    const result = nothing();
    if (minProperties !== undefined && keys.length < minProperties) {
      result.problems.push(problemAt(name, keys.length, `should have at least ${minProperties} properties`));
    }
    if (maxProperties !== undefined && keys.length > maxProperties) {
      result.problems.push((root) => tooMany(placeOf(root, name), keys.length, maxProperties));
    }
    for (const key of keys) {
      if (properties.has(key)) continue;
      if (additionalProperties === false) {
        const detail = `${name}.${key} in body is a forbidden property`;
        result.problems.push((root) => invalid(placeOf(root, name), key, detail));
      } else if (additional) merge(result, additional(object[key], `${name}.${key}`));
    }
    for (const [key, property] of properties) {
      if (Object.hasOwn(object, key)) merge(result, property(object[key], name === '' ? key : `${name}.${key}`));
    }
    for (const key of schema.required ?? []) {
      if (!Object.hasOwn(object, key)) result.problems.push((root) => required(placeOf(root, `${name}.${key}`)));
    }
    return result;
  };
}
