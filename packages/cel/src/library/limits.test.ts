import { CountingEventLoop } from '@coxswain/apimachinery/turns';
import { describe, expect, it } from 'vitest';
import { ArrayList, CelEnvironment, type CelValue, DYN, listOf, STRING } from '../index.ts';
import { kubernetesLibraries } from './index.ts';

const environment = new CelEnvironment({
  libraries: kubernetesLibraries,
  variables: { s: STRING, part: STRING, l: listOf(DYN), texts: listOf(STRING) },
});

const long = 'a'.repeat(1_000_000);
/** Forty levels of lists that contain the same list twice: 2^40 elements that take no memory. */
const vast = Array.from({ length: 40 }).reduce<ArrayList>((list) => new ArrayList([list, list]), new ArrayList([1n]));
const texts = new ArrayList(Array.from({ length: 50_000 }, () => long));
const numbers = new ArrayList(Array.from({ length: 20_000 }, (_, i) => BigInt(i)));
const lists = new ArrayList(Array.from({ length: 20_000 }, (_, i) => new ArrayList([BigInt(i)])));

function evaluate(expression: string, variables: Readonly<Record<string, CelValue>>): unknown {
  const bindings = new Map(Object.entries({ s: '', part: '', l: numbers, texts, ...variables }));
  const { value, error } = environment
    .compile(expression)
    .program()
    .evaluate(bindings, { costLimit: Infinity, eventLoop: new CountingEventLoop({ msPerLook: 0 }) });
  return error ? error.message : value;
}

/** Expression → the error that ends it. Its cost is counted only afterwards, too late to stop it. */
const refused: Readonly<
  Record<string, readonly [expression: string, variables: Readonly<Record<string, CelValue>>, message: string]>
> = {
  'text that squares its length': ["s.replace('', s)", { s: long }, 'operation cancelled: string too large'],
  'joining a text many times over': ["texts.join(',')", {}, 'operation cancelled: string too large'],
  'formatting a value with 2^40 elements': ["'%s'.format([l])", { l: vast }, 'operation cancelled: string too large'],
  'formatting a text many times over': ["'%s'.format([texts])", {}, 'operation cancelled: string too large'],
  'flattening without end': ['l.flatten(50)', { l: vast }, 'operation cancelled: list too large'],
  'reversing a huge range': ['lists.range(1000000000000).reverse()', {}, 'operation cancelled: list too large'],
  'summing a huge range': ['lists.range(1000000000000).sum()', {}, 'operation cancelled: list too large'],
  'a range of 2^63 - 1 numbers': ['lists.range(9223372036854775807)', {}, 'operation cancelled: list too large'],
  'comparing all lists with all': [
    'sets.contains(l, l)',
    { l: lists },
    'operation cancelled: evaluation took too many steps',
  ],
  'comparing every list with every other': [
    'l.distinct()',
    { l: lists },
    'operation cancelled: evaluation took too many steps',
  ],
  'a pattern with a long lookahead at each match': [
    "s.findAll('a.*b|a')",
    { s: long },
    'operation cancelled: evaluation took too many steps',
  ],
  'an excessive exponent': ["quantity('1e1000000').add(1)", {}, 'quantity exponent 1000000 is out of range'],
};

describe('hostile arguments', () => {
  it.each(Object.entries(refused))('%s is refused', (_, [expression, variables, message]) => {
    expect(evaluate(expression, variables)).toBe(message);
  });

  it('have a bounded cost computation, however large a value is', () => {
    const { cost } = environment
      .compile('l.indexOf(1)')
      .program()
      .evaluate(new Map(Object.entries({ l: vast })), {
        costLimit: Infinity,
        eventLoop: new CountingEventLoop({ msPerLook: 0 }),
      });
    expect(cost).toBeGreaterThan(1_000_000);
  });

  it('allow searching a text with almost-matches everywhere', () => {
    expect(evaluate('s.indexOf(part)', { s: long, part: `${'a'.repeat(500_000)}b` })).toBe(-1n);
    expect(evaluate('s.lastIndexOf(part)', { s: long, part: `b${'a'.repeat(500_000)}` })).toBe(-1n);
    expect(evaluate('s.split(part).size()', { s: long, part: `${'a'.repeat(400_000)}b` })).toBe(1n);
  });

  it('allow distinct and set operations on many numbers', () => {
    expect(evaluate('l.distinct().size()', {})).toBe(20_000n);
    expect(evaluate('sets.equivalent(l, l.reverse())', {})).toBe(true);
  });

  it('have bounded precisions and widths', () => {
    expect(evaluate("'%.9999999f'.format([0.1])", {})).toHaveLength(2 + (9_999_999 % 256));
    expect(evaluate("'%.9999999e'.format([0.1])", {})).toHaveLength(9_999_999 % 65_536);
    expect(evaluate("'%.99999999f'.format([0.1])", {})).toBe('%!(NOVERB)');
  });

  it('allow numbers of any length in versions and quantities', () => {
    expect(evaluate('isSemver(s)', { s: `${'1'.repeat(1_000_000)}.0.0` })).toBe(false);
    expect(evaluate('isSemver(s)', { s: `1.0.0-${'a.'.repeat(100_000)}b` })).toBe(true);
    expect(evaluate('isQuantity(s)', { s: '9'.repeat(200_000) })).toBe(true);
    expect(evaluate('isIP(s)', { s: '1:'.repeat(500_000) })).toBe(false);
  });
});
