import { type FunctionDeclaration, type Library, type Overload, overload } from '../checking/function-declaration.ts';
import { type Steps, Work } from '../steps/steps.ts';
import { runtimeType } from '../values/runtime-type.ts';
import { localDate } from '../values/timestamp.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  typeOf,
  typeParam,
  UINT,
} from '../values/types.ts';
import { CelError, type CelValue, type Duration, type Timestamp, TypeValue } from '../values/values.ts';
import { CONVERSIONS } from './conversions.ts';
import { add, compare, divide, isIn, modulo, multiply, negate, not, size, subtract } from './operators.ts';
import { matchesRegex } from './regex.ts';
import { STANDARD_MACROS } from './standard-macros.ts';
import { indexOfText, isQuickToSearch } from './substring-search.ts';

const A = typeParam('A');
const B = typeParam('B');
const LIST_A = listOf(A);
const MAP_AB = mapOf(A, B);

type Signature = readonly [id: string, parameters: readonly CelType[], result: CelType, isMember?: boolean];

/** Declares a function whose overloads differ only in their types, with one implementation for all. */
function dispatched(
  name: string,
  signatures: readonly Signature[],
  dispatch: (...args: CelValue[]) => CelValue | Work<CelValue>,
): FunctionDeclaration {
  const overloads = signatures.map(
    ([id, parameters, result, isMember = false]): Overload => ({
      id,
      isMember,
      parameters,
      result,
      call: dispatch,
      isAsync: false,
    }),
  );
  return { name, overloads, dispatch };
}

function binary(
  name: string,
  signatures: readonly Signature[],
  call: (a: CelValue, b: CelValue) => CelValue | Work<CelValue>,
): FunctionDeclaration {
  return dispatched(name, signatures, call);
}

/** Declares a function for the type check only: the planner replaces its calls by nodes of their own. */
function special(name: string, signatures: readonly Signature[]): FunctionDeclaration {
  return dispatched(name, signatures, () => {
    throw new CelError('no such overload');
  });
}

const numeric = (prefix: string): Signature[] => [
  [`${prefix}_double`, [DOUBLE, DOUBLE], DOUBLE],
  [`${prefix}_int64`, [INT, INT], INT],
  [`${prefix}_uint64`, [UINT, UINT], UINT],
];

/** Declares a comparison of each type with itself, and of numbers with each other. */
function comparison(name: string, prefix: string, test: (order: number) => boolean): FunctionDeclaration {
  const pairs: readonly [string, CelType, CelType][] = [
    ['bool', BOOL, BOOL],
    ['int64', INT, INT],
    ['int64_double', INT, DOUBLE],
    ['int64_uint64', INT, UINT],
    ['uint64', UINT, UINT],
    ['uint64_double', UINT, DOUBLE],
    ['uint64_int64', UINT, INT],
    ['double', DOUBLE, DOUBLE],
    ['double_int64', DOUBLE, INT],
    ['double_uint64', DOUBLE, UINT],
    ['string', STRING, STRING],
    ['bytes', BYTES, BYTES],
    ['timestamp', TIMESTAMP, TIMESTAMP],
    ['duration', DURATION, DURATION],
  ];
  const signatures = pairs.map(([id, a, b]): Signature => [`${prefix}_${id}`, [a, b], BOOL]);
  return binary(name, signatures, (a, b) => test(compare(a, b, name)));
}

function stringTest(
  name: string,
  id: string,
  test: (text: string, part: string) => boolean | Work<boolean>,
): FunctionDeclaration {
  return binary(name, [[id, [STRING, STRING], BOOL, true]], (text, part) => {
    if (typeof text !== 'string' || typeof part !== 'string') throw new CelError('no such overload');
    return test(text, part);
  });
}

/** Declares an accessor for a part of a timestamp, in UTC or a given zone, and optionally of a duration. */
function timePart(
  name: string,
  id: string,
  ofTimestamp: (date: Date, timestamp: Timestamp) => number,
  ofDuration?: { readonly id: string; readonly nanos: bigint },
): FunctionDeclaration {
  const part = (timestamp: Timestamp, zone: string) => BigInt(ofTimestamp(localDate(timestamp, zone), timestamp));
  const overloads = [
    overload({
      id: `timestamp_to_${id}`,
      isMember: true,
      parameters: [TIMESTAMP],
      result: INT,
      call: (t) => part(t, 'UTC'),
    }),
    overload({
      id: `timestamp_to_${id}_with_tz`,
      isMember: true,
      parameters: [TIMESTAMP, STRING],
      result: INT,
      call: part,
    }),
  ];
  if (ofDuration !== undefined) {
    const call = (duration: Duration) => duration.nanos / ofDuration.nanos;
    overloads.push(overload({ id: ofDuration.id, isMember: true, parameters: [DURATION], result: INT, call }));
  }
  return { name, overloads };
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}

function* contains(text: string, part: string): Steps<boolean> {
  return (yield* indexOfText(text, part, 0)) >= 0;
}

function matches(text: CelValue, pattern: CelValue): CelValue | Work<CelValue> {
  if (typeof text !== 'string') throw new CelError('no such overload');
  if (typeof pattern !== 'string') throw new CelError('no such overload');
  return matchesRegex(text, pattern);
}

