import { aggregate, type ErrorList, invalid, notSupported, Path } from '../field/index.ts';
import { ownEntry } from '../json/own-entry.ts';
import { parseInt64 } from '../strconv/parse-int.ts';
import { isQualifiedName, isValidLabelValue } from '../validation/index.ts';
import type { Labels } from './set.ts';

/** The operators by their names in upstream's selection package, in the order in which messages list them. */
export const operators = ['in', 'notin', '=', '==', '!=', 'gt', 'lt', 'exists', '!'] as const;
export type Operator = (typeof operators)[number];

interface Rule {
  /** Whether this is a valid number of values, and the message when it is not. */
  readonly accepts: (count: number) => boolean;
  readonly complaint: string;
  /** The text between key and values. */
  readonly symbol: string;
  /** Whether a label with this value, undefined when there is none, satisfies the requirement. */
  readonly matches: (value: string | undefined, values: readonly string[]) => boolean;
}

const anyOf = (value: string | undefined, values: readonly string[]): boolean =>
  value !== undefined && values.includes(value);

const noneOf = (value: string | undefined, values: readonly string[]): boolean =>
  value === undefined || !values.includes(value);

/** Compares as 64-bit integers. A value that is not an integer never satisfies the requirement. */
const compares =
  (holds: (label: bigint, bound: bigint) => boolean): Rule['matches'] =>
  (value, values) => {
    const label = value === undefined ? undefined : parseInt64(value);
    const bound = values.length === 1 ? parseInt64(values[0]!) : undefined;
    return label !== undefined && bound !== undefined && holds(label, bound);
  };

const set = { accepts: (n: number) => n > 0, complaint: "for 'in', 'notin' operators, values set can't be empty" };
const exact = { accepts: (n: number) => n === 1, complaint: 'exact-match compatibility requires one single value' };
const order = {
  accepts: (n: number) => n === 1,
  complaint: "for 'Gt', 'Lt' operators, exactly one value is required",
};
const existence = {
  accepts: (n: number) => n === 0,
  complaint: 'values set must be empty for exists and does not exist',
  symbol: '',
};

const rules: Record<Operator, Rule> = {
  in: { ...set, symbol: ' in ', matches: anyOf },
  notin: { ...set, symbol: ' notin ', matches: noneOf },
  '=': { ...exact, symbol: '=', matches: anyOf },
  '==': { ...exact, symbol: '==', matches: anyOf },
  '!=': { ...exact, symbol: '!=', matches: noneOf },
  gt: { ...order, symbol: '>', matches: compares((label, bound) => label > bound) },
  lt: { ...order, symbol: '<', matches: compares((label, bound) => label < bound) },
  exists: { ...existence, matches: (value) => value !== undefined },
  '!': { ...existence, matches: (value) => value === undefined },
};

const isOperator = (operator: string): operator is Operator => Object.hasOwn(rules, operator);

/** One condition on one label. Immutable. */
export class Requirement {
  readonly key: string;
  readonly operator: Operator;
  /** As given: neither sorted nor without duplicates. */
  readonly values: readonly string[];
  readonly #rule: Rule;

  private constructor(key: string, operator: Operator, values: readonly string[]) {
    this.key = key;
    this.operator = operator;
    this.values = values;
    this.#rule = rules[operator];
  }

  /** Returns a requirement after checking key, operator and values. Throws an Error with all of upstream's messages in one. */
  static of(key: string, operator: string, values: readonly string[] | undefined, path?: Path): Requirement {
    const errors: ErrorList = [];
    const child = (name: string): Path => path?.child(name) ?? Path.of(name);
    const keyError = labelKeyError(key, child('key'));
    if (keyError) errors.push(keyError);
    const valuesPath = child('values');
    const list = values ?? [];
    if (isOperator(operator)) {
      const rule = rules[operator];
      if (!rule.accepts(list.length)) errors.push(invalid(valuesPath, values, rule.complaint));
      if (operator === 'gt' || operator === 'lt') errors.push(...integerErrors(list, valuesPath));
    } else {
      errors.push(notSupported(child('operator'), operator, operators));
    }
    list.forEach((value, i) => {
      const messages = isValidLabelValue(value);
      if (messages.length > 0) errors.push(invalid(valuesPath.index(i).key(key), value, messages.join('; ')));
    });
    if (errors.length > 0 || !isOperator(operator)) throw new Error(aggregate(errors));
    return new Requirement(key, operator, [...list]);
  }

  /** Returns `key=value` without any check, for labels that have been validated before. */
  static ofValidated(key: string, value: string): Requirement {
    return new Requirement(key, '=', [value]);
  }

  matches(labels: Labels | undefined): boolean {
    return this.#rule.matches(ownEntry(labels, this.key), this.values);
  }

  equals(other: Requirement): boolean {
    return (
      this.key === other.key &&
      this.operator === other.operator &&
      this.values.length === other.values.length &&
      this.values.every((value, i) => value === other.values[i])
    );
  }

  /** Returns the canonical form, values sorted: `a in (x,y)`, `!b`, `c=d`. */
  toString(): string {
    const prefix = this.operator === '!' ? '!' : '';
    const values = this.values.length > 1 ? [...this.values].sort().join(',') : (this.values[0] ?? '');
    const listed = this.operator === 'in' || this.operator === 'notin' ? `(${values})` : values;
    return `${prefix}${this.key}${this.#rule.symbol}${listed}`;
  }
}

/** Returns the error of an invalid label key, with all its problems in one message. */
export function labelKeyError(key: string, path: Path | undefined): ErrorList[number] | undefined {
  const messages = isQualifiedName(key);
  return messages.length > 0 ? invalid(path, key, messages.join('; ')) : undefined;
}

function integerErrors(values: readonly string[], path: Path): ErrorList {
  return values.flatMap((value, i) =>
    parseInt64(value) === undefined
      ? [invalid(path.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer")]
      : [],
  );
}
