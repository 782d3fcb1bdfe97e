import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { CertificateSigningRequest } from '../../generated/certificates/v1.ts';
import { prepareForCreate, prepareForSubresourceUpdate } from '../../strategy/prepare.ts';
import { signingRequestStrategy } from './signing-request.ts';

const now = '2026-02-03T04:05:06Z';
const before = '2026-01-01T00:00:00Z';
const context = { features: FeatureGates.defaults, now: () => new Date(now) };

const request = (conditions: object[] = []): CertificateSigningRequest => ({
  metadata: { name: 'a' },
  spec: { request: '', signerName: 'a.b/c', username: 'mallory', groups: ['x'], extra: { y: ['z'] } },
  status: { conditions: conditions as never },
});
const conditionsAfter = (subresource: string, conditions: object[], old: object[]) =>
  prepareForSubresourceUpdate(signingRequestStrategy, subresource, request(conditions), request(old), context).status
    ?.conditions;

it('a request records the user that created it', () => {
  const user = { username: 'jane', uid: '7', groups: ['a'], extra: { __proto__x: ['b'], ['__proto__']: ['c'] } };
  const { spec, status } = prepareForCreate(signingRequestStrategy, request([{ type: 'Approved' }]), {
    ...context,
    user,
  });
  expect(spec).toEqual({
    request: '',
    signerName: 'a.b/c',
    username: 'jane',
    uid: '7',
    groups: ['a'],
    extra: user.extra,
  });
  expect(status).toBeUndefined();
});

it('a request without a user drops the given user fields', () => {
  expect(prepareForCreate(signingRequestStrategy, request(), context).spec).toEqual({
    request: '',
    signerName: 'a.b/c',
  });
});

describe('conditions', () => {
  const approved = { type: 'Approved', status: 'True', lastUpdateTime: before, lastTransitionTime: before };

  it.each(['status', 'approval'])('without times get the current time, through %s', (subresource) => {
    expect(conditionsAfter(subresource, [{ type: 'X', status: 'True', lastUpdateTime: null }], [])).toEqual([
      { type: 'X', status: 'True', lastUpdateTime: now, lastTransitionTime: now },
    ]);
  });

  it('that existed before keep their lastTransitionTime', () => {
    expect(conditionsAfter('approval', [{ type: 'Approved', status: 'True', reason: 'new' }], [approved])).toEqual([
      { type: 'Approved', status: 'True', reason: 'new', lastUpdateTime: now, lastTransitionTime: before },
    ]);
  });

  it('that changed get the current time', () => {
    expect(
      conditionsAfter('status', [{ type: 'X', status: 'False' }], [{ ...approved, type: 'X' }])?.[0]
        ?.lastTransitionTime,
    ).toBe(now);
  });

  it('of approval cannot be changed through status', () => {
    expect(conditionsAfter('status', [{ ...approved, reason: 'mine' }], [approved])).toEqual([approved]);
    expect(conditionsAfter('approval', [{ ...approved, reason: 'mine' }], [approved])).toEqual([
      { ...approved, reason: 'mine' },
    ]);
  });
});
