import { expect, it } from 'vitest';
import { waitUntil } from './wait-until.ts';

const never = new AbortController().signal;

it('repeats a check that fails, and returns its first value', async () => {
  const answers = [() => Promise.reject(new Error('refused')), async () => false as const, async () => 'there'];
  const check = () => answers.shift()!();
  expect(await waitUntil(check, { what: 'a server', timeoutMs: 60_000, signal: never })).toBe('there');
  expect(answers).toEqual([]);
});

it('names what it waited for, and why it is not there', async () => {
  const check = () => Promise.reject(new Error('refused'));
  await expect(waitUntil(check, { what: 'a server', timeoutMs: 1, signal: never })).rejects.toThrow(
    'timed out waiting for a server: refused',
  );
});

it('ends when the signal is aborted, with its reason', async () => {
  const stop = new AbortController();
  const check = async () => {
    stop.abort(new Error('a program ended'));
    return undefined;
  };
  await expect(waitUntil(check, { what: 'a server', timeoutMs: 60_000, signal: stop.signal })).rejects.toThrow(
    'a program ended',
  );
});
