import type { Pod } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { lookUpClaim } from '../framework/devices/pod-resource-claims.ts';
import { claimFromTemplate } from './pod-claims.ts';

const template = { metadata: { name: 't' }, spec: { spec: {} } };
const podNamed = (name: string): Pod => ({ metadata: { name, uid: 'u' } });

it.each([
  ['web', 'gpu', 'web-gpu-'],
  ['p'.repeat(40), 'g'.repeat(15), `${'p'.repeat(40)}-${'g'.repeat(15)}-`],
  ['p'.repeat(40), 'g'.repeat(16), `${'p'.repeat(39)}-${'g'.repeat(15)}`],
  ['p'.repeat(63), 'g'.repeat(63), `${'p'.repeat(28)}-${'g'.repeat(28)}`],
])('the claim for pod %s and entry %s is named after both', (pod, claim, base) => {
  expect(claimFromTemplate(podNamed(pod), claim, template).metadata.generateName).toBe(base);
});

it.each([
  [
    { name: 'g', resourceClaimName: 'x' },
    { is: 'named', name: 'x', isGenerated: false },
  ],
  [
    { name: 'g', resourceClaimTemplateName: 't' },
    { is: 'named', name: 'y', isGenerated: true },
  ],
  [{ name: 'h', resourceClaimTemplateName: 't' }, { is: 'not needed' }],
  [{ name: 'i', resourceClaimTemplateName: 't' }, { is: 'missing' }],
  [{ name: 'g' }, { is: 'unsupported' }],
])('lookUpClaim resolves %j to %j', (reference, found) => {
  const resourceClaimStatuses = [{ name: 'g', resourceClaimName: 'y' }, { name: 'h' }];
  expect(lookUpClaim({ ...podNamed('web'), status: { resourceClaimStatuses } }, reference)).toEqual(found);
});
