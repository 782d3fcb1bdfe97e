import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { BOOL, DYN } from '@coxswain/cel';
import { describe, expect, it } from 'vitest';
import { attributesOf, creates, pod } from '../plugin-runner.test-data.ts';
import { PolicyCompiler } from '../policy/policy-compiler.ts';
import { conditionCostBudget, Evaluation, type ExpressionInput } from './evaluation.ts';
import { OutOfBudgetError } from './out-of-budget-error.ts';

const attributes = attributesOf(creates(pod()));
const input: ExpressionInput = { attributes, object: attributes.object, oldObject: undefined, request: {} };

async function evaluated(
  variables: Readonly<Record<string, string>>,
  expression: string,
  { budget = conditionCostBudget, more = {} as Partial<ExpressionInput> } = {},
): Promise<unknown> {
  const compiler = PolicyCompiler.of(undefined, systemEventLoop);
  for (const [name, text] of Object.entries(variables)) await compiler.addVariable({ name, expression: text });
  const compiled = await compiler.compile(expression, [], { authorizer: true });
  const evaluation = new Evaluation({ ...input, ...more }, budget, compiler.variables);
  const { value, error } = await evaluation.evaluate(compiled);
  return error ? error.message : value;
}

/** Takes longer than a turn. */
const slow = (answer: string): string =>
  `(lists.range(200).all(x, lists.range(200).all(y, x + y >= 0)) ? ${answer} : ${answer})`;

/** Allows everybody what begins with `a`, after a while, and counts how often it is asked. */
function countingAuthorizer() {
  const asked: string[] = [];
  return {
    asked,
    authorize: async ({ verb }: { verb: string }) => {
      await new Promise((resolve) => setImmediate(resolve));
      asked.push(verb);
      return { decision: verb.startsWith('a') ? ('allow' as const) : ('no opinion' as const), reason: verb };
    },
    rulesFor: () => Promise.reject(new Error('nobody asks')),
  };
}

describe('variables', () => {
  const cases: Readonly<Record<string, [Readonly<Record<string, string>>, string, unknown]>> = {
    'have their value': [{ a: 'object.metadata.name' }, 'variables.a', 'p'],
    'can use others before them': [{ a: '1', b: 'variables.a + 1', c: 'variables.b + variables.a' }, 'variables.c', 3n],
    'that fail fail what uses them': [
      { a: 'object.nothing' },
      'variables.a == 1',
      `expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: no such key: nothing`,
    ],
    'that fail do not matter where they are not needed': [{ a: 'object.nothing' }, 'true || variables.a == 1', true],
    'that do not compile fail what uses them': [
      { a: 'nobody' },
      'variables.a == 1',
      `expression 'variables.a == 1' resulted in error: composited variable "a" fails to compile: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nobody' (in container '')\n | nobody\n | ^`,
    ],
    'may take time': [{ a: slow('1'), b: `${slow('2')} + variables.a` }, 'variables.a + variables.b', 4n],
    'may take time and fail': [
      { a: slow('object.nothing') },
      'variables.a == 1',
      `expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: no such key: nothing`,
    ],
  };
  for (const [sentence, [variables, expression, expected]] of Object.entries(cases))
    it(sentence, async () => {
      expect(await evaluated(variables, expression)).toEqual(expected);
    });

  it('can be many, each using the one before', async () => {
    const variables: Record<string, string> = { v0: '0' };
    for (let i = 1; i <= 1000; i++) variables[`v${i}`] = `variables.v${i - 1} + 1`;
    expect(await evaluated(variables, 'variables.v1000')).toBe(1000n);
  });

  it('ask who may what once, however often they are used', async () => {
    const authorizer = countingAuthorizer();
    const check = (verb: string) => `authorizer.group("").resource("pods").check("${verb}").allowed()`;
    const variables = {
      a: check('ask'),
      b: `variables.a && ${check('answer')}`,
      c: `variables.b || ${check('never')}`,
    };
    expect(await evaluated(variables, 'variables.c && variables.a && variables.b', { more: { authorizer } })).toBe(
      true,
    );
    expect(authorizer.asked.sort()).toEqual(['answer', 'ask']);
  });
});

describe('the budget', () => {
  const dear = 'lists.range(100).all(x, lists.range(100).all(y, x + y >= 0))';

  it('ends with what an expression costs', async () => {
    await expect(evaluated({}, dear, { budget: 1000 })).rejects.toThrow(OutOfBudgetError);
  });

  it('ends with what a variable costs', async () => {
    await expect(evaluated({ a: dear }, 'variables.a', { budget: 1000 })).rejects.toThrow(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });

  it('is not charged for variables that nobody uses', async () => {
    expect(await evaluated({ a: dear }, 'true || variables.a', { budget: 1000 })).toBe(true);
  });

  it('of one expression is limited too', async () => {
    const text = ['a', 'aa', 'aaa']
      .map((verb) => `authorizer.group('').resource('pods').check('${verb}').allowed()`)
      .join(' && ');
    expect(await evaluated({}, text, { budget: 1e9, more: { authorizer: countingAuthorizer() } })).toBe(
      `expression '${text}' resulted in error: operation cancelled: actual cost limit exceeded`,
    );
  });
});

describe('expressions of strangers', () => {
  it('let others go on meanwhile', async () => {
    let turns = 0;
    let done = false;
    const others = (async () => {
      while (!done) {
        await new Promise((resolve) => setImmediate(resolve));
        turns++;
      }
    })();
    await evaluated({ a: slow('1') }, `${slow('2')} + variables.a`);
    done = true;
    await others;
    // The last turn comes when all is done.
    expect(turns).toBeGreaterThan(1);
  });

  it('end when nobody waits for them any more', async () => {
    const gone = AbortSignal.abort();
    const expression = 'lists.range(500).all(x, lists.range(500).all(y, x + y >= 0))';
    const answer = await evaluated({}, expression, { more: { attributes: { ...attributes, signal: gone } } });
    expect(answer).toBe(`expression '${expression}' resulted in error: operation interrupted`);
  });

  it('cannot reach what objects are made of', async () => {
    expect(await evaluated({}, 'has(object.constructor) || has(object.__proto__) || has(object.toString)')).toBe(false);
  });
});

it('a variable that upstream cannot describe is of any type', async () => {
  const compiler = PolicyCompiler.of(undefined, systemEventLoop);
  await compiler.addVariable({ name: 'request', expression: 'request' });
  await compiler.addVariable({ name: 'list', expression: '[quantity("1")]' });
  const { type } = await compiler.compile('variables.request', [], {});
  expect(type).toBe(DYN);
  expect(String((await compiler.compile('variables.list', [], {})).type)).toBe('list(dyn)');
  expect((await compiler.compile('variables.list == [1]', [BOOL], {})).type).toBe(BOOL);
});
