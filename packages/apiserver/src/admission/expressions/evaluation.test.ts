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

/** An expression that takes longer than one turn of the event loop. */
const slow = (answer: string): string =>
  `(lists.range(200).all(x, lists.range(200).all(y, x + y >= 0)) ? ${answer} : ${answer})`;

/** An authorizer that allows verbs that start with `a`, asynchronously, and records all checks. */
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
    'have the value of their expression': [{ a: 'object.metadata.name' }, 'variables.a', 'p'],
    'can use earlier variables': [{ a: '1', b: 'variables.a + 1', c: 'variables.b + variables.a' }, 'variables.c', 3n],
    'that fail cause an error in expressions that use them': [
      { a: 'object.nothing' },
      'variables.a == 1',
      `expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: no such key: nothing`,
    ],
    'that fail have no effect where they are not used': [{ a: 'object.nothing' }, 'true || variables.a == 1', true],
    'that do not compile cause an error in expressions that use them': [
      { a: 'nobody' },
      'variables.a == 1',
      `expression 'variables.a == 1' resulted in error: composited variable "a" fails to compile: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nobody' (in container '')\n | nobody\n | ^`,
    ],
    'may be evaluated asynchronously': [
      { a: slow('1'), b: `${slow('2')} + variables.a` },
      'variables.a + variables.b',
      4n,
    ],
    'may fail asynchronously': [
      { a: slow('object.nothing') },
      'variables.a == 1',
      `expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: no such key: nothing`,
    ],
  };
  for (const [sentence, [variables, expression, expected]] of Object.entries(cases))
    it(sentence, async () => {
      expect(await evaluated(variables, expression)).toEqual(expected);
    });

  it('can form a long chain', async () => {
    const variables: Record<string, string> = { v0: '0' };
    for (let i = 1; i <= 1000; i++) variables[`v${i}`] = `variables.v${i - 1} + 1`;
    expect(await evaluated(variables, 'variables.v1000')).toBe(1000n);
  });

  it('are evaluated once, with one authorizer check', async () => {
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

describe('the cost budget', () => {
  const dear = 'lists.range(100).all(x, lists.range(100).all(y, x + y >= 0))';

  it('is exhausted by an expression', async () => {
    await expect(evaluated({}, dear, { budget: 1000 })).rejects.toThrow(OutOfBudgetError);
  });

  it('is exhausted by a variable', async () => {
    await expect(evaluated({ a: dear }, 'variables.a', { budget: 1000 })).rejects.toThrow(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });

  it('is not charged for unused variables', async () => {
    expect(await evaluated({ a: dear }, 'true || variables.a', { budget: 1000 })).toBe(true);
  });

  it('is also limited for one expression', async () => {
    const text = ['a', 'aa', 'aaa']
      .map((verb) => `authorizer.group('').resource('pods').check('${verb}').allowed()`)
      .join(' && ');
    expect(await evaluated({}, text, { budget: 1e9, more: { authorizer: countingAuthorizer() } })).toBe(
      `expression '${text}' resulted in error: operation cancelled: actual cost limit exceeded`,
    );
  });
});

describe('untrusted expressions', () => {
  it('yield to the event loop', async () => {
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
    // One turn also happens after the evaluation.
    expect(turns).toBeGreaterThan(1);
  });

  it('are interrupted when the signal is aborted', async () => {
    const gone = AbortSignal.abort();
    const expression = 'lists.range(500).all(x, lists.range(500).all(y, x + y >= 0))';
    const answer = await evaluated({}, expression, { more: { attributes: { ...attributes, signal: gone } } });
    expect(answer).toBe(`expression '${expression}' resulted in error: operation interrupted`);
  });

  it('cannot access inherited properties', async () => {
    expect(await evaluated({}, 'has(object.constructor) || has(object.__proto__) || has(object.toString)')).toBe(false);
  });
});

it('a variable whose type upstream cannot declare is of type dyn', async () => {
  const compiler = PolicyCompiler.of(undefined, systemEventLoop);
  await compiler.addVariable({ name: 'request', expression: 'request' });
  await compiler.addVariable({ name: 'list', expression: '[quantity("1")]' });
  const { type } = await compiler.compile('variables.request', [], {});
  expect(type).toBe(DYN);
  expect(String((await compiler.compile('variables.list', [], {})).type)).toBe('list(dyn)');
  expect((await compiler.compile('variables.list == [1]', [BOOL], {})).type).toBe(BOOL);
});
