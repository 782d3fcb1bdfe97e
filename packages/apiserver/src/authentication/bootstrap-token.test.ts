import type { Secret } from '@coxswain/api/core/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { describe, expect, it } from 'vitest';
import { bootstrapTokenAuthenticator } from './bootstrap-token.ts';
import { fakeLister } from './fake-objects.test-data.ts';

const token = 'abcdef.0123456789abcdef';
const good = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
};

function secret(data: Record<string, string>, more: Partial<Secret> = {}): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    data: Object.fromEntries(encoded),
    ...more,
  };
}

async function authenticate(stored: Secret, bearer = token) {
  const { logger, lines: log } = recordLogs({ verbosity: 3 });
  const authenticator = bootstrapTokenAuthenticator({
    secrets: fakeLister(stored),
    now: () => new Date('2026-01-01T00:00:00Z'),
    logger,
  });
  return { found: await authenticator.authenticateToken(bearer, []), log };
}

describe('a bootstrap token', () => {
  it.each([
    ['in the default group', {}, ['system:bootstrappers']],
    [
      'in extra groups, sorted and without duplicates',
      { 'auth-extra-groups': 'system:bootstrappers:z,system:bootstrappers:a:b,system:bootstrappers:z' },
      ['system:bootstrappers', 'system:bootstrappers:a:b', 'system:bootstrappers:z'],
    ],
    ['before its expiration', { expiration: '2026-01-01T00:00:01Z' }, ['system:bootstrappers']],
    ['with an expiration in another zone', { expiration: '2026-01-01T01:30:00+01:00' }, ['system:bootstrappers']],
  ])('is accepted %s', async (_, data, groups) => {
    const { found, log } = await authenticate(secret({ ...good, ...data }));
    expect(found).toEqual({ user: { username: 'system:bootstrap:abcdef', groups } });
    expect(log).toEqual([]);
  });

  const about =
    'info "Bootstrap secret matching bearer token cannot be used" secret="kube-system/bootstrap-token-abcdef"';
  it.each<[sentence: string, stored: Secret, log: string]>([
    [
      'whose secret is being deleted',
      secret(good, { metadata: { ...secret(good).metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      'is deleted and awaiting removal',
    ],
    ['of another type', secret(good, { type: 'Opaque' }), 'has invalid type, expected bootstrap.kubernetes.io/token.'],
    ['with another secret', secret({ ...good, 'token-secret': 'x' }), 'has invalid value for key token-secret.'],
    ['with another id', secret({ ...good, 'token-id': 'abcdeg' }), 'has invalid value for key token-id.'],
    ['that expires now', secret({ ...good, expiration: '2026-01-01T00:00:00Z' }), 'has expired'],
    ['with an unreadable expiration', secret({ ...good, expiration: 'tomorrow' }), 'has expired'],
    [
      'not for authentication',
      secret({ ...good, 'usage-bootstrap-authentication': 'TRUE' }),
      'not marked usage-bootstrap-authentication=true.',
    ],
    [
      'with a group outside system:bootstrappers',
      secret({ ...good, 'auth-extra-groups': 'system:bootstrappers:a,system:masters' }),
      'has invalid value for key auth-extra-groups.',
    ],
  ])('is not accepted: one %s', async (_, stored, problem) => {
    expect(await authenticate(stored)).toEqual({
      found: undefined,
      log: [`${about} problem=${JSON.stringify(problem)}`],
    });
  });

  it.each(['abcdef', 'abcdef.0123456789abcde', 'ABCDEF.0123456789abcdef', `${token}\n`, ` ${token}`])(
    'must have the format, unlike %j',
    async (bearer) => {
      expect(await authenticate(secret(good), bearer)).toEqual({ found: undefined, log: [] });
    },
  );

  it('must have a Secret', async () => {
    const { found, log } = await authenticate(secret(good), 'aaaaaa.0123456789abcdef');
    expect(found).toBeUndefined();
    expect(log).toEqual(['info "No secret to match bootstrap bearer token" secret="bootstrap-token-aaaaaa"']);
  });
});
