import {
  add,
  type CallSite,
  type CostEstimate,
  type CostNode,
  fixed,
  multiplyByFactor,
  type SizeEstimate,
  STRING_TRAVERSAL_COST_FACTOR,
} from '../checking/cost-estimate.ts';
import type { CallCost } from '../checking/function-declaration.ts';
import { Pace, type Steps, Work } from '../steps/steps.ts';
import { costSize } from '../values/runtime-type.ts';
import type { CelType } from '../values/types.ts';
import { CelList, CelMap, type CelValue } from '../values/values.ts';

/** The cost of a call that is the same for all arguments. */
export const fixedCost = (cost: number): CallCost => ({
  estimate: () => ({ cost: fixed(cost) }),
  actual: () => cost,
});

/** The cost of builders and accessors. */
export const nominalCost: CallCost = fixedCost(1);

/** The cost of reading the first argument (or the target) once or several times. */
export function traversalCost(times = 1, result?: (size: SizeEstimate) => SizeEstimate): CallCost {
  const factor = times * STRING_TRAVERSAL_COST_FACTOR;
  return {
    estimate(call) {
      const size = call.sizeOf(argument(call, 0));
      return { cost: multiplyByFactor(size, factor), ...(result && { resultSize: result(size) }) };
    },
    actual: ([first]) => Math.ceil(costSize(first!) * factor),
  };
}

/** Returns the argument at an index, where a target is the first argument. */
export function argument({ target, args }: CallSite, index: number): CostNode {
  const node = target ? (index === 0 ? target : args[index - 1]) : args[index];
  if (!node) throw new Error(`a call has no argument ${index}`);
  return node;
}

export const sum = (...costs: readonly CostEstimate[]): CostEstimate => costs.reduce(add);

/** Returns the constant cost of comparing two values of these library types. */
export const estimateNominalEquality =
  (...types: readonly CelType[]) =>
  (type: CelType): CostEstimate | undefined =>
    types.some(({ name }) => name === type.name) ? fixed(1) : undefined;

/** More than the cost limit of an evaluation, so that counting can stop. */
const enough = 1_000_001;

/** Returns the cost of traversing a value and all nested values. */
export function deepTraversalCost(value: CelValue): number | Work<number> {
  if (typeof value === 'string') return traversal(Buffer.byteLength(value));
  if (value instanceof CelList || value instanceof CelMap) return new Work(deepTraversal(value));
  return value instanceof Uint8Array ? traversal(value.length) : 1;
}

const traversal = (size: number): number => Math.floor(size * STRING_TRAVERSAL_COST_FACTOR);

function* deepTraversal(value: CelValue): Steps<number> {
  const pace = new Pace();
  let cost = 0;
  let visited = 0;
  const pending: CelValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    // A value that contains another many times can be extremely large.
    if (++visited > enough) return Math.max(cost, enough);
    if (pace.isOver(4)) yield pace.taken;
    if (typeof next === 'string') cost += traversal(Buffer.byteLength(next));
    else if (next instanceof Uint8Array) cost += traversal(next.length);
    else if (next instanceof CelList) {
      if (next.size + pending.length > enough) return enough;
      for (let i = 0; i < next.size; i++) {
        pending.push(next.at(i));
        if (pace.isOver(1)) yield pace.taken;
      }
    } else if (next instanceof CelMap) {
      if (next.size + pending.length > enough) return enough;
      for (const key of next.keys()) {
        pending.push(key, next.get(key) ?? null);
        if (pace.isOver(2)) yield pace.taken;
      }
    } else cost++;
  }
  return cost;
}
