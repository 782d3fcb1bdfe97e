import {
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  isLongerThan,
  notSupported,
  Path,
  repeated,
  required,
  semanticEqual,
  tooLong,
  tooMany,
} from '@coxswain/apimachinery';
import type { FeatureGates, FeatureName } from '../features/feature-gates.ts';

/** The rules of one field, which upstream's newer kinds declare by tags (declarative validation) instead of code. */
export interface FieldRules {
  /** Absent for a struct that is always present. */
  readonly presence?: 'required' | 'optional';
  /** A pointer in Go: zero and the empty string count as set. */
  readonly pointer?: boolean;
  readonly immutable?: boolean;
  /** Forbidden while the feature is off. */
  readonly feature?: FeatureName;
  readonly maxItems?: number;
  /** The field that identifies the items of the list: its values must be unique. */
  readonly key?: string;
  readonly format?: (value: string) => string[];
  /** Like `format`, for rules that report errors below the field's own path. */
  readonly check?: (value: string, path: Path) => ErrorList;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxBytes?: number;
  readonly oneOf?: readonly string[];
  /** The rules of the value, or of each item of a list. */
  readonly struct?: StructRules;
}

export interface StructRules {
  /** Exactly one of these fields is set. */
  readonly union?: readonly string[];
  readonly fields: Readonly<Record<string, FieldRules>>;
}

type Struct = Readonly<Record<string, unknown>>;

/** The parts of the request that rules depend on, besides the values. */
interface Request {
  readonly isUpdate: boolean;
  readonly features: FeatureGates;
}

/**
 * Validates an object by declarative rules. On update, unchanged fields are not validated, so that objects stored under
 * older rules stay updatable.
 */
export function validateDeclaratively(
  object: object,
  old: object | undefined,
  rules: StructRules,
  features: FeatureGates,
): ErrorList {
  return validateStruct(object as Struct, old as Struct | undefined, rules, undefined, {
    isUpdate: old !== undefined,
    features,
  });
}

function validateStruct(
  value: Struct,
  old: Struct | undefined,
  { union, fields }: StructRules,
  path: Path | undefined,
  request: Request,
): ErrorList {
  const errors = union ? validateUnion(value, old, union, path!, request) : [];
  for (const [name, rules] of Object.entries(fields)) {
    const isUnchanged = request.isUpdate && old !== undefined && semanticEqual(value[name], old[name]);
    if (isUnchanged) continue;
    const fieldPath = path ? path.child(name) : Path.of(name);
    errors.push(...validateField(value[name], old?.[name], rules, fieldPath, request));
  }
  return errors;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

function validateUnion(
  value: Struct,
  old: Struct | undefined,
  members: readonly string[],
  path: Path,
  { isUpdate }: Request,
): ErrorList {
  const set = members.filter((name) => isSet(value[name]));
  if (isUpdate && old && members.every((name) => isSet(value[name]) === isSet(old[name]))) return [];
  const all = members.map((name) => `\`${name}\``).join(', ');
  if (set.length === 0) return [invalid(path, '', `must specify one of: ${all}`)];
  return set.length === 1 ? [] : [invalid(path, `{${set.join(', ')}}`, `must specify exactly one of: ${all}`)];
}

function isZero(value: unknown, { presence, pointer }: FieldRules): boolean {
  if (!isSet(value) || (Array.isArray(value) && value.length === 0)) return true;
  return presence === 'required' && !pointer && (value === '' || value === 0);
}

function validateField(value: unknown, old: unknown, rules: FieldRules, path: Path, request: Request): ErrorList {
  const errors: ErrorList = [];
  const { feature, immutable, maxItems, presence } = rules;
  const zero = isZero(value, rules);
  if (feature && !request.features.enabled(feature)) return zero ? [] : [forbidden(path, '')];
  if (immutable && request.isUpdate) errors.push(invalid(path, undefined, 'field is immutable'));
  if (maxItems !== undefined && Array.isArray(value) && value.length > maxItems) {
    errors.push(tooMany(path, value.length, maxItems));
  }
  if (presence === 'required' && zero) errors.push(required(path));
  if (errors.length > 0 || (presence && zero)) return errors;
  if (typeof value === 'string') return validateString(value, rules, path);
  if (typeof value === 'number') return validateNumber(value, rules, path);
  if (Array.isArray(value)) return validateList(value, Array.isArray(old) ? old : [], rules, path, request);
  return rules.struct
    ? validateStruct((value ?? {}) as Struct, old as Struct | undefined, rules.struct, path, request)
    : [];
}

function validateString(value: string, { format, check, maxBytes, oneOf }: FieldRules, path: Path): ErrorList {
  const errors: ErrorList = [];
  if (maxBytes !== undefined && isLongerThan(value, maxBytes)) errors.push(tooLong(path, maxBytes));
  for (const problem of format?.(value) ?? []) errors.push(invalid(path, value, problem));
  if (check) errors.push(...check(value, path));
  if (oneOf && !oneOf.includes(value)) errors.push(notSupported(path, value, oneOf));
  return errors;
}

function validateNumber(value: number, { minimum, maximum }: FieldRules, path: Path): ErrorList {
  const errors: ErrorList = [];
  if (maximum !== undefined && value > maximum) {
    errors.push(invalid(path, value, `must be less than or equal to ${maximum}`));
  }
  if (minimum !== undefined && value < minimum) {
    errors.push(invalid(path, value, `must be greater than or equal to ${minimum}`));
  }
  return errors;
}

function validateList(
  list: readonly unknown[],
  old: readonly unknown[],
  { key, struct }: FieldRules,
  path: Path,
  request: Request,
): ErrorList {
  const errors: ErrorList = [];
  const keyOf = (item: unknown) => (item as Struct)[key!] ?? '';
  if (key) {
    const isRepeated = repeated(list, keyOf);
    list.forEach((item, i) => {
      if (isRepeated[i]) errors.push(duplicate(path.index(i), item));
    });
  }
  if (!struct) return errors;
  // Of old items with the same key, the first one is compared.
  const earlier = new Map(key ? [...old].reverse().map((item) => [keyOf(item), item]) : []);
  list.forEach((item, i) => {
    const before = key ? earlier.get(keyOf(item)) : undefined;
    if (request.isUpdate && before && semanticEqual(item, before)) return;
    errors.push(...validateStruct(item as Struct, before as Struct | undefined, struct, path.index(i), request));
  });
  return errors;
}
