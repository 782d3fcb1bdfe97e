import { messageOf } from '../errors/message-of.ts';
import { goSyntax } from '../json/go-format.ts';
import { formatValue, goType } from '../json/go-value.ts';
import { isJsonObject, JsonDepthError, MAX_JSON_DEPTH } from '../json/index.ts';
import { isNameable, itemElement } from './list-items.ts';
import { indexElement, type PathElement, printPathElement } from './path-element.ts';
import { alternativeOf, type ListType, type MapType, type ScalarType, type ValueType } from './value-type.ts';

/** Thrown when a value does not fit its schema. The message lists every violation with its path, in upstream's words. */
export class TypedValueError extends Error {
  override readonly name = 'TypedValueError';

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(lines.length === 1 ? lines[0] : ['errors:', ...lines].join('\n  '));
  }
}

interface Violation {
  readonly path: string;
  readonly message: string;
}

type Violations = readonly Violation[] | undefined;

/**
 * Throws TypedValueError when the value does not fit the type, JsonDepthError when it is nested too deeply.
 * `allowDuplicates`: items with the same keys in an associative list are no violation.
 */
export function validateValue(type: ValueType, value: unknown, allowDuplicates = false): void {
  // Nearly every value fits; only for the others the paths of the violations are computed.
  if (allowDuplicates && fits(type, value, 0)) return;
  const violations = validate(type, value, allowDuplicates, 0);
  if (violations !== undefined) throw new TypedValueError(violations);
}

/** Whether the value has no violations except duplicates. */
function fits(type: ValueType, value: unknown, depth: number): boolean {
  if (depth > MAX_JSON_DEPTH) throw new JsonDepthError();
  if (value === null) return true;
  if (typeof value !== 'object') return type.scalar !== undefined && validateScalar(type.scalar, value) === undefined;
  if (Array.isArray(value)) {
    const { list } = type;
    if (list === undefined) return false;
    for (const item of value) {
      if (!list.atomic && !isNameable(list, item)) return false;
      if (!fits(list.items, item, depth + 1)) return false;
    }
    return true;
  }
  return isJsonObject(value) && type.map !== undefined && mapFits(type.map, value, depth);
}

function mapFits(map: MapType, value: Record<string, unknown>, depth: number): boolean {
  for (const key in value) {
    const type = map.fields.get(key)?.type ?? map.elements;
    if (type === undefined || !fits(type, value[key], depth + 1)) return false;
  }
  return true;
}

const violation = (message: string): Violation[] => [{ path: '', message }];

/** Prints a decoded value as upstream does: inside the struct that wraps it. */
const wrapped = (value: unknown): string => `&{${formatValue(value)}}`;

function validate(type: ValueType, value: unknown, allowDuplicates: boolean, depth: number): Violations {
  if (depth > MAX_JSON_DEPTH) throw new JsonDepthError();
  if (value === null) return undefined;
  switch (alternativeOf(type, value)) {
    case 'list':
      return Array.isArray(value)
        ? validateList(type.list!, value, allowDuplicates, depth)
        : violation(`expected list, got ${wrapped(value)}`);
    case 'map':
      return isJsonObject(value)
        ? validateMap(type.map!, value, allowDuplicates, depth)
        : violation(`expected map, got ${wrapped(value)}`);
    default:
      return validateScalar(type.scalar!, value);
  }
}

function validateScalar(type: ScalarType, value: unknown): Violations {
  const actual = typeof value;
  switch (type) {
    case 'numeric':
      if (actual === 'number' || actual === 'bigint') return undefined;
      return violation(`expected numeric (int or float), got ${goType(value)}`);
    case 'string':
      if (actual === 'string') return undefined;
      return violation(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    case 'boolean':
      return actual === 'boolean' ? undefined : violation(`expected boolean, got ${wrapped(value)}`);
    default:
      return actual === 'object' ? violation(`expected any scalar, got ${wrapped(value)}`) : undefined;
  }
}

function validateMap(
  type: MapType,
  value: Record<string, unknown>,
  allowDuplicates: boolean,
  depth: number,
): Violations {
  let violations: Violations;
  for (const key of Object.keys(value)) {
    const keyType = type.fields.get(key)?.type ?? type.elements;
    if (keyType === undefined) {
      // As upstream: stops at the first undeclared field.
      return joined(violations, below(`.${key}`, violation('field not declared in schema')));
    }
    const found = validate(keyType, value[key], allowDuplicates, depth + 1);
    if (found !== undefined) violations = joined(violations, below(`.${key}`, found));
  }
  return violations;
}

function validateList(type: ListType, value: readonly unknown[], allowDuplicates: boolean, depth: number): Violations {
  let violations: Violations;
  const seen = new Set<PathElement>();
  for (let i = 0; i < value.length; i++) {
    const item = value[i];
    let element: PathElement | undefined;
    if (!type.atomic) {
      try {
        element = itemElement(type, item);
      } catch (error) {
        const message = `element ${i}: ${messageOf(error)}`;
        return joined(violations, violation(message));
      }
      if (!allowDuplicates) {
        if (seen.has(element))
          violations = joined(violations, violation(`duplicate entries for key ${printPathElement(element)}`));
        seen.add(element);
      }
    }
    const found = validate(type.items, item, allowDuplicates, depth + 1);
    if (found !== undefined)
      violations = joined(violations, below(printPathElement(element ?? indexElement(i)), found));
  }
  return violations;
}

const below = (prefix: string, violations: readonly Violation[]): Violation[] =>
  violations.map(({ path, message }) => ({ path: prefix + path, message }));

/** The maximum number of violations in an error. Differs from upstream, which lists them all: these are enough to see what is wrong. */
const maxViolations = 1000;

function joined(violations: Violations, more: readonly Violation[]): readonly Violation[] {
  if (violations === undefined) return more;
  return violations.length >= maxViolations ? violations : [...violations, ...more.slice(0, maxViolations)];
}
