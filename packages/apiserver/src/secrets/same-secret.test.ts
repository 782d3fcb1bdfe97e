import type * as crypto from 'node:crypto';
import type { Secret } from '@coxswain/api/core/v1';
import { beforeEach, expect, it, vi } from 'vitest';
import { bootstrapTokenAuthenticator } from '../authentication/bootstrap-token.ts';
import { fakeLister } from '../authentication/fake-objects.test-data.ts';
import { StaticTokenAuthenticator } from '../authentication/token-file.ts';
import { sameSecret } from './same-secret.ts';

const compared = vi.hoisted(() => ({ times: 0 }));
vi.mock('node:crypto', async (original) => {
  const actual = await original<typeof crypto>();
  return {
    ...actual,
    timingSafeEqual: (...args: Parameters<typeof actual.timingSafeEqual>) => {
      compared.times++;
      return actual.timingSafeEqual(...args);
    },
  };
});

beforeEach(() => {
  compared.times = 0;
});

it.each([
  ['x', 'x', true],
  ['x', 'y', false],
  ['x', 'xx', false],
  ['', '', true],
])('sameSecret(%j, %j) is %j, in constant time', (a, b, expected) => {
  expect(sameSecret(a, b)).toBe(expected);
  expect(compared.times).toBe(1);
});

it('static tokens are compared in constant time', async () => {
  const tokens = new StaticTokenAuthenticator([['t', { username: 'alice' }]]);
  expect(await tokens.authenticateToken('t')).toEqual({ user: { username: 'alice' } });
  expect(compared.times).toBe(1);
});

it('bootstrap tokens are compared in constant time', async () => {
  const data = { 'token-secret': Buffer.from('0123456789abcdee').toString('base64') };
  const metadata = { name: 'bootstrap-token-abcdef', namespace: 'kube-system' };
  const secrets = fakeLister<Secret>({ metadata, type: 'bootstrap.kubernetes.io/token', data });
  const tokens = bootstrapTokenAuthenticator({ secrets, now: () => new Date() });
  expect(await tokens.authenticateToken('abcdef.0123456789abcdef', [])).toBeUndefined();
  expect(compared.times).toBe(1);
});
