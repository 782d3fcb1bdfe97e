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

/** Returns the steps for comparing a value; more for long strings. */
export const weightOf = (value: CelValue): number => (typeof value === 'string' ? 4 + (value.length >> 7) : 4);

/** Reports whether two values are equal; false if the comparison fails. */
export function* safelyEqual(a: CelValue, b: CelValue): Steps<boolean> {
  try {
    return yield* equalsInSteps(a, b);
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}
