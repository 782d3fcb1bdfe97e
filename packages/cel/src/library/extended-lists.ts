import {
  add,
  type CallSite,
  type CostNode,
  fixed,
  LIST_CREATE_BASE_COST,
  multiply,
  multiplyByFactor,
  type SizeEstimate,
  STRING_TRAVERSAL_COST_FACTOR,
  UNBOUNDED,
} from '../checking/cost-estimate.ts';
import type { CallCost, FunctionDeclaration, Library } from '../checking/function-declaration.ts';
import { compare } from '../standard/operators.ts';
import { STANDARD_MACROS } from '../standard/standard-macros.ts';
import { Pace, type Steps, Work } from '../steps/steps.ts';
import type { MacroDeclaration } from '../syntax/macro.ts';
import { costSize, runtimeType } from '../values/runtime-type.ts';
import { type CelType, DYN, INT, listOf, typeParam } from '../values/types.ts';
import { ArrayList, CelError, CelList, type CelValue } from '../values/values.ts';
import { argument } from './call-cost.ts';
import { globalFunction, method } from './declare.ts';
import { eachElement, weightOf } from './each-element.ts';
import { bounded, checkElements } from './limits.ts';
import { comparableTypes } from './lists.ts';
import { sortInSteps } from './sort-in-steps.ts';
import { ValueSet } from './value-set.ts';

const T = typeParam('T');
const LIST_T = listOf(T);

/** The list `0, 1, 2 …`, without storing elements: its cost is counted only after it was created. */
class RangeList extends CelList {
  readonly size: number;

  constructor(size: number) {
    super();
    this.size = size;
  }

  at(index: number): CelValue {
    return BigInt(index);
  }
}

function slice(list: CelList, start: bigint, end: bigint): CelList | Work<CelList> {
  const problem = (text: string) => new CelError(`cannot slice(${start}, ${end}), ${text}`);
  if (start < 0n || end < 0n) throw problem('negative indexes not supported');
  if (start > end) throw problem('start index must be less than or equal to end index');
  if (end > BigInt(list.size)) throw problem(`list is length ${list.size}`);
  const first = Number(start);
  return copied(Number(end) - first, (i) => list.at(first + i));
}

/** Copies elements to a new list. */
function copied(size: number, at: (index: number) => CelValue): CelList | Work<CelList> {
  checkElements(size);
  return new Work(copy(size, at));
}

function* copy(size: number, at: (index: number) => CelValue): Steps<CelList> {
  const pace = new Pace();
  const values: CelValue[] = [];
  for (let i = 0; i < size; i++) {
    values.push(at(i));
    if (pace.isOver(2)) yield pace.taken;
  }
  return new ArrayList(values);
}

function flatten(list: CelList, depth: bigint): CelList | Work<CelList> {
  if (depth < 0n) throw new CelError('level must be non-negative');
  // Always Work: the size of the result is not known yet.
  return new Work(flattened(list, depth));
}

function* flattened(list: CelList, depth: bigint): Steps<CelList> {
  const flat: CelValue[] = [];
  const pace = new Pace();
  let visited = list.size;
  const pending = [{ list, index: 0 }];
  for (let top = pending.at(-1); top !== undefined; top = pending.at(-1)) {
    checkElements(visited);
    if (top.index >= top.list.size) {
      pending.pop();
      continue;
    }
    const element = top.list.at(top.index++);
    if (!(element instanceof CelList) || BigInt(pending.length) > depth) flat.push(element);
    else {
      visited += element.size;
      pending.push({ list: element, index: 0 });
    }
    if (pace.isOver(3)) yield pace.taken;
  }
  return new ArrayList(flat);
}

function sortBy(list: CelList, keys: CelList): CelList | Work<CelList> {
  if (list.size !== keys.size) {
    throw new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  }
  return list.size === 0 ? list : new Work(sorted(list, bounded(keys)));
}

type Pair = readonly [key: CelValue, value: CelValue];

