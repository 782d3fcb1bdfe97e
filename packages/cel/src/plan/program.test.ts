import { readFileSync } from 'node:fs';
import { CountingEventLoop, type EventLoop } from '@coxswain/apimachinery/turns';
import { describe, expect, it } from 'vitest';
import { asyncOverload, type Library } from '../checking/function-declaration.ts';
import { CelEnvironment } from '../environment/environment.ts';
import { OPTIONAL_LIBRARY, TWO_VARIABLE_COMPREHENSIONS } from '../standard/optional-library.ts';
import { CelCompileError } from '../syntax/source.ts';
import { fromJson } from '../values/json-adapter.ts';
import { BOOL, DYN, INT, listOf, mapOf, STRING } from '../values/types.ts';
import { CelError, type CelValue } from '../values/values.ts';
import type { EvaluationResult, Program } from './program.ts';

const environment = new CelEnvironment({
  libraries: [OPTIONAL_LIBRARY, TWO_VARIABLE_COMPREHENSIONS],
  variables: { x: INT, s: STRING, l: listOf(INT), ls: listOf(STRING), m: mapOf(STRING, INT), dy: DYN, b: BOOL },
});
const bindings = new Map<string, CelValue>([
  ['x', 7n],
  ['s', 'héllo wörld'],
  ['l', fromJson([1, 2, 3])],
  ['ls', fromJson(['a', 'bb', 'ccc'])],
  ['m', fromJson({ one: 1, two: 2 })],
  ['dy', fromJson({ a: 1, b: { c: 'deep' }, list: [1, 'two', 3.5], null: null })],
  ['b', true],
]);

const program = (text: string, env = environment): Program => env.compile(text).program();

/** Returns an event loop whose clock advances by a second per read. */
const hurriedLoop = (): EventLoop => new CountingEventLoop({ msPerLook: 1000 });

const outcome = ({ value, error, cost }: EvaluationResult) => ({ value, error: error?.message, cost });
const range = (count: number) => `[${Array.from({ length: count }, (_, i) => i).join(',')}]`;

describe('evaluation in slices', () => {
  const texts: string[] = JSON.parse(readFileSync(new URL('../testdata/expressions.json', import.meta.url), 'utf8'))
    .filter(({ expr, value, error }: Record<string, string>) => (value ?? error) !== undefined && expr!.length < 200)
    .map(({ expr }: { expr: string }) => expr);

  it('gives the same values, errors and costs as synchronous evaluation', async () => {
    const eventLoop = hurriedLoop();
    let compared = 0;
    for (const text of texts) {
      let compiled: Program;
      try {
        compiled = program(text);
      } catch (error) {
        if (error instanceof CelCompileError) continue;
        throw error;
      }
      const expected = outcome(compiled.evaluate(bindings, { eventLoop: new CountingEventLoop({ msPerLook: 0 }) }));
      expect([text, outcome(await compiled.evaluateAsync(bindings, { eventLoop }))]).toEqual([text, expected]);
      compared++;
    }
    expect(compared).toBeGreaterThan(150);
  });

  it('yields to the event loop', async () => {
    const text = `${range(100)}.all(i, ${range(100)}.all(j, i + j >= 0))`;
    let turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const result = await program(text).evaluateAsync(bindings, { eventLoop: hurriedLoop() });
    done = true;
    expect(result.value).toBe(true);
    expect(turns).toBeGreaterThan(10);
  });

  it('keeps the cost limit', async () => {
    const text = `${range(100)}.all(i, ${range(100)}.all(j, i + j >= 0))`;
    const result = await program(text).evaluateAsync(bindings, { eventLoop: hurriedLoop(), costLimit: 1000 });
    expect(result.error?.message).toBe('operation cancelled: actual cost limit exceeded');
  });

  it('ends when its signal is aborted', async () => {
    const controller = new AbortController();
    const text = `${range(100)}.all(i, ${range(100)}.all(j, i + j >= 0))`;
    const pending = program(text).evaluateAsync(bindings, { eventLoop: hurriedLoop(), signal: controller.signal });
    controller.abort();
    expect((await pending).error?.message).toBe('operation interrupted');
  });

  it('is not needed for short expressions, whose result is not a promise', () => {
    expect(program('x + 1').evaluateAsync(bindings)).toEqual({ value: 8n, cost: 2 });
  });
});

describe('synchronous evaluation', () => {
  it('ends when it takes too long', () => {
    const text = `${range(100)}.all(i, ${range(100)}.all(j, i + j >= 0))`;
    expect(program(text).evaluate(bindings, { eventLoop: hurriedLoop() }).error?.message).toBe('operation interrupted');
  });

  it('computes a variable once, on first use', () => {
    const asked: string[] = [];
    const lazy = (name: string) => {
      asked.push(name);
      return 3n;
    };
    expect(program('x > 5 ? m.one : x + x').evaluate(lazy).value).toBe(6n);
    expect(asked).toEqual(['x']);
  });
});

