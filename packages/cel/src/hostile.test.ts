import { CountingEventLoop, type EventLoop } from '@coxswain/apimachinery/turns';
import { describe, expect, it } from 'vitest';
import { ArrayList, CelEnvironment, type CelValue, DYN, fromJson, INT, listOf, mapOf, STRING } from './index.ts';
import { kubernetesLibraries } from './library/index.ts';
import { inSlices } from './steps/slices.ts';
import { completed, STEPS_BETWEEN_YIELDS, type Steps } from './steps/steps.ts';

const environment = new CelEnvironment({
  libraries: kubernetesLibraries,
  variables: {
    s: STRING,
    wide: STRING,
    d: DYN,
    l: listOf(INT),
    texts: listOf(STRING),
    m: mapOf(STRING, INT),
    set: listOf(STRING),
    tree: DYN,
    digits: STRING,
    deep: DYN,
  },
});

const ints = Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 60_013);
/** Forty levels of lists that contain the same list twice: 2^40 elements that take no memory. */
const tree = Array.from({ length: 40 }).reduce<ArrayList>((list) => new ArrayList([list, list]), new ArrayList([1n]));
const bindings = new Map<string, CelValue>(
  Object.entries({
    s: 'aA'.repeat(100_000),
    wide: 'é😀'.repeat(30_000),
    d: fromJson(ints),
    l: fromJson(ints, { kind: 'list', items: { kind: 'int' } }),
    texts: fromJson(Array.from({ length: 50_000 }, (_, i) => `t${(i * 31) % 50_021}`)),
    m: fromJson(Object.fromEntries(ints.map((n) => [`k${n}`, n])), { kind: 'map', items: { kind: 'int' } }),
    set: fromJson(
      ints.map((n) => `e${n}`),
      { kind: 'list', listType: 'set', items: { kind: 'string' } },
    ),
    tree,
    digits: '7'.repeat(200_000),
    deep: fromJson(JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`)),
  }),
);

/** Returns an event loop whose clock advances by a millisecond per read: a slice of five ends after a few reads. */
const steppingLoop = (): EventLoop => new CountingEventLoop({ msPerLook: 1 });

/** Returns the outcome of an expression, and how many turns the event loop had meanwhile. */
async function evaluated(text: string, costLimit?: number): Promise<{ outcome: unknown; turns: number }> {
  let turns = 0;
  let isDone = false;
  const turn = () => {
    if (isDone) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  const program = environment.compile(text).program();
  const options = { eventLoop: steppingLoop(), ...(costLimit === undefined ? {} : { costLimit }) };
  const { value, error } = await program.evaluateAsync(bindings, options);
  isDone = true;
  return { outcome: error === undefined ? value : error.message, turns };
}

describe('long operations yield to the event loop', () => {
  /** Expression → its outcome, and the minimum number of turns of the event loop. */
  const cases: Readonly<Record<string, readonly [outcome: unknown, turns: number]>> = {
    "s.replace('a', 'bcd').size()": [400_000n, 10],
    "s.replace('', 'x').size()": [400_001n, 20],
    "s.split('A').size()": [100_001n, 10],
    "s.split('').size()": [200_000n, 20],
    'wide.lowerAscii() == wide': [true, 3],
    'strings.quote(wide).size()': [60_002n, 3],
    "s.indexOf('aA' + s)": [-1n, 10],
    "s.contains('aAaAaAaAaAaAaAaAaAaAA')": [false, 1],
    "s.findAll('a').size()": [100_000n, 20],
    "texts.join(',').size()": [338_889n, 5],
    "'%s'.format([d]).size()": [408_891n, 20],
    "'%s'.format([m]).size() > 0": [true, 20],
    "'%s'.format([deep]).size()": ['operation cancelled: value too deep', 0],
    'd == d': [true, 2],
    'm == m': [true, 2],
    'set == set': [true, 10],
    '(set + set).size()': [60_000n, 20],
    'tree == tree': ['operation cancelled: values too large to compare', 500],
    'd.sort()[0]': [0n, 20],
    'd.sort().isSorted()': [true, 20],
    'texts.sort().size() > 0': [true, 20],
    'd.distinct().size()': [60_000n, 5],
    'd.reverse()[0] == d[59999]': [true, 2],
    'd.slice(0, 50000).size()': [50_000n, 2],
    'l.sum() > 0': [true, 5],
    'l.max()': [60_012n, 5],
    'texts.min()': ['t0', 5],
    'l.indexOf(-1)': [-1n, 5],
    '-1 in d': [false, 5],
    'sets.contains(d, d)': [true, 5],
    'l.exists(x, x < 0)': [false, 10],
    'm.all(k, m[k] >= 0)': [true, 10],
    "url('http://a/?' + s.replace('aA', 'a=b&')).getQuery().size()": [1n, 20],
  };

  it.each(Object.entries(cases))('%s', { timeout: 120_000 }, async (text, [outcome, turns]) => {
    const result = await evaluated(text, Number.POSITIVE_INFINITY);
    expect(result.outcome).toEqual(outcome);
    expect(result.turns).toBeGreaterThanOrEqual(turns);
  });
});

describe('memory', () => {
  it.each([
    ['values held by a list', "m.map(k, 'a'.replace('a', digits)).size()"],
    ['concatenated values', "d.map(x, dyn(s) + dyn(s)).filter(y, y.startsWith('q')).size()"],
    ['split strings', "d.map(x, s.split('a')).size()"],
    ['formatted strings', "d.map(x, '%s!'.format([digits])).size()"],
  ])('of an evaluation is limited: %s', async (_title, text) => {
    expect((await evaluated(text, Number.POSITIVE_INFINITY)).outcome).toBe(
      'operation cancelled: evaluation took too much memory',
    );
  });

  it('is not counted for values that are only passed on', async () => {
    expect((await evaluated("d.all(x, dyn(digits).startsWith('7'))", Number.POSITIVE_INFINITY)).outcome).toBe(true);
  });

  it('is limited by the cost limit first, for operations with a cost', async () => {
    const doubled = Array.from({ length: 40 }).reduce<string>((text) => `${text}.map(x, x + x)`, "['aaaaaaaa']");
    expect((await evaluated(`${doubled}[0].size()`)).outcome).toBe('operation cancelled: actual cost limit exceeded');
  });
});

const fill = (unit: string, separator: string, length = 20_000): string =>
  Array.from({ length: Math.floor(length / (unit.length + separator.length)) }, () => unit).join(separator);

/** Long expressions, each with one kind of node. */
const longExpressions: Readonly<Record<string, string>> = {
  'many terms': fill('l==l', '||'),
  'many literals': `[${fill('1', ',')}]`,
  'many lists': `[${fill('[]', ',')}]`,
  'many entries': `{${Array.from({ length: 3000 }, (_, i) => `${i}:1`).join(',')}}`,
  'many calls': fill("s.replace('','')==''", '||'),
  'many macros': fill('l.map(x,x)==l', '||'),
  'many indices': fill('l[0]>0', '||'),
  'many patterns': fill("s.matches('a{99}')", '||'),
  'nested types': fill(`${'['.repeat(100)}${']'.repeat(100)}==[]`, '||'),
};

/** Returns the maximum number of steps between two yields, and the number of yields. */
function longestRun(steps: Steps<unknown>): { longest: number; yields: number } {
  let longest = 0;
  let yields = 0;
  for (let step = steps.next(); !step.done; step = steps.next()) {
    longest = Math.max(longest, step.value);
    yields++;
  }
  return { longest, yields };
}

describe('compiling', () => {
  it.each(Object.entries(longExpressions))('yields to the event loop: %s', async (_title, text) => {
    const { longest, yields } = longestRun(environment.compileInSteps(text));
    expect(yields).toBeGreaterThan(20);
    expect(longest).toBeLessThan(4 * STEPS_BETWEEN_YIELDS);
    const compiled = await environment.compileAsync(text);
    expect(compiled.type.toString()).toBe(environment.compile(text).type.toString());
    expect(await compiled.estimateCostAsync()).toEqual(compiled.estimateCost());
    expect((await compiled.programAsync()).isAsync).toBe(false);
  });

  it('counts every use of an expression that a macro shares', () => {
    const chain = Array.from({ length: 60 }).reduce<string>((text) => `${text}.optMap(x, x)`, 'optional.of(1)');
    expect(() => environment.compile(chain)).toThrow('expression size exceeds limit after macro expansion');
  });

  it.each([
    [
      'maps of maps',
      Array.from({ length: 100 }).reduce<string>((text, _, i) => `${text}.map(v${i}, {v${i}: v${i}})`, '[1]'),
    ],
  ])('refuses types that grow exponentially: %s', (_title, text) => {
    expect(() => environment.compile(`${text} == ${text}`)).toThrow('types of the expression are too complex');
    expect(() => environment.compile(`${text} + 1`)).toThrow('types of the expression are too complex');
  });

  it('stops after a hundred syntax errors', () => {
    expect(() => environment.compile('$'.repeat(99_000))).toThrow('1 more errors were truncated');
  });
});

describe('slices', () => {
  it('end when their time is over', async () => {
    function* count(): Steps<string> {
      for (let i = 0; i < 20; i++) yield 1;
      return 'done';
    }
    let turns = 0;
    const turn = () => void turns++;
    const result = inSlices(count(), steppingLoop());
    for (let i = 0; i < 3; i++) setImmediate(turn);
    expect(await result).toBe('done');
    expect(turns).toBe(3);
    expect(completed(count())).toBe('done');
  });
});
