import type { FunctionDeclaration, Library } from '../checking/function-declaration.ts';
import { add, compare } from '../standard/operators.ts';
import { Pace, type Steps, Work } from '../steps/steps.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  STRING,
  TIMESTAMP,
  typeParam,
  UINT,
} from '../values/types.ts';
import { CelError, type CelList, type CelValue, Duration, Uint } from '../values/values.ts';
import { method } from './declare.ts';
import { eachElement, safelyEqual, weightOf } from './each-element.ts';
import { bounded } from './limits.ts';
import { deepTraversalEstimate as cost } from './string-costs.ts';

/** Types whose values have an order. */
export const comparableTypes: readonly CelType[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

const zeros: readonly (readonly [CelType, CelValue])[] = [
  [INT, 0n],
  [UINT, new Uint(0n)],
  [DOUBLE, 0],
  [DURATION, new Duration(0n)],
];

/**
 * Compares two values. Returns a negative number, zero or a positive number; undefined for values without order, such
 * as of different types or NaN.
 */
function order(a: CelValue, b: CelValue): number | undefined {
  try {
    return compare(a, b, '_<_');
  } catch (error) {
    if (error instanceof CelError) return undefined;
    throw error;
  }
}

function* isSorted(list: CelList): Steps<boolean> {
  let previous: CelValue | undefined;
  let sorted = true;
  yield* eachElement(list, (element) => {
    sorted &&= previous === undefined || (order(previous, element) ?? 0) <= 0;
    previous = element;
  });
  return sorted;
}

function* sumOf(list: CelList, zero: CelValue): Steps<CelValue> {
  let sum = zero;
  yield* eachElement(list, (element) => {
    const next = add(sum, element);
    if (next instanceof Work) throw new CelError('no such overload');
    sum = next;
  });
  return sum;
}

/** Returns the greatest element (`sign` 1) or the least (`sign` -1). */
function* extreme(list: CelList, name: 'min' | 'max', sign: 1 | -1): Steps<CelValue> {
  let best: CelValue | undefined;
  yield* eachElement(list, (element) => {
    if (best === undefined || (order(element, best) ?? 0) * sign > 0) best = element;
  });
  if (best === undefined) throw new CelError(`${name} called on empty list`);
  return best;
}

function* indexOf(list: CelList, item: CelValue, fromEnd: boolean): Steps<bigint> {
  const { size } = bounded(list);
  const pace = new Pace();
  for (let i = 0; i < size; i++) {
    const at = fromEnd ? size - 1 - i : i;
    const element = list.at(at);
    if (yield* safelyEqual(element, item)) return BigInt(at);
    if (pace.isOver(weightOf(element))) yield pace.taken;
  }
  return -1n;
}

/** Returns the name of a type in overload ids. */
const typeName = ({ kind }: CelType): string => kind;

const A = typeParam('A');
const LIST_A = listOf(A);

/** Declares one overload for each element type. */
const forTypes = (
  types: readonly CelType[],
  declare: (type: CelType, name: string) => FunctionDeclaration,
): FunctionDeclaration[] => types.map((type) => declare(type, typeName(type)));

/** The list functions of Kubernetes. */
export const listsLibrary: Library = {
  name: 'kubernetes.lists',
  functions: [
    ...forTypes(comparableTypes, (type, name) =>
      method('isSorted', {
        id: `list_${name}_is_sorted_bool`,
        parameters: [listOf(type)],
        result: BOOL,
        cost,
        call: (list) => new Work(isSorted(list)),
      }),
    ),
    ...zeros.map(([type, zero]) =>
      method('sum', {
        id: `list_${typeName(type)}_sum_${typeName(type)}`,
        parameters: [listOf(type)],
        result: type,
        cost,
        call: (list) => new Work(sumOf(list, zero)),
      }),
    ),
    ...forTypes(comparableTypes, (type, name) =>
      method('max', {
        id: `list_${name}_max_${name}`,
        parameters: [listOf(type)],
        result: type,
        cost,
        call: (list) => new Work(extreme(list, 'max', 1)),
      }),
    ),
    ...forTypes(comparableTypes, (type, name) =>
      method('min', {
        id: `list_${name}_min_${name}`,
        parameters: [listOf(type)],
        result: type,
        cost,
        call: (list) => new Work(extreme(list, 'min', -1)),
      }),
    ),
    method('indexOf', {
      id: 'list_a_index_of_int',
      parameters: [LIST_A, A],
      result: INT,
      cost,
      call: (list, item) => new Work(indexOf(list, item, false)),
    }),
    method('lastIndexOf', {
      id: 'list_a_last_index_of_int',
      parameters: [LIST_A, A],
      result: INT,
      cost,
      call: (list, item) => new Work(indexOf(list, item, true)),
    }),
  ],
};
