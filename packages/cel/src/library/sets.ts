import { add, fixed, multiply, multiplyByFactor } from '../checking/cost-estimate.ts';
import type { FunctionDeclaration, Library } from '../checking/function-declaration.ts';
import { type Steps, Work } from '../steps/steps.ts';
import { costSize } from '../values/runtime-type.ts';
import { BOOL, listOf, typeParam } from '../values/types.ts';
import type { CelList } from '../values/values.ts';
import { argument } from './call-cost.ts';
import { globalFunction } from './declare.ts';
import { someIn, ValueSet } from './value-set.ts';

const LIST_T = listOf(typeParam('T'));

function* contains(list: CelList, part: CelList): Steps<boolean> {
  return !(yield* someIn(part, yield* ValueSet.of(list), false));
}

function* intersects(a: CelList, b: CelList): Steps<boolean> {
  return yield* someIn(a, yield* ValueSet.of(b), true);
}

function* equivalent(a: CelList, b: CelList): Steps<boolean> {
  return (yield* contains(a, b)) && (yield* contains(b, a));
}

/** Declares a function that compares each element of one list with each of the other, `times` times. */
const setFunction = (
  name: string,
  times: number,
  call: (a: CelList, b: CelList) => Steps<boolean>,
): FunctionDeclaration =>
  globalFunction(`sets.${name}`, {
    id: `list_sets_${name}_list`,
    parameters: [LIST_T, LIST_T],
    result: BOOL,
    cost: {
      estimate(site) {
        const sizes = multiply(site.sizeOf(argument(site, 0)), site.sizeOf(argument(site, 1)));
        return { cost: add(multiplyByFactor(sizes, times), fixed(1)) };
      },
      actual: ([a, b]) => 1 + Math.floor(costSize(a!) * costSize(b!) * times),
    },
    call: (a, b) => new Work(call(a, b)),
  });

/** Set functions of lists. */
export const setsLibrary: Library = {
  name: 'cel.lib.ext.sets',
  functions: [
    setFunction('contains', 1, contains),
    setFunction('equivalent', 2, equivalent),
    setFunction('intersects', 1, intersects),
  ],
};
