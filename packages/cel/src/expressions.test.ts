import { readFileSync } from 'node:fs';
import { CountingEventLoop } from '@coxswain/apimachinery/turns';
import { describe, expect, it } from 'vitest';
import type { CostNode } from './checking/cost-estimate.ts';
import { CelEnvironment } from './environment/environment.ts';
import { CelProgramError } from './plan/planner.ts';
import { formatDouble } from './standard/conversions.ts';
import { OPTIONAL_LIBRARY, TWO_VARIABLE_COMPREHENSIONS } from './standard/optional-library.ts';
import { CelCompileError } from './syntax/source.ts';
import { fromJson } from './values/json-adapter.ts';
import { formatTimestamp } from './values/timestamp.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  optionalOf,
  STRING,
  TIMESTAMP,
  UINT,
} from './values/types.ts';
import {
  CelList,
  CelMap,
  type CelValue,
  Duration,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
} from './values/values.ts';

/** The recorded results of cel-go v0.26.0 in the environment of Kubernetes v1.36.4. */
interface Expected {
  readonly expr: string;
  readonly issues?: string;
  readonly type?: string;
  readonly min?: number;
  readonly max?: number;
  readonly program?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: number;
}

const expectations: readonly Expected[] = JSON.parse(
  readFileSync(new URL('./testdata/expressions.json', import.meta.url), 'utf8'),
);

const environment = new CelEnvironment({
  libraries: [OPTIONAL_LIBRARY, TWO_VARIABLE_COMPREHENSIONS],
  variables: {
    x: INT,
    y: INT,
    s: STRING,
    b: BOOL,
    d: DOUBLE,
    u: UINT,
    l: listOf(INT),
    ls: listOf(STRING),
    m: mapOf(STRING, INT),
    dy: DYN,
    ts: TIMESTAMP,
    du: DURATION,
    nested: mapOf(STRING, listOf(STRING)),
    o: optionalOf(INT),
    missing: INT,
    by: BYTES,
  },
});

const bindings = new Map<string, CelValue>([
  ['x', 7n],
  ['y', -3n],
  ['s', 'héllo wörld'],
  ['b', true],
  ['d', 2.5],
  ['u', new Uint(9n)],
  ['l', fromJson([1, 2, 3])],
  ['ls', fromJson(['a', 'bb', 'ccc'])],
  ['m', fromJson({ one: 1, two: 2 })],
  ['dy', fromJson({ a: 1, b: { c: 'deep' }, list: [1, 'two', 3.5], null: null })],
  ['ts', new Timestamp(Date.UTC(2024, 1, 29, 13, 14, 15) / 1000, 123_456_789)],
  ['du', new Duration(5_400_005_000_000n)],
  ['nested', fromJson({ p: ['q', 'r'] })],
  ['o', Optional.of(5n)],
  ['by', new Uint8Array(Buffer.from('abc'))],
]);

const sizes: Readonly<Record<string, number>> = {
  s: 100,
  ls: 10,
  'ls.@items': 20,
  m: 5,
  'm.@keys': 8,
  l: 30,
  nested: 7,
  'nested.@values': 9,
  'nested.@values.@items': 11,
  'nested.@keys': 12,
};

function sizeOf({ path }: CostNode) {
  const max = sizes[(path ?? []).join('.')];
  return max === undefined ? undefined : { min: 0, max };
}

function show(value: CelValue): string {
  if (value instanceof Optional) return value.value === undefined ? 'none' : `optional(${show(value.value)})`;
  if (value instanceof CelMap) {
    return `{${[...value.keys()]
      .map((key) => `${show(key)}: ${show(value.get(key) ?? null)}`)
      .sort()
      .join(', ')}}`;
  }
  if (value instanceof CelList) return `[${[...value].map(show).join(', ')}]`;
  if (value instanceof Timestamp) return `timestamp(${formatTimestamp(value)})`;
  if (value instanceof Duration) return `duration(${value.nanos})`;
  if (value instanceof Uint8Array) return `bytes(${Buffer.from(value).toString('hex')})`;
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof TypeValue) return `type(${value.type.name})`;
  if (value instanceof OpaqueValue) return value.celType.name;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return 'NaN';
    return `double(${Number.isFinite(value) ? JSON.stringify(value) : formatDouble(value)})`;
  }
  return String(value);
}

function observe(expr: string): Expected {
  try {
    const compiled = environment.compile(expr);
    const { min, max } = compiled.estimateCost(sizeOf);
    const checked = { expr, type: compiled.type.toString(), min, max };
    try {
      const { value, error, cost } = compiled
        .program()
        .evaluate(bindings, { eventLoop: new CountingEventLoop({ msPerLook: 0 }) });
      return error === undefined
        ? { ...checked, value: show(value), cost }
        : { ...checked, error: error.message, cost };
    } catch (error) {
      if (error instanceof CelProgramError) return { ...checked, program: error.message, cost: 0 };
      throw error;
    }
  } catch (error) {
    if (error instanceof CelCompileError) return { expr, issues: error.message };
    throw error;
  }
}

describe('compared with the reference implementation', () => {
  const title = (expr: string) => (expr.length > 80 ? `${expr.slice(0, 80)}…` : expr);
  it.each(expectations.map((expected) => [title(expected.expr), expected] as const))('%s', (_title, expected) => {
    expect(observe(expected.expr)).toEqual(expected);
  });
});
