import { Pace, type Steps } from '../steps/steps.ts';
import { equalsInSteps } from '../values/equality.ts';
import { CelError, type CelList, type CelValue } from '../values/values.ts';
import { bounded } from './limits.ts';

/** Visits the elements of a list in order. Throws CelError for a list that is too large. */
export function* eachElement(list: CelList, visit: (element: CelValue, index: number) => void): Steps<void> {
  const pace = new Pace();
  const { size } = bounded(list);
  for (let i = 0; i < size; i++) {
    const element = list.at(i);
    visit(element, i);
    if (pace.isOver(weightOf(element))) yield pace.taken;
  }
}

/** How many steps it takes to compare a value: long texts take longer. */
export const weightOf = (value: CelValue): number => (typeof value === 'string' ? 4 + (value.length >> 7) : 4);

/** Whether two values are equal; those that cannot be compared are not. */
export function* safelyEqual(a: CelValue, b: CelValue): Steps<boolean> {
  try {
    return yield* equalsInSteps(a, b);
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}
