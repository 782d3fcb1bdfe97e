import { expect, it } from 'vitest';
import { containerHash } from './container-hash.ts';

it.each([
  ['test_container', 'foo/image:v1', '8e45cbd0'],
  ['foo', 'bar', '11a6d6d6'],
])('is the same as upstream for %s of image %s', (name, image, hash) => {
  expect(containerHash({ name, image })).toBe(hash);
});
