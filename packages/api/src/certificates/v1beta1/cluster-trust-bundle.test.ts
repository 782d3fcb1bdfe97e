import { type ErrorList, encodeBase64 } from '@coxswain/apimachinery';
import { expect, it } from 'vitest';
import { certificates } from '../../../test/certificates.ts';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { ClusterTrustBundle } from '../../generated/certificates/v1beta1.ts';
import { clusterTrustBundleStrategy } from './cluster-trust-bundle.ts';

const pem = (content: string): string => `-----BEGIN CERTIFICATE-----\n${content}\n-----END CERTIFICATE-----\n`;
const good = pem(certificates.ca);
const bad = pem(encodeBase64(Uint8Array.of(0x30, 0)));
const bundle = (trustBundle: string): ClusterTrustBundle => ({
  metadata: { name: 'x', resourceVersion: '1' },
  spec: { trustBundle },
});

function judged(object: ClusterTrustBundle, old?: ClusterTrustBundle): { steps: number; errors: ErrorList } {
  const context = { features: FeatureGates.defaults, now: () => new Date(0) };
  const run = clusterTrustBundleStrategy.validateInSteps!(object, old, context);
  for (let steps = 1; ; steps++) {
    const step = run.next();
    if (step.done) return { steps, errors: step.value };
  }
}

it('a trust bundle is parsed in one step per anchor', () => {
  const { steps, errors } = judged(bundle(good + bad.repeat(50)));
  expect(steps).toBeGreaterThan(50);
  expect(errors).toHaveLength(50);
  expect(errors[0]!.detail).toBe('entry 1 does not parse as X.509');
});

it('a trust bundle must not contain duplicate anchors', () => {
  expect(judged(bundle(good)).errors).toEqual([]);
  expect(judged(bundle(good + good)).errors.map(({ detail }) => detail)).toEqual([
    'duplicate trust anchor (indices [0 1])',
  ]);
});

it('an unchanged trust bundle is not parsed', () => {
  expect(judged(bundle(bad), bundle(bad))).toEqual({ steps: 1, errors: [] });
  expect(judged(bundle(bad), bundle(good)).errors).toHaveLength(1);
});
