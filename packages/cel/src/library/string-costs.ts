import {
  add,
  fixed,
  multiply,
  multiplyByFactor,
  type SizeEstimate,
  STRING_TRAVERSAL_COST_FACTOR,
  UNBOUNDED,
} from '../checking/cost-estimate.ts';
import type { CallCost } from '../checking/function-declaration.ts';
import { costSize } from '../values/runtime-type.ts';
import { argument, deepTraversalCost, traversalCost } from './call-cost.ts';

/** The cost of reading the target and writing the result. */
const twice = traversalCost(2);

/** The cost of searching a string or list, or of checking the order of a list. */
export const deepTraversalEstimate: CallCost = {
  estimate(call) {
    const target = argument(call, 0);
    const size = call.sizeOf(target);
    const element = call.elementOf(target);
    if (!element) return { cost: multiplyByFactor(size, STRING_TRAVERSAL_COST_FACTOR) };
    const isText = element.type.kind === 'string' || element.type.kind === 'bytes';
    const perText = isText ? multiplyByFactor(call.sizeOf(element), STRING_TRAVERSAL_COST_FACTOR) : fixed(0);
    return { cost: multiply(size, add(fixed(1), perText)) };
  },
  actual: ([target]) => deepTraversalCost(target!),
};

/** Estimates the size of a text after replacing parts. */
function replacedSize(text: SizeEstimate, old: SizeEstimate, by: SizeEstimate): SizeEstimate {
  const growth = (end: 'min' | 'max', shortest: number, grows: boolean): { count: number; kept: number } => {
    const size = text[end];
    if (shortest === 0) return { count: size < UNBOUNDED ? size + 1 : size, kept: size };
    return grows ? { count: Math.ceil(size / shortest), kept: 0 } : { count: 0, kept: size };
  };
  const most = growth('max', old.min, by.max > old.min);
  const least = growth('min', old.max, old.max > by.min);
  return add(multiply({ min: least.count, max: most.count }, by), { min: least.kept, max: most.kept });
}

export const replaceCost: CallCost = {
  ...twice,
  estimate(call) {
    const [text, old, by] = [0, 1, 2].map((i) => call.sizeOf(argument(call, i)));
    return {
      cost: multiplyByFactor(text!, 2 * STRING_TRAVERSAL_COST_FACTOR),
      resultSize: replacedSize(text!, old!, by!),
    };
  },
};

export const splitCost: CallCost = {
  ...twice,
  estimate(call) {
    const size = call.sizeOf(argument(call, 0));
    const limit = call.args[1]?.literal;
    // Each character may be an element. A negative limit counts as an unsigned number.
    const max = typeof limit === 'bigint' ? Math.min(UNBOUNDED, Number(BigInt.asUintN(64, limit))) : size.max;
    return { cost: multiplyByFactor(size, 2 * STRING_TRAVERSAL_COST_FACTOR), resultSize: { min: 0, max } };
  },
};

export const joinCost: CallCost = {
  estimate(call) {
    const list = argument(call, 0);
    const count = call.sizeOf(list);
    const element = call.elementOf(list);
    let size: SizeEstimate = element ? multiply(count, call.sizeOf(element)) : fixed(0);
    if (call.args[0]) {
      const separators = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
      size = add(size, multiply(call.sizeOf(call.args[0]), separators));
    }
    return { cost: multiplyByFactor(size, STRING_TRAVERSAL_COST_FACTOR), resultSize: size };
  },
  dependsOnResult: true,
  actual: (_, result) => Math.ceil(costSize(result) * 2 * STRING_TRAVERSAL_COST_FACTOR),
};
