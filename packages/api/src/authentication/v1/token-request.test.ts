import { expect, it } from 'vitest';
import type { TokenRequest } from '../../generated/authentication/v1.ts';
import { setTokenRequestDefaults, validateTokenRequest } from './token-request.ts';

const request = (expirationSeconds?: number): TokenRequest => ({
  metadata: {},
  spec: { audiences: [], ...(expirationSeconds !== undefined && { expirationSeconds }) },
});

it.each([
  ['lasts an hour by default', undefined, []],
  ['may last ten minutes', 600, []],
  ['may last 2^32 seconds', 2 ** 32, []],
  [
    'lasts ten minutes at least',
    599,
    ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes'],
  ],
  [
    'lasts at most 2^32 seconds',
    2 ** 32 + 1,
    ['spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds'],
  ],
])('a token %s', (_, seconds, problems) => {
  const token = request(seconds);
  setTokenRequestDefaults(token);
  expect(validateTokenRequest(token).map(String)).toEqual(problems);
});

it('defaulting sets one hour and is idempotent', () => {
  const token = request();
  setTokenRequestDefaults(token);
  setTokenRequestDefaults(token);
  expect(token.spec).toEqual({ audiences: [], expirationSeconds: 3600 });
});
