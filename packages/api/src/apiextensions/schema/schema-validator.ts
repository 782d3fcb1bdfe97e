import {
  type ErrorList,
  type FieldError,
  invalid,
  isJsonObject,
  type Path,
  required,
  tooMany,
} from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { compileCombinations } from './combinations.ts';
import { isUnchanged, oldItems, oldOfKey } from './correlation.ts';
import { compileEnumCheck } from './enum-check.ts';
import { compileNumberCheck } from './number-check.ts';
import { additionalSchema, itemSchema } from './schema-visitor.ts';
import { compileStringCheck } from './string-check.ts';
import { isRecognizedFormat, stringFormat } from './string-formats.ts';
import { compileTypeCheck } from './type-check.ts';
import { type Check, uncorrelated, ValidationRun } from './validation-run.ts';

/**
 * Returns a value's errors against a schema, with upstream's messages. With `old`, errors in values that an update did
 * not change are dropped. Throws an ApiError (413) when value and schema together need too many checks.
 */
export type SchemaValidator = (value: unknown, path: Path | undefined, old?: unknown) => ErrorList;

export interface SchemaValidatorOptions {
  /**
   * Validate against the structural form of the schema, as defaults are: int-or-string does not restrict the type, and
   * unrecognized formats count too.
   */
  readonly structural?: boolean;
  /** A cache of checks compiled with the same options, shared by calls for nested schemas. */
  readonly compiled?: Map<JSONSchemaProps, Check>;
}

/** Compiles a schema into a validator for many values. */
export function compileSchemaValidator(schema: JSONSchemaProps, options: SchemaValidatorOptions = {}): SchemaValidator {
  const check = compile(schema, options);
  return (value, path, old = uncorrelated) => {
    const run = new ValidationRun(path);
    check(value, run, uncorrelated);
    if (run.errors.length === 0) return run.errors;
    if (old === uncorrelated) return distinct(run.errors);
    // The comparison with the old value is postponed until there are errors, since it can only remove errors.
    const ratcheting = new ValidationRun(path);
    forgiving(schema, check)(value, ratcheting, old);
    return distinct(ratcheting.errors);
  };
}

/** Removes duplicates: several schemas may report the same error. */
function distinct(errors: ErrorList): ErrorList {
  const seen = new Set<string>();
  return errors.filter(({ type, field, detail }: FieldError) => {
    const text = `${type} ${field} ${detail}`;
    return !seen.has(text) && seen.add(text);
  });
}

/** Returns a check that drops its errors when the value equals the old one. */
const forgiving =
  (schema: JSONSchemaProps, check: Check): Check =>
  (value, run, old) => {
    const before = run.failures;
    check(value, run, old);
    if (run.failures > before && isUnchanged(schema, value, old, run.comparisons)) run.forgive(before);
  };

function compile(schema: JSONSchemaProps, options: SchemaValidatorOptions): Check {
  const known = options.compiled?.get(schema);
  if (known) return known;
  const check = compileCheck(schema, options);
  options.compiled?.set(schema, check);
  return check;
}

