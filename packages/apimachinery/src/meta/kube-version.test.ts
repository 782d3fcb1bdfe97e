import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareKubeVersions } from './kube-version.ts';

// As upstream sorts them.
const mostPreferredFirst = [
  'v10',
  'v2',
  'v1',
  'v2beta1',
  'v1beta2',
  'v1beta1',
  'v11alpha2',
  'v10alpha1',
  'v1alpha1',
  'V1',
  'bar',
  'foo',
  'v',
  'v1gamma',
  'v99999999999999999999',
];

it('prefers stable to beta to alpha to everything else', () => {
  const shuffled = [...mostPreferredFirst].sort();
  expect(shuffled.sort((a, b) => compareKubeVersions(b, a))).toEqual(mostPreferredFirst);
});

it('is a consistent order', () => {
  const version = fc.oneof(
    fc.constantFrom(...mostPreferredFirst, ''),
    fc.stringMatching(/^v[0-9]{1,2}((alpha|beta)[0-9]{1,2})?$/),
  );
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(Math.sign(compareKubeVersions(a, b))).toBe(-Math.sign(compareKubeVersions(b, a)) + 0);
      if (compareKubeVersions(a, b) >= 0 && compareKubeVersions(b, c) >= 0) {
        expect(compareKubeVersions(a, c)).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

it('treats v01 and v1 as equal', () => {
  expect(compareKubeVersions('v01', 'v1')).toBe(0);
});
