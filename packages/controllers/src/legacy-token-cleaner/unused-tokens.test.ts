import type { Secret, ServiceAccount } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { podSecretNames } from './pod-secrets.ts';
import { fateOf, type TokenUse } from './unused-tokens.ts';

const account: ServiceAccount = { metadata: { name: 'robot', uid: 'u' }, secrets: [{ name: 's' }] };
const secret = (metadata: Secret['metadata'] = {}, type = 'kubernetes.io/service-account-token'): Secret => ({
  metadata: {
    name: 's',
    creationTimestamp: '2025-01-01T00:00:00Z',
    annotations: { 'kubernetes.io/service-account.name': 'robot', 'kubernetes.io/service-account.uid': 'u' },
    ...metadata,
  },
  type,
});
const lastUsed = (day: string) => ({ labels: { 'kubernetes.io/legacy-token-last-used': day } });
const invalidSince = (day: string) => ({ labels: { 'kubernetes.io/legacy-token-invalid-since': day } });

describe('fateOf a token at noon of 2026-06-15, with a period of 10 days', () => {
  const use: TokenUse = {
    account,
    isMounted: () => false,
    now: Date.parse('2026-06-15T12:00:00Z'),
    cleanUpPeriodMs: 10 * 86_400_000,
  };
  it.each<[string, ReturnType<typeof fateOf>, Secret, Partial<TokenUse>?]>([
    ['never used', 'invalidate', secret()],
    ['of another type', 'keep', secret({}, 'Opaque')],
    ['created within the period', 'keep', secret({ creationTimestamp: '2026-06-05T12:00:00Z' })],
    ['created just before the period', 'invalidate', secret({ creationTimestamp: '2026-06-05T11:59:59Z' })],
    ['being deleted', 'keep', secret({ deletionTimestamp: '2026-06-15T00:00:00Z' })],
    ['last used ten days ago', 'keep', secret(lastUsed('2026-06-05'))],
    ['last used eleven days ago', 'invalidate', secret(lastUsed('2026-06-04'))],
    ['with an invalid last-used label', 'keep', secret(lastUsed('yesterday'))],
    ['of a deleted account', 'keep', secret(), { account: undefined }],
    [
      'of an earlier account of that name',
      'keep',
      secret(),
      { account: { ...account, metadata: { name: 'robot', uid: 'v' } } },
    ],
    ['created manually', 'keep', secret(), { account: { ...account, secrets: [] } }],
    ['used by a pod', 'keep', secret(), { isMounted: () => true }],
    ['invalid for ten days', 'keep', secret(invalidSince('2026-06-05'))],
    ['invalid for longer', 'delete', secret(invalidSince('2026-06-04'))],
    ['with an impossible invalid-since date', 'invalidate', secret(invalidSince('2026-02-31'))],
  ])('%s: %s', (_, fate, secret, other) => expect(fateOf(secret, { ...use, ...other })).toBe(fate));
});

it('podSecretNames finds all Secrets that a pod may read', () => {
  const env = [{ name: 'E', valueFrom: { secretKeyRef: { name: 'in-env', key: 'k' } } }];
  const names = podSecretNames({
    metadata: { name: 'not-this' },
    spec: {
      imagePullSecrets: [{ name: 'for-images' }],
      initContainers: [{ name: 'i', image: 'x', envFrom: [{ secretRef: { name: 'in-env-from' } }] }],
      containers: [{ name: 'c', image: 'x', env }],
      volumes: [
        { name: 'a', secret: { secretName: 'as-volume' } },
        { name: 'b', projected: { sources: [{ secret: { name: 'projected' } }] } },
        { name: 'c', azureFile: { secretName: 'for-azure', shareName: 's' } },
        { name: 'd', csi: { driver: 'd', nodePublishSecretRef: { name: 'for-csi' } } },
        { name: 'e', rbd: { image: 'i', monitors: ['m'], secretRef: { name: 'for-rbd' } } },
        { name: 'f', configMap: { name: 'no-secret' } },
      ],
    },
  });
  expect([...names].sort()).toEqual(
    ['for-images', 'in-env-from', 'in-env', 'as-volume', 'projected', 'for-azure', 'for-csi', 'for-rbd'].sort(),
  );
});
