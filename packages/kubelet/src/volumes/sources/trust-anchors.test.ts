import type { ClusterTrustBundle } from '@coxswain/api/certificates/v1beta1';
import { FakeClock } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { TrustAnchors } from './trust-anchors.ts';

const pem = (body: string): string => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
const bundle = (name: string, trustBundle: string, signerName?: string, env?: string): ClusterTrustBundle => ({
  metadata: { name, ...(env && { labels: { env } }) },
  spec: { trustBundle, ...(signerName && { signerName }) },
});
const bundles = [
  bundle('plain', `some text\n${pem('BBBB')}more\n${pem('AAAA')}`),
  bundle('s:one', pem('AAAA'), 'example.com/s', 'prod'),
  bundle('s:two', pem('CCCC') + pem('AAAA'), 'example.com/s', 'test'),
];

describe('the certificates of a trust bundle', () => {
  const anchors = new TrustAnchors({ trustBundles: async () => bundles }, new FakeClock());
  const prod = { matchLabels: { env: 'prod' } };

  it.each([
    ['a name', { name: 'plain' }, pem('AAAA') + pem('BBBB')],
    ['a signer', { signerName: 'example.com/s', labelSelector: {} }, pem('AAAA') + pem('CCCC')],
    ['a signer and labels', { signerName: 'example.com/s', labelSelector: prod }, pem('AAAA')],
    ['an optional name that nothing has', { name: 'none', optional: true }, ''],
    ['an optional signer that has none', { signerName: 'none', labelSelector: {}, optional: true }, ''],
  ])('are found by %s, each once and without other text', async (_, projection, expected) => {
    expect(await anchors.pem({ path: 'p', ...projection })).toBe(expected);
  });

  it.each([
    [{ name: 'none' }, 'while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "none" not found'],
    // Without a selector, nothing matches.
    [{ signerName: 'example.com/s' }, 'combination of signerName and labelSelector matched zero ClusterTrustBundles'],
    [{}, 'ClusterTrustBundle projection requires either name or signerName to be set'],
  ])('of %j are an error', async (projection, message) => {
    await expect(anchors.pem({ path: 'p', ...projection })).rejects.toThrow(message);
  });

  it('are asked for again after a while, and after a failure', async () => {
    const clock = new FakeClock();
    let calls = 0;
    const again = new TrustAnchors(
      {
        async trustBundles() {
          if (++calls === 1) throw new Error('away');
          return bundles;
        },
      },
      clock,
    );
    await expect(again.pem({ path: 'p', name: 'plain' })).rejects.toThrow('away');
    for (let i = 0; i < 3; i++) await again.pem({ path: 'p', name: 'plain' });
    expect(calls).toBe(2);
    await clock.advance(30_000);
    await again.pem({ path: 'p', name: 'plain' });
    expect(calls).toBe(3);
  });
});
