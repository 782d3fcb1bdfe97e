import { expect, it } from 'vitest';
import { criSignalOf, signalNameOf, signalNumber } from './signals.ts';

it.each([
  ['SIGTERM', 15, 'SIGTERM'],
  ['term', 15, 'SIGTERM'],
  ['9', 9, 'SIGKILL'],
  ['SIGRTMIN', 34, 'SIGRTMIN'],
  ['SIGRTMIN+3', 37, 'SIGRTMINPLUS3'],
  ['SIGRTMAX-1', 63, 'SIGRTMAXMINUS1'],
])('the signal %s has the number %i and the name %s', (name, number, criName) => {
  expect(signalNumber(name)).toBe(number);
  expect(criSignalOf(name)).toBe(criName);
  expect(signalNumber(signalNameOf(criSignalOf(name)))).toBe(number);
});

it.each(['SIGNONE', '0', '65', 'SIGRTMIN+31', ''])('there is no signal %j', (name) => {
  expect(() => signalNumber(name)).toThrow('invalid signal');
});