/** Compiles one check that runs those for the type of the value. */
function compileCheck(schema: JSONSchemaProps, options: SchemaValidatorOptions): Check {
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const type = isIntOrString ? undefined : schema.type || undefined;
  const types = isIntOrString && !options.structural ? ['integer', 'string'] : type ? [type] : [];
  const isKnown = schema.format !== undefined && isRecognizedFormat(schema.format, type);
  const format = (isKnown || options.structural) && schema.format ? schema.format : '';
  const checkType = compileTypeCheck(types, format, schema.nullable === true);
  const checkCombinations = compileCombinations(schema, (nested) => compile(nested, options));
  const checkText = compileStringCheck(schema);
  const isOfFormat = format ? stringFormat(format) : undefined;
  const checkNumber = compileNumberCheck(schema, type);
  const checkList = compileList(schema, options);
  const checkEnum = compileEnumCheck(schema.enum);
  const checkObject = compileObject(schema, options);
  return (value, run, old) => {
    run.count();
    if (value === null || value === undefined) {
      checkType?.(value, run);
      checkEnum?.(value, run);
      return;
    }
    if (checkType) {
      checkType(value, run);
      run.matches++;
    }
    checkCombinations?.(value, run);
    // Upstream counts the combinations twice and the common checks once.
    run.matches += 3;
    if (typeof value === 'string') {
      checkText?.(value, run);
      run.matches++;
      if (isOfFormat) {
        if (!isOfFormat(value)) run.complainOfType(format, value);
        run.matches++;
      }
    } else if (typeof value === 'number' || typeof value === 'bigint') {
      checkNumber?.(value, run);
      run.matches += 2;
    } else if (Array.isArray(value)) {
      checkList(value, run, old);
      run.matches += 2;
    }
    checkEnum?.(value, run);
    if (isJsonObject(value)) {
      checkObject(value, run, old);
      run.matches++;
    }
    run.matches++;
  };
}

function compileList(
  schema: JSONSchemaProps,
  options: SchemaValidatorOptions,
): (list: readonly unknown[], run: ValidationRun, old: unknown) => void {
  const { minItems, maxItems } = schema;
  const items = itemSchema(schema);
  const check = items && compile(items, options);
  const checkAgain = items && check && forgiving(items, check);
  return (list, run, old) => {
    if (check && checkAgain) {
      const oldOf = old === uncorrelated ? undefined : oldItems(schema, old);
      for (let i = 0; i < list.length; i++) {
        run.enter(i);
        if (oldOf) checkAgain(list[i], run, oldOf(list[i]));
        else check(list[i], run, uncorrelated);
        run.leave();
      }
    }
    if (minItems !== undefined && list.length < minItems) {
      run.complain(list.length, `should have at least ${minItems} items`);
    }
    if (maxItems !== undefined && list.length > maxItems) {
      run.fail((path) => tooMany(path, list.length, maxItems));
    }
  };
}

const typeFields = new Set(['apiVersion', 'kind']);

interface Property {
  readonly check: Check;
  readonly checkAgain: Check;
}

function compileObject(
  schema: JSONSchemaProps,
  options: SchemaValidatorOptions,
): (object: Readonly<Record<string, unknown>>, run: ValidationRun, old: unknown) => void {
  const { minProperties, maxProperties } = schema;
  const isClosed = schema.additionalProperties === false;
  const propertyOf = (child: JSONSchemaProps): Property => {
    const check = compile(child, options);
    return { check, checkAgain: forgiving(child, check) };
  };
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([key, child]) => [key, propertyOf(child)]));
  const others = additionalSchema(schema);
  const additional = others && propertyOf(others);
  const wanted = schema.required ?? [];
  const countsKeys = minProperties !== undefined || maxProperties !== undefined;
  return (object, run, old) => {
    if (countsKeys) {
      const count = Object.keys(object).length;
      if (minProperties !== undefined && count < minProperties) {
        run.complain(count, `should have at least ${minProperties} properties`);
      }
      if (maxProperties !== undefined && count > maxProperties) {
        run.fail((path) => tooMany(path, count, maxProperties));
      }
    }
    for (const key in object) {
      const property = properties.get(key);
      const found = property ?? additional;
      if (found) {
        // apiVersion and kind at the root are never compared with the old object's.
        const before =
          old === uncorrelated || (run.isAtRoot && typeFields.has(key)) ? uncorrelated : oldOfKey(old, key);
        run.enter(key, property === undefined);
        if (before === uncorrelated) found.check(object[key], run, uncorrelated);
        else found.checkAgain(object[key], run, before);
        run.leave();
      } else if (isClosed) {
        run.fail((path, name) => invalid(path, key, `${name}.${key} in body is a forbidden property`));
      }
    }
    for (let i = 0; i < wanted.length; i++) {
      const key = wanted[i]!;
      if (!Object.hasOwn(object, key)) run.fail((path) => required(path), key);
    }
  };
}
