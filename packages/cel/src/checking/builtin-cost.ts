import { costSize } from '../values/runtime-type.ts';
import type { CelValue } from '../values/values.ts';
import {
  add,
  type CallEstimate,
  type CallSite,
  type CostEstimate,
  fixed,
  multiply,
  multiplyByFactor,
  REGEX_STRING_LENGTH_COST_FACTOR,
  type SizeEstimate,
  STRING_TRAVERSAL_COST_FACTOR,
  UNKNOWN_SIZE,
} from './cost-estimate.ts';
import type { CallCost } from './function-declaration.ts';

const traversal = (size: SizeEstimate): CostEstimate => multiplyByFactor(size, STRING_TRAVERSAL_COST_FACTOR);
const traversalOf = (value: CelValue | undefined) => Math.ceil(costSize(value ?? null) * STRING_TRAVERSAL_COST_FACTOR);

function argSize(call: CallSite, index: number): SizeEstimate {
  return call.args[index]?.computedSize ?? UNKNOWN_SIZE;
}

function targetSize(call: CallSite): SizeEstimate {
  return call.target?.computedSize ?? UNKNOWN_SIZE;
}

/** The cost of functions that visit each character of their first argument once. */
function linear(estimate: (call: CallSite) => CallEstimate): CallCost {
  return { estimate, actual: ([text]) => traversalOf(text) };
}

const prefixTest = linear((call) => ({ cost: traversal(argSize(call, 0)) }));

/** Comparisons stop at the end of the shorter side. */
function comparisonEstimate(call: CallSite): CallEstimate {
  const max = Math.min(argSize(call, 0).max, argSize(call, 1).max);
  return { cost: traversal({ min: max > 0 ? 1 : 0, max }) };
}

const comparison: CallCost = {
  estimate: comparisonEstimate,
  actual: ([a, b]) => Math.ceil(Math.min(costSize(a ?? null), costSize(b ?? null)) * STRING_TRAVERSAL_COST_FACTOR),
};

const concatenation: CallCost = {
  estimate(call) {
    const resultSize = add(argSize(call, 0), argSize(call, 1));
    return { cost: traversal(resultSize), resultSize };
  },
  actual: ([a, b]) => Math.ceil((costSize(a ?? null) + costSize(b ?? null)) * STRING_TRAVERSAL_COST_FACTOR),
};

/** Costs of the language's own overloads, by id. Other calls cost 1. */
export const BUILTIN_COSTS: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['starts_with_string', prefixTest],
  ['ends_with_string', prefixTest],
  [
    'string_to_bytes',
    linear((call) => {
      const size = argSize(call, 0);
      return { cost: traversal(size), resultSize: multiply(size, { min: 1, max: 4 }) };
    }),
  ],
  [
    'bytes_to_string',
    linear((call) => {
      const size = argSize(call, 0);
      return { cost: traversal(size), resultSize: { min: Math.floor(size.min / 4), max: size.max } };
    }),
  ],
  [
    'strings_quote',
    linear((call) => {
      const size = argSize(call, 0);
      return { cost: traversal(size), resultSize: add(multiply(size, { min: 1, max: 2 }), fixed(2)) };
    }),
  ],
  ['string_format', linear((call) => ({ cost: traversal(targetSize(call)) }))],
  ['in_list', { estimate: (call) => ({ cost: argSize(call, 1) }), actual: ([, list]) => costSize(list ?? null) }],
  [
    'matches_string',
    {
      // The text counts one character more, so that an expensive pattern costs something for an empty text too.
      estimate: (call) => ({
        cost: multiply(
          traversal(add(targetSize(call), fixed(1))),
          multiplyByFactor(argSize(call, 0), REGEX_STRING_LENGTH_COST_FACTOR),
        ),
      }),
      actual: ([text, pattern]) =>
        Math.ceil((1 + costSize(text ?? null)) * STRING_TRAVERSAL_COST_FACTOR) *
        Math.ceil(costSize(pattern ?? null) * REGEX_STRING_LENGTH_COST_FACTOR),
    },
  ],
  [
    'contains_string',
    {
      estimate: (call) => ({ cost: multiply(traversal(targetSize(call)), traversal(argSize(call, 0))) }),
      actual: ([text, part]) => traversalOf(text) * traversalOf(part),
    },
  ],
  ['add_string', concatenation],
  ['add_bytes', concatenation],
  ['add_list', { estimate: (call) => ({ cost: fixed(1), resultSize: add(argSize(call, 0), argSize(call, 1)) }) }],
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((prefix): [string, CallCost][] => [
    [`${prefix}_string`, comparison],
    [`${prefix}_bytes`, comparison],
  ]),
  ['equals', comparison],
  ['not_equals', comparison],
]);
