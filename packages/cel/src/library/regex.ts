import type { GoRegexp } from '@coxswain/apimachinery';
import {
  add,
  fixed,
  multiply,
  multiplyByFactor,
  REGEX_STRING_LENGTH_COST_FACTOR,
  STRING_TRAVERSAL_COST_FACTOR,
} from '../checking/cost-estimate.ts';
import type { CallCost, Library } from '../checking/function-declaration.ts';
import { compileRegex } from '../standard/regex.ts';
import { Pace, type Steps, Work } from '../steps/steps.ts';
import { costSize } from '../values/runtime-type.ts';
import { INT, listOf, STRING } from '../values/types.ts';
import { ArrayList, CelError, type CelValue } from '../values/values.ts';
import { argument } from './call-cost.ts';
import { method } from './declare.ts';

function compile(pattern: string): GoRegexp {
  try {
    return compileRegex(pattern);
  } catch (error) {
    throw error instanceof CelError ? new CelError(`Illegal regex: ${error.message}`) : error;
  }
}

function* findAll(text: string, pattern: string, limit: bigint): Steps<ArrayList> {
  const atMost = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  const found: string[] = [];
  const pace = new Pace();
  for (const { start, end } of yield* compile(pattern).findAllInSteps(text, atMost)) {
    found.push(text.slice(start, end));
    if (pace.isOver(1)) yield pace.taken;
  }
  return new ArrayList(found);
}

function* find(text: string, pattern: string): Steps<CelValue> {
  const { items } = yield* findAll(text, pattern, 1n);
  return items[0] ?? '';
}

const searchCost: CallCost = {
  estimate(call) {
    const text = call.sizeOf(argument(call, 0));
    const pattern = call.sizeOf(argument(call, 1));
    // The text counts one character more, so that an expensive pattern costs something for an empty text too.
    const cost = multiply(
      multiplyByFactor(add(text, fixed(1)), STRING_TRAVERSAL_COST_FACTOR),
      multiplyByFactor(pattern, REGEX_STRING_LENGTH_COST_FACTOR),
    );
    return { cost, resultSize: { min: 0, max: text.max } };
  },
  actual: ([text, pattern]) =>
    Math.ceil((1 + costSize(text!)) * STRING_TRAVERSAL_COST_FACTOR) *
    Math.ceil(costSize(pattern!) * REGEX_STRING_LENGTH_COST_FACTOR),
};

/** `find()` and `findAll()`. */
export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  functions: [
    method('find', {
      id: 'string_find_string',
      parameters: [STRING, STRING],
      result: STRING,
      cost: searchCost,
      call: (text, pattern) => new Work(find(text, pattern)),
    }),
    method('findAll', {
      id: 'string_find_all_string',
      parameters: [STRING, STRING],
      result: listOf(STRING),
      cost: searchCost,
      call: (text, pattern) => new Work(findAll(text, pattern, -1n)),
    }),
    method('findAll', {
      id: 'string_find_all_string_int',
      parameters: [STRING, STRING, INT],
      result: listOf(STRING),
      cost: searchCost,
      call: (text, pattern, limit) => new Work(findAll(text, pattern, limit)),
    }),
  ],
};
