import { FakeClock } from '@coxswain/apimachinery/clock';
import { expect, it } from 'vitest';
import type { StreamingTarget } from './session-backend.ts';
import { StreamingTokens } from './streaming-tokens.ts';

const target: StreamingTarget = { kind: 'ports', ports: [], open: () => Promise.reject(new Error('not opened')) };

it('a token is good once, and for a minute', async () => {
  const clock = new FakeClock();
  const tokens = new StreamingTokens(clock);
  const used = tokens.add(target);
  expect(tokens.take(used)).toBe(target);
  expect(tokens.take(used)).toBeUndefined();
  const late = tokens.add(target);
  await clock.advance(60_000);
  expect(tokens.take(late)).toBeUndefined();
  expect(clock.pending).toBe(0);
});

it('there are only so many tokens', () => {
  const tokens = new StreamingTokens(new FakeClock());
  for (let count = 0; count < 1000; count++) tokens.add(target);
  expect(() => tokens.add(target)).toThrow('maximum number of in-flight requests exceeded');
  tokens.clear();
  expect(tokens.add(target)).toMatch(/^[\w-]{24}$/);
});
