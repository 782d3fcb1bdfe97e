import { recordLogs } from '@coxswain/apimachinery/log';
import type { TokenAuthenticator } from '@coxswain/component-base/authentication';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebhookCallError } from '../webhook/index.ts';
import { tokenWebhookAuthenticator } from './token-webhook.ts';

let time: number;
let asked: unknown[];
let answer: (review: { readonly apiVersion: string; readonly kind: string }) => unknown;
const { logger, lines: reported, clear } = recordLogs();

beforeEach(() => {
  time = 0;
  asked = [];
  clear();
});

const withStatus =
  (status: unknown): typeof answer =>
  ({ apiVersion, kind }) => ({ apiVersion, kind, status });

function authenticator(cacheTtlMs = 120_000, version: 'v1' | 'v1beta1' = 'v1'): TokenAuthenticator {
  return tokenWebhookAuthenticator({
    webhook: {
      call: async (review) => {
        asked.push(review);
        return answer(review as Parameters<typeof answer>[0]);
      },
      close: () => {},
    },
    version,
    cacheTtlMs,
    apiAudiences: ['api'],
    now: () => new Date(time),
    random: () => 0,
    pause: async () => {},
    logger,
  });
}

describe('the token webhook', () => {
  it('is called once for a token until the cached response expires', async () => {
    answer = withStatus({ authenticated: true, user: { username: 'jane' } });
    const tokens = authenticator();
    const found = { user: { username: 'jane' }, audiences: ['api'] };
    expect(await Promise.all([1, 2].map(() => tokens.authenticateToken('t', ['api'])))).toEqual([found, found]);
    time = 119_999;
    expect(await tokens.authenticateToken('t', ['api'])).toEqual(found);
    expect(asked).toHaveLength(1);
    time = 120_000;
    await tokens.authenticateToken('t', ['api']);
    expect(asked).toHaveLength(2);
  });

  it('is not called again for an unknown token', async () => {
    answer = withStatus({ authenticated: false });
    const tokens = authenticator();
    expect(await tokens.authenticateToken('t', [])).toBeUndefined();
    expect(await tokens.authenticateToken('t', [])).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['returns an error for a token', withStatus({ authenticated: false, error: 'expired' }), 'expired'],
    [
      'returns another kind',
      () => ({ kind: 'Pod', apiVersion: 'v1' }),
      "the webhook's answer is no TokenReview of authentication.k8s.io/v1",
    ],
    ['returns nothing', () => undefined, "the webhook's answer is no TokenReview of authentication.k8s.io/v1"],
    [
      'returns another version',
      ({ kind }: { kind: string }) => ({
        kind,
        apiVersion: 'authentication.k8s.io/v1beta1',
        status: { authenticated: true },
      }),
      "the webhook's answer is no TokenReview of authentication.k8s.io/v1",
    ],
  ])('is called again when it %s', async (_, given, message) => {
    answer = given as typeof answer;
    const tokens = authenticator();
    await expect(tokens.authenticateToken('t', [])).rejects.toThrow(message);
    await expect(tokens.authenticateToken('t', [])).rejects.toThrow(message);
    expect(asked).toHaveLength(2);
  });

  it('that cannot be reached causes an error, which is logged without the token', async () => {
    answer = () => {
      throw new WebhookCallError('connect: connection refused', 'network');
    };
    await expect(authenticator().authenticateToken('secret-token', [])).rejects.toThrow('connection refused');
    expect(reported).toHaveLength(1);
    expect(reported[0]).not.toContain('secret-token');
  });

  it('is called each time without a cache, with the configured version', async () => {
    answer = withStatus({ authenticated: true, user: {} });
    const tokens = authenticator(0, 'v1beta1');
    await tokens.authenticateToken('t', ['a', 'api']);
    await tokens.authenticateToken('t', ['a', 'api']);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1beta1',
      spec: { token: 't', audiences: ['a', 'api'] },
    });
  });

  it('may return any user, of which only valid fields are used', async () => {
    answer = withStatus({
      authenticated: true,
      user: { username: 5, uid: {}, groups: ['a', 1, null], extra: { k: 'v', ['__proto__']: ['x'] } },
    });
    const found = await authenticator().authenticateToken('t', []);
    expect(found?.user).toMatchObject({ username: '', groups: ['a'] });
    expect(Object.getPrototypeOf(found?.user.extra)).toBe(Object.prototype);
  });
});
