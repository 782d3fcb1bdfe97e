import { Pace, type Steps } from '../steps/steps.ts';
import { type CelList, type CelValue, Uint } from '../values/values.ts';
import { eachElement, safelyEqual, weightOf } from './each-element.ts';
import { bounded } from './limits.ts';

/** Returns a key that is the same for equal numbers, strings and bools; undefined for other values. */
function keyOf(value: CelValue): string | number | boolean | bigint | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return value;
    case 'number':
      // Integers are compared with a double as doubles, so beyond 2^53 several integers equal one double.
      return Number.isInteger(value) && Number.isSafeInteger(value) ? BigInt(value) : undefined;
  }
  return value instanceof Uint ? value.value : undefined;
}

const isExact = (key: unknown): boolean =>
  typeof key !== 'bigint' || (key <= BigInt(Number.MAX_SAFE_INTEGER) && key >= BigInt(Number.MIN_SAFE_INTEGER));

/** A set of values with lookup by equality: in constant time for numbers, strings and bools. */
export class ValueSet {
  readonly #keys = new Set<unknown>();
  readonly #others: CelValue[] = [];
  readonly #pace = new Pace();

  static *of(list: CelList): Steps<ValueSet> {
    const set = new ValueSet();
    yield* eachElement(list, (element) => {
      set.add(element);
    });
    return set;
  }

  add(value: CelValue): void {
    const key = keyOf(value);
    if (key !== undefined && isExact(key)) this.#keys.add(key);
    else this.#others.push(value);
  }

  /** Reports whether the value is found in constant time; otherwise `findInSteps` decides. */
  hasAtOnce(value: CelValue): boolean {
    const key = keyOf(value);
    return key !== undefined && this.#keys.has(key);
  }

  /** Reports whether the value equals one of those that cannot be found in constant time. */
  *findInSteps(value: CelValue): Steps<boolean> {
    for (const other of this.#others) {
      if (yield* safelyEqual(other, value)) return true;
      if (this.#pace.isOver(16)) yield this.#pace.taken;
    }
    return false;
  }
}

/** Reports whether the membership of any element of the list in the set is `answer`. Stops at the first such element. */
export function* someIn(list: CelList, set: ValueSet, answer: boolean): Steps<boolean> {
  const pace = new Pace();
  const { size } = bounded(list);
  for (let i = 0; i < size; i++) {
    const element = list.at(i);
    if ((set.hasAtOnce(element) || (yield* set.findInSteps(element))) === answer) return true;
    if (pace.isOver(weightOf(element))) yield pace.taken;
  }
  return false;
}