const functions: readonly FunctionDeclaration[] = [
  special('_?_:_', [['conditional', [BOOL, A, A], A]]),
  special('_&&_', [['logical_and', [BOOL, BOOL], BOOL]]),
  special('_||_', [['logical_or', [BOOL, BOOL], BOOL]]),
  special('@not_strictly_false', [['not_strictly_false', [BOOL], BOOL]]),
  special('_==_', [['equals', [A, A], BOOL]]),
  special('_!=_', [['not_equals', [A, A], BOOL]]),
  special('_[_]', [
    ['index_list', [LIST_A, INT], A],
    ['index_map', [MAP_AB, A], B],
  ]),
  dispatched('!_', [['logical_not', [BOOL], BOOL]], not),
  dispatched(
    '-_',
    [
      ['negate_double', [DOUBLE], DOUBLE],
      ['negate_int64', [INT], INT],
    ],
    negate,
  ),
  binary(
    '_+_',
    [
      ['add_bytes', [BYTES, BYTES], BYTES],
      ['add_double', [DOUBLE, DOUBLE], DOUBLE],
      ['add_duration_duration', [DURATION, DURATION], DURATION],
      ['add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP],
      ['add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP],
      ['add_int64', [INT, INT], INT],
      ['add_list', [LIST_A, LIST_A], LIST_A],
      ['add_string', [STRING, STRING], STRING],
      ['add_uint64', [UINT, UINT], UINT],
    ],
    add,
  ),
  binary(
    '_-_',
    [
      ['subtract_double', [DOUBLE, DOUBLE], DOUBLE],
      ['subtract_duration_duration', [DURATION, DURATION], DURATION],
      ['subtract_int64', [INT, INT], INT],
      ['subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP],
      ['subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION],
      ['subtract_uint64', [UINT, UINT], UINT],
    ],
    subtract,
  ),
  binary('_*_', numeric('multiply'), multiply),
  binary('_/_', numeric('divide'), divide),
  binary('_%_', numeric('modulo').slice(1), modulo),
  comparison('_<_', 'less', (order) => order < 0),
  comparison('_<=_', 'less_equals', (order) => order <= 0),
  comparison('_>_', 'greater', (order) => order > 0),
  comparison('_>=_', 'greater_equals', (order) => order >= 0),
  binary(
    '@in',
    [
      ['in_list', [A, LIST_A], BOOL],
      ['in_map', [A, MAP_AB], BOOL],
    ],
    isIn,
  ),
  dispatched(
    'size',
    (
      [
        ['bytes', BYTES],
        ['list', LIST_A],
        ['map', MAP_AB],
        ['string', STRING],
      ] as const
    ).flatMap(([id, type]): Signature[] => [
      [`size_${id}`, [type], INT],
      [`${id}_size`, [type], INT, true],
    ]),
    size,
  ),
  dispatched('type', [['type', [A], typeOf(A)]], (a: CelValue) => new TypeValue(runtimeType(a))),
  dispatched('dyn', [['to_dyn', [A], DYN]], (a: CelValue) => a),
  ...Object.entries(CONVERSIONS).map(([name, overloads]) => ({ name, overloads })),
  stringTest('contains', 'contains_string', (text, part) =>
    isQuickToSearch(text, part) ? text.includes(part) : new Work(contains(text, part)),
  ),
  stringTest('endsWith', 'ends_with_string', (text, part) => text.endsWith(part)),
  stringTest('startsWith', 'starts_with_string', (text, part) => text.startsWith(part)),
  binary(
    'matches',
    [
      ['matches', [STRING, STRING], BOOL],
      ['matches_string', [STRING, STRING], BOOL, true],
    ],
    matches,
  ),
  timePart('getFullYear', 'year', (date) => date.getUTCFullYear()),
  timePart('getMonth', 'month', (date) => date.getUTCMonth()),
  timePart('getDayOfYear', 'day_of_year', dayOfYear),
  timePart('getDayOfMonth', 'day_of_month', (date) => date.getUTCDate() - 1),
  timePart('getDate', 'day_of_month_1_based', (date) => date.getUTCDate()),
  timePart('getDayOfWeek', 'day_of_week', (date) => date.getUTCDay()),
  timePart('getHours', 'hours', (date) => date.getUTCHours(), { id: 'duration_to_hours', nanos: 3_600_000_000_000n }),
  timePart('getMinutes', 'minutes', (date) => date.getUTCMinutes(), {
    id: 'duration_to_minutes',
    nanos: 60_000_000_000n,
  }),
  timePart('getSeconds', 'seconds', (date) => date.getUTCSeconds(), {
    id: 'duration_to_seconds',
    nanos: 1_000_000_000n,
  }),
  timePart('getMilliseconds', 'milliseconds', (_date, { nanos }) => Math.floor(nanos / 1_000_000), {
    id: 'duration_to_milliseconds',
    nanos: 1_000_000n,
  }),
];

/** The standard library of every environment: operators, conversions, string tests, time, and the standard macros. */
export const STANDARD_LIBRARY: Library = {
  name: 'standard',
  functions,
  macros: STANDARD_MACROS,
  types: [BOOL, BYTES, DOUBLE, DURATION, INT, LIST_A, MAP_AB, NULL, STRING, TIMESTAMP, TYPE, UINT],
};
