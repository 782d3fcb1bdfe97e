import { expect, it } from 'vitest';
import { lockAddress } from './lock-address.ts';

it.each<[platform: NodeJS.Platform, directory: string, path: string, isTooLong: boolean]>([
  ['linux', '/data/lock', '/data/lock/7-ab.sock', false],
  ['darwin', `/${'x'.repeat(100)}`, `/${'x'.repeat(100)}/7-ab.sock`, true],
  ['win32', 'C:\\data\\lock', '\\\\.\\pipe\\coxswain-7-ab.sock', false],
  ['win32', `C:\\${'x'.repeat(200)}`, '\\\\.\\pipe\\coxswain-7-ab.sock', false],
])('on %s the holder of %s listens at %s', (platform, directory, path, isTooLong) => {
  expect(lockAddress(directory, '7-ab.sock', platform)).toEqual({ path, isTooLong });
});
