import { silentLogger } from '@coxswain/apimachinery/log';
import type { AuthorizationAttributes } from '@coxswain/component-base/authorization';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebhookCallError } from '../../webhook/index.ts';
import { resourceAttributes } from '../resource-attributes.ts';
import { WebhookAuthorizer, type WebhookAuthorizerOptions } from './webhook-authorizer.ts';

let time: number;
let asked: { readonly spec: unknown }[];
let answer: (review: { readonly apiVersion: string; readonly kind: string }) => unknown;

beforeEach(() => {
  time = 0;
  asked = [];
});

const withStatus =
  (status: unknown): typeof answer =>
  ({ apiVersion, kind }) => ({ apiVersion, kind, status });

const authorizer = (options: Partial<WebhookAuthorizerOptions> = {}): WebhookAuthorizer =>
  new WebhookAuthorizer({
    name: 'hook',
    webhook: {
      call: async (review) => {
        asked.push(review as (typeof asked)[number]);
        return answer(review as Parameters<typeof answer>[0]);
      },
      close: () => {},
    },
    version: 'v1',
    timeoutMs: 1_000,
    authorizedTtlMs: 300_000,
    unauthorizedTtlMs: 30_000,
    failureDecision: 'no opinion',
    now: () => new Date(time),
    random: () => 0,
    pause: async () => {},
    logger: silentLogger,
    ...options,
  });

const list = (more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes =>
  resourceAttributes({ user: { username: 'jane' }, verb: 'list', resource: 'pods', ...more });

describe('a decision of a webhook', () => {
  it.each([
    ['allows', { allowed: true, reason: 'r' }, 'allow', 300_000],
    ['does not allow', { allowed: false, reason: 'r' }, 'no opinion', 30_000],
    ['denies', { denied: true, reason: 'r' }, 'deny', 30_000],
  ])('that %s is cached for its time', async (_, status, decision, ttlMs) => {
    answer = withStatus(status);
    const hook = authorizer();
    expect(await Promise.all([hook.authorize(list()), hook.authorize(list())])).toEqual([
      { decision, reason: 'r' },
      { decision, reason: 'r' },
    ]);
    time = ttlMs - 1;
    await hook.authorize(list());
    expect(asked).toHaveLength(1);
    time = ttlMs;
    await hook.authorize(list());
    expect(asked).toHaveLength(2);
  });

  it('is not reused for another user or request', async () => {
    answer = withStatus({ allowed: true });
    const hook = authorizer();
    await hook.authorize(list());
    await hook.authorize(list({ user: { username: 'jane', groups: ['g'] } }));
    await hook.authorize(list({ namespace: 'ns' }));
    await hook.authorize(list({ fieldSelector: 'a=b' }));
    await hook.authorize(list({ labelSelector: 'a=b' }));
    expect(asked).toHaveLength(5);
  });

  it('is not cached for large attributes', async () => {
    answer = withStatus({ allowed: true });
    const hook = authorizer();
    for (const name of ['x'.repeat(9_000), 'x'.repeat(10_000)])
      for (let time = 0; time < 2; time++) await hook.authorize(list({ name }));
    expect(asked).toHaveLength(3);
  });

  it('is evicted when the cache is full', async () => {
    answer = withStatus({ allowed: true });
    const hook = authorizer();
    for (let index = 0; index <= 8192; index++) await hook.authorize(list({ name: String(index) }));
    await hook.authorize(list({ name: '8192' }));
    expect(asked).toHaveLength(8193);
    await hook.authorize(list({ name: '0' }));
    expect(asked).toHaveLength(8194);
  });

  it('is an error when it both allows and denies', async () => {
    answer = withStatus({ allowed: true, denied: true });
    expect(await authorizer().authorize(list())).toEqual({
      decision: 'deny',
      reason: '',
      error: new Error('webhook subject access review returned both allow and deny response'),
    });
  });

  it('is not included in rules', async () => {
    expect(await authorizer().rulesFor()).toEqual({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    });
  });
});

describe('a webhook without a valid decision', () => {
  const down = new WebhookCallError('connect: connection refused', 'network');

  it.each(['no opinion', 'deny'] as const)('means %s as configured, and is called again', async (failureDecision) => {
    answer = () => {
      throw down;
    };
    const hook = authorizer({ failureDecision });
    expect(await hook.authorize(list())).toEqual({ decision: failureDecision, reason: '', error: down });
    await hook.authorize(list());
    expect(asked).toHaveLength(2);
  });

  it('is retried after network errors', async () => {
    let calls = 0;
    answer = (review) => {
      if (++calls < 4) throw new WebhookCallError('read: connection reset by peer', 'network');
      return withStatus({ allowed: true })(review);
    };
    expect(await authorizer().authorize(list())).toEqual({ decision: 'allow', reason: '' });
  });

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['another kind', { kind: 'Pod', apiVersion: 'v1' }],
    [
      'another version',
      { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1beta1', status: { allowed: true } },
    ],
    ['an invalid status', { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', status: true }],
  ])('has responded with %s', async (_, said) => {
    answer = () => said;
    expect(await authorizer().authorize(list())).toMatchObject({ decision: 'no opinion', error: expect.any(Error) });
  });

  it('allows only with the boolean true', async () => {
    answer = withStatus({ allowed: 'true', denied: 1, reason: {} });
    expect(await authorizer().authorize(list())).toEqual({ decision: 'no opinion', reason: '' });
  });

  it('is not called when its conditions are false or fail', async () => {
    const failing = new Error('condition');
    expect(await authorizer({ matches: async () => false }).authorize(list())).toEqual({
      decision: 'no opinion',
      reason: '',
    });
    expect(
      await authorizer({ failureDecision: 'deny', matches: () => Promise.reject(failing) }).authorize(list()),
    ).toEqual({ decision: 'deny', reason: '', error: failing });
    expect(asked).toEqual([]);
  });
});
