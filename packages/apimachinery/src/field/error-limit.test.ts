import { expect, it } from 'vitest';
import { type ErrorList, required } from './error.ts';
import { completed, type Steps } from '../steps/index.ts';
import { MAX_FIELD_ERRORS, withErrorLimit, withErrorLimitInSteps } from './error-limit.ts';
import { Path } from './path.ts';

const problems = (count: number, errors: ErrorList = []): ErrorList => {
  for (let i = 0; i < count; i++) errors.push(required(Path.of('items').index(i)));
  return errors;
};

it('returns the errors of a validator', () => {
  expect(withErrorLimit(() => problems(3)).map(({ field }) => field)).toEqual(['items[0]', 'items[1]', 'items[2]']);
});

it('stops a validator that finds more errors than are reported', () => {
  let ended = true;
  const found = withErrorLimit(() => {
    const errors = problems(1_000_000);
    ended = false;
    return errors;
  });
  expect(found.map(String)).toEqual(problems(MAX_FIELD_ERRORS).map(String));
  expect(ended).toBe(true);
});

it('counts each call separately, including the errors of nested validators', () => {
  const twice = (): ErrorList => [...withErrorLimit(() => problems(600)), ...withErrorLimit(() => problems(600))];
  expect(withErrorLimit(twice)).toHaveLength(MAX_FIELD_ERRORS);
  expect(twice()).toHaveLength(1200);
});

it('throws the error that a validator throws, and then no longer limits errors', () => {
  expect(() =>
    withErrorLimit(() => {
      throw new TypeError('x');
    }),
  ).toThrow('x');
  expect(problems(MAX_FIELD_ERRORS + 1)).toHaveLength(MAX_FIELD_ERRORS + 1);
});

function* problemsInSteps(steps: number, perStep: number): Steps<ErrorList> {
  const errors: ErrorList = [];
  for (let i = 0; i < steps; i++) {
    problems(perStep, errors);
    yield;
  }
  return errors;
}

it('counts the errors of all steps of a validator', () => {
  expect(completed(withErrorLimitInSteps(problemsInSteps(2, 300)))).toHaveLength(600);
  expect(completed(withErrorLimitInSteps(problemsInSteps(2, 600)))).toHaveLength(MAX_FIELD_ERRORS);
});

it('does not count errors of others between the steps', () => {
  const steps = withErrorLimitInSteps(problemsInSteps(2, 300));
  steps.next();
  expect(problems(MAX_FIELD_ERRORS + 1)).toHaveLength(MAX_FIELD_ERRORS + 1);
  expect(withErrorLimit(() => problems(900))).toHaveLength(900);
  expect(completed(steps)).toHaveLength(600);
});
