import type { Pod, PodResourceClaim } from '@coxswain/api/core/v1';
import type { ResourceClaim } from '@coxswain/api/resource/v1';
import { describe, expect, it } from 'vitest';
import { podResourceClaims } from './pod-claims.ts';

const claim = (name: string, metadata: Partial<ResourceClaim['metadata']> = {}): ResourceClaim => ({
  metadata: { name, namespace: 'ns', ...metadata },
  spec: {},
});
const pod = (resourceClaim: PodResourceClaim, status: Pod['status'] = {}): Pod => ({
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: { containers: [], resourceClaims: [resourceClaim] },
  status,
});
const made = (resourceClaimName?: string): Pod =>
  pod(
    { name: 'x', resourceClaimTemplateName: 't' },
    { resourceClaimStatuses: [{ name: 'x', ...(resourceClaimName !== undefined && { resourceClaimName }) }] },
  );
const names = (wanted: Pod, ...claims: ResourceClaim[]) =>
  podResourceClaims(wanted, (key) => claims.find(({ metadata }) => `ns/${metadata.name}` === key)).map(
    ({ metadata }) => metadata.name,
  );
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };

describe('the claims of a pod', () => {
  it('are those that it names', () => {
    expect(names(pod({ name: 'x', resourceClaimName: 'c' }), claim('c'))).toEqual(['c']);
  });

  it('are those that were generated for it', () => {
    expect(names(made('c'), claim('c', { ownerReferences: [owner] }))).toEqual(['c']);
  });

  it('may be missing when its status says that none is needed', () => {
    expect(names(made())).toEqual([]);
  });

  it.each<[string, Pod, ResourceClaim[], string]>([
    ['does not exist', pod({ name: 'x', resourceClaimName: 'c' }), [], 'could not find ResourceClaim "ns/c"'],
    [
      'is being deleted',
      pod({ name: 'x', resourceClaimName: 'c' }),
      [claim('c', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      'resourceclaim "c" is being deleted',
    ],
    [
      'has not been generated yet',
      pod({ name: 'x', resourceClaimTemplateName: 't' }),
      [],
      'pod "ns/p": ResourceClaim not created yet',
    ],
    [
      'was generated for another pod',
      made('c'),
      [claim('c', { ownerReferences: [{ ...owner, uid: 'other' }] })],
      'ResourceClaim ns/c was not created for Pod ns/p (Pod is not owner)',
    ],
    [
      'has no supported source',
      pod({ name: 'x' }),
      [],
      'pod "ns/p", spec.resourceClaim "x": none of the supported fields are set',
    ],
  ])('keep it waiting when one %s', (_, wanted, claims, message) => {
    expect(() => names(wanted, ...claims)).toThrow(message);
  });
});