function* sorted(list: CelList, keys: CelList): Steps<CelList> {
  const type = runtimeType(keys.at(0)).name;
  if (!comparableTypes.some(({ name }) => name === type)) throw new CelError('list elements must be comparable');
  const elements: CelValue[] = [];
  yield* eachElement(keys, (key) => {
    if (runtimeType(key).name !== type) throw new CelError('list elements must have the same type');
    elements.push(key);
  });
  // NaN has no order.
  const order = (a: CelValue, b: CelValue) => (Number.isNaN(a) || Number.isNaN(b) ? 0 : compare(a, b, '_<_'));
  if (list === keys) return new ArrayList(yield* sortInSteps(elements, order, weightOf));
  const pairs: Pair[] = [];
  yield* eachElement(list, (value, i) => void pairs.push([elements[i]!, value]));
  const ordered = yield* sortInSteps(
    pairs,
    ([a], [b]) => order(a, b),
    ([key]) => weightOf(key),
  );
  const pace = new Pace();
  const result: CelValue[] = [];
  for (const [, value] of ordered) {
    result.push(value);
    if (pace.isOver(1)) yield pace.taken;
  }
  return new ArrayList(result);
}

function* distinct(list: CelList): Steps<CelList> {
  const seen = new ValueSet();
  const values: CelValue[] = [];
  const pace = new Pace();
  const { size } = bounded(list);
  for (let i = 0; i < size; i++) {
    const element = list.at(i);
    if (pace.isOver(weightOf(element))) yield pace.taken;
    if (seen.hasAtOnce(element) || (yield* seen.findInSteps(element))) continue;
    seen.add(element);
    values.push(element);
  }
  return new ArrayList(values);
}

function range(size: bigint): CelList {
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw new CelError('operation cancelled: list too large');
  return new RangeList(Math.max(0, Number(size)));
}

/** The cost of a call that creates a list, per element. */
const allocating = (size: SizeEstimate, factor: number) => ({
  cost: add(multiplyByFactor(size, factor), fixed(1 + LIST_CREATE_BASE_COST)),
  resultSize: size,
});
const allocated = (size: number, factor: number): number => Math.floor(size * factor) + 1 + LIST_CREATE_BASE_COST;

/** Returns the value of an integer literal, at least 0; `other` for other nodes. */
function literalOr(node: CostNode, other: number): number {
  return typeof node.literal === 'bigint' ? Math.max(0, Number(node.literal)) : other;
}

const outputCost = (estimatedSize: (call: CallSite) => SizeEstimate): CallCost => ({
  needsOverload: true,
  dependsOnResult: true,
  estimate: (call) => allocating(estimatedSize(call), 1),
  actual: (_, result) => allocated(costSize(result), 1),
});

const flattenCost: CallCost = {
  needsOverload: true,
  estimate: (call) => allocating(call.sizeOf(argument(call, 0)), call.args[0] ? literalOr(call.args[0], UNBOUNDED) : 1),
  actual: ([list, depth]) => allocated(costSize(list!), typeof depth === 'bigint' ? Number(depth) : 1),
};

/** The cost of comparing each element with each other. `index` is the argument index of the list. */
function selfCompareCost(index: number, isText: boolean): CallCost {
  return {
    needsOverload: true,
    estimate(call) {
      const size = call.sizeOf(argument(call, index));
      return allocating(multiply(size, size), isText ? 2 + STRING_TRAVERSAL_COST_FACTOR : 2);
    },
    actual(args) {
      const list = args[index];
      if (!(list instanceof CelList) || list.size === 0) return allocated(0, 2);
      const first = list.at(0);
      const holdsText = typeof first === 'string' || first instanceof Uint8Array;
      return allocated(list.size * list.size, holdsText ? 2 + STRING_TRAVERSAL_COST_FACTOR : 2);
    },
  };
}

const isTextType = ({ kind }: CelType): boolean => kind === 'string' || kind === 'bytes';

/** Sorts a list. Checks the elements at run time, independent of the declared types. */
function sortList(list: CelValue, keys: CelValue): CelList | Work<CelList> {
  if (!(list instanceof CelList) || !(keys instanceof CelList)) throw new CelError('no such overload');
  return sortBy(list, keys);
}

