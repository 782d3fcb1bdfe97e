import { compileGoRegexp, type GoRegexp, GoRegexpBudgetError, GoRegexpError, StepBudget } from '@coxswain/apimachinery';
import {
  add,
  fixed,
  multiply,
  multiplyByFactor,
  REGEX_STRING_LENGTH_COST_FACTOR,
  STRING_TRAVERSAL_COST_FACTOR,
} from '../cost-estimate.ts';
import type { CallCost, Library } from '../function-declaration.ts';
import { costSize } from '../runtime-type.ts';
import { INT, listOf, STRING } from '../types.ts';
import { ArrayList, CelError } from '../values.ts';
import { argument } from './call-cost.ts';
import { method } from './declare.ts';

/** Of a single search, about 20 ms. Differs from upstream: it goes on for as long as it takes. */
const maxSteps = 500_000;

/**
 * Searches with an expression, for so long as is sensible. Throws CelError for a pattern that Go does not compile, with
 * upstream's message, and when the search takes too long.
 */
function search<T>(pattern: string, find: (regexp: GoRegexp, budget: StepBudget) => T): T {
  try {
    return find(compileGoRegexp(pattern), new StepBudget(maxSteps));
  } catch (error) {
    if (error instanceof GoRegexpError) throw new CelError(`Illegal regex: ${error.message}`);
    if (error instanceof GoRegexpBudgetError) throw new CelError(`operation cancelled: ${error.message}`);
    throw error;
  }
}

function find(text: string, pattern: string): string {
  const match = search(pattern, (regexp, budget) => regexp.find(text, budget));
  return match ? text.slice(match.start, match.end) : '';
}

function findAll(text: string, pattern: string, limit: bigint): ArrayList {
  const atMost = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  const matches = search(pattern, (regexp, budget) => regexp.findAll(text, atMost, budget));
  return new ArrayList(matches.map(({ start, end }) => text.slice(start, end)));
}

const searchCost: CallCost = {
  estimate(call) {
    const text = call.sizeOf(argument(call, 0));
    const pattern = call.sizeOf(argument(call, 1));
    // Even an empty text costs something with an expensive pattern.
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
      call: find,
    }),
    method('findAll', {
      id: 'string_find_all_string',
      parameters: [STRING, STRING],
      result: listOf(STRING),
      cost: searchCost,
      call: (text, pattern) => findAll(text, pattern, -1n),
    }),
    method('findAll', {
      id: 'string_find_all_string_int',
      parameters: [STRING, STRING, INT],
      result: listOf(STRING),
      cost: searchCost,
      call: findAll,
    }),
  ],
};
