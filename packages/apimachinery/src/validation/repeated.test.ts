import { expect, it } from 'vitest';
import { repeated } from './repeated.ts';

it('marks the items that occurred before', () => {
  expect(repeated(['a', 'b', 'a', 'a'])).toEqual([false, false, true, true]);
  expect(repeated([{ name: 'a' }, { name: 'b' }, { name: 'a' }], ({ name }) => name)).toEqual([false, false, true]);
  expect(repeated([])).toEqual([]);
});