const sortFunctions = (type: CelType): FunctionDeclaration[] => [
  {
    ...method('sort', {
      id: `list_${type.name}_sort`,
      parameters: [listOf(type)],
      result: listOf(type),
      cost: selfCompareCost(0, isTextType(type)),
      call: (list) => sortBy(list, list),
    }),
    dispatch: (list) => sortList(list!, list!),
  },
  {
    ...method('@sortByAssociatedKeys', {
      id: `list_${type.name}_sortByAssociatedKeys`,
      parameters: [LIST_T, listOf(type)],
      result: LIST_T,
      cost: selfCompareCost(1, isTextType(type)),
      call: sortBy,
    }),
    dispatch: (list, keys) => sortList(list!, keys!),
  },
];

const sortable = new Set(['list', 'select', 'ident', 'comprehension', 'call']);
const input = '@__sortBy_input__';

/** `list.sortBy(e, key)`: sorts the list by the results of a `map` over it. */
const sortByMacro: MacroDeclaration = {
  name: 'sortBy',
  isReceiver: true,
  argCount: 2,
  expand(factory, target, args) {
    if (!target) return undefined;
    if (!sortable.has(target.kind)) {
      throw factory.error(
        target,
        'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
      );
    }
    const map = STANDARD_MACROS.find(({ name, argCount }) => name === 'map' && argCount === 2);
    const keys = map?.expand(factory, factory.ident(input), args);
    if (!keys) return undefined;
    return factory.fold({
      iterRange: factory.list(),
      iterVar: '#unused',
      accuVar: input,
      accuInit: target,
      loopCondition: factory.literal(false),
      loopStep: factory.ident(input),
      result: factory.memberCall('@sortByAssociatedKeys', factory.ident(input), keys),
    });
  },
};

/** List functions, version 3 of the extension. */
export const extendedListsLibrary: Library = {
  name: 'cel.lib.ext.lists',
  macros: [sortByMacro],
  functions: [
    method('slice', {
      id: 'list_slice',
      parameters: [LIST_T, INT, INT],
      result: LIST_T,
      cost: outputCost((call) => {
        const start = literalOr(argument(call, 1), 0);
        return fixed(wrapped(literalOr(argument(call, 2), call.sizeOf(argument(call, 0)).max) - start));
      }),
      call: slice,
    }),
    {
      // Also accepts lists that are already flat.
      ...method('flatten', {
        id: 'list_flatten',
        parameters: [listOf(LIST_T)],
        result: LIST_T,
        cost: flattenCost,
        call: (list) => flatten(list, 1n),
      }),
      dispatch(list, depth) {
        const levels = depth ?? 1n;
        if (!(list instanceof CelList) || typeof levels !== 'bigint') throw new CelError('no such overload');
        return flatten(list, levels);
      },
    },
    method('flatten', {
      id: 'list_flatten_int',
      parameters: [listOf(DYN), INT],
      result: listOf(DYN),
      cost: flattenCost,
      call: flatten,
    }),
    ...comparableTypes.flatMap(sortFunctions),
    globalFunction('lists.range', {
      id: 'lists_range',
      parameters: [INT],
      result: listOf(INT),
      cost: outputCost((call) => fixed(literalOr(argument(call, 0), UNBOUNDED))),
      call: range,
    }),
    method('reverse', {
      id: 'list_reverse',
      parameters: [LIST_T],
      result: LIST_T,
      cost: outputCost((call) => call.sizeOf(argument(call, 0))),
      call: (list) => copied(list.size, (i) => list.at(list.size - 1 - i)),
    }),
    method('distinct', {
      id: 'list_distinct',
      parameters: [LIST_T],
      result: LIST_T,
      cost: selfCompareCost(0, false),
      call: (list) => new Work(distinct(list)),
    }),
  ],
};

/** Returns a negative number as the unsigned number that it is converted to upstream. */
function wrapped(size: number): number {
  return size < 0 ? UNBOUNDED + size : size;
}