describe('asynchronous functions', () => {
  const library: Library = {
    name: 'test',
    functions: [
      {
        name: 'fetch',
        overloads: [
          asyncOverload({
            id: 'fetch_int',
            isMember: false,
            parameters: [INT],
            result: INT,
            cost: { actual: () => 100 },
            call: async (n) => {
              if (n < 0n) throw new CelError('no such thing');
              return n * 2n;
            },
          }),
        ],
      },
    ],
  };
  const env = environment.extend({ libraries: [library] });
  const evaluate = async (text: string) => outcome(await program(text, env).evaluateAsync(bindings));

  it.each([
    ['fetch(x) + 1', { value: 15n, error: undefined, cost: 102 }],
    ['l.map(i, fetch(i)).exists(i, i == 6)', { value: true, error: undefined, cost: 360 }],
    ['fetch(-1) > 0 || b', { value: true, error: undefined, cost: 102 }],
    ['fetch(-1)', { value: undefined, error: 'no such thing', cost: 100 }],
    ['[fetch(1), x][0]', { value: 2n, error: undefined, cost: 113 }],
    ['dy.list[fetch(1)]', { value: 3.5, error: undefined, cost: 103 }],
    ['b ? fetch(2) : fetch(3)', { value: 4n, error: undefined, cost: 101 }],
  ])('%s', async (text, expected) => {
    expect(await evaluate(text)).toEqual(expected);
  });

  it('cannot be called synchronously', () => {
    const { error } = program('fetch(1)', env).evaluate(bindings);
    expect(error?.message).toBe('operation needs asynchronous evaluation');
  });

  it('do not keep an aborted evaluation waiting', async () => {
    const never: Library = {
      name: 'never',
      functions: [
        {
          name: 'never',
          overloads: [
            asyncOverload({
              id: 'never',
              isMember: false,
              parameters: [],
              result: INT,
              call: () => new Promise(() => {}),
            }),
          ],
        },
      ],
    };
    const controller = new AbortController();
    const pending = program('never()', environment.extend({ libraries: [never] })).evaluateAsync(bindings, {
      signal: controller.signal,
    });
    controller.abort();
    expect((await pending).error?.message).toBe('operation interrupted');
  });
});

describe('hostile expressions', () => {
  const chain = (start: string, link: string, count: number) => start + link.repeat(count);
  const sharedTree = chain('[[1]]', '.map(x, [dyn(x), dyn(x)])', 40);

  it.each([
    ['lists that double', `${chain('[[1]]', '.map(x, x + x)', 60)}[0].size()`, 'operation cancelled: list too large'],
    [
      'strings that double',
      `${chain("['a']", '.map(x, x + x)', 60)}[0].size()`,
      'operation cancelled: actual cost limit exceeded',
    ],
    [
      'values shared astronomically often',
      `${sharedTree} == ${sharedTree}`,
      'operation cancelled: values too large to compare',
    ],
    [
      'loops in loops',
      `${range(200)}.all(i, ${range(200)}.all(j, ${range(200)}.all(k, i + j + k >= 0)))`,
      'operation cancelled: actual cost limit exceeded',
    ],
    [
      'errors raised and absorbed in loops',
      `${range(200)}.all(i, ${range(200)}.exists(k, 1 / 0 > 0 || 1 % 0 > 0))`,
      'division by zero',
    ],
  ])('%s end with an error', async (_title, text, message) => {
    expect((await program(text).evaluateAsync(bindings)).error?.message).toBe(message);
  });

  it.each([
    ['types that double', chain('[1]', '.map(x, {x: x})', 60), 'types of the expression are too complex'],
    [
      'macros that copy their target',
      chain('optional.of(1)', '.optMap(x, x)', 60),
      'expression size exceeds limit after macro expansion',
    ],
    ['deep parentheses', '('.repeat(50_000), 'expression recursion limit exceeded: 250'],
    [
      'long chains in deep parentheses',
      `${'('.repeat(100)}dy${`${'.a'.repeat(200)})`.repeat(100)}`,
      'max recursion depth exceeded',
    ],
    ['very long ones', '1'.repeat(100_001), 'expression code point size exceeds limit: size: 100001, limit 100000'],
  ])('%s do not compile', (_title, text, message) => {
    expect(() => environment.compile(text)).toThrow(`ERROR: <input>:-1:0: ${message}`);
  });

  it('does not read from prototypes', () => {
    for (const text of ['dy.constructor', 'dy.__proto__', "dy['toString']", 'm.hasOwnProperty']) {
      expect(program(text).evaluate(bindings).error?.message).toMatch(/^no such key: /);
    }
  });
});
