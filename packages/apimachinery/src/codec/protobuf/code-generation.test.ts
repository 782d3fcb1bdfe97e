import { afterEach, expect, it, vi } from 'vitest';
import { generate } from './code-generation.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it('lets the source refer to the names in the scope', () => {
  const add = generate(new Map([['two', 2]]), '(number) => number + two');
  expect(add).toBeTypeOf('function');
  expect(add instanceof Function && add(3)).toBe(5);
});

it('generates code for messages that are read often', async () => {
  const { generateAfter } = await import('./code-generation.ts');
  expect(generateAfter).toBeLessThan(1000);
});

it('never generates where a content security policy forbids it', async () => {
  vi.stubGlobal(
    'Function',
    class {
      constructor() {
        throw new EvalError('Code generation from strings disallowed for this context');
      }
    },
  );
  const { generateAfter } = await import('./code-generation.ts');
  expect(generateAfter).toBe(Number.POSITIVE_INFINITY);
});
