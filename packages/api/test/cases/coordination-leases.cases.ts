import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const object = (kind: string, name: string, spec: object, version: string): Base => ({
  object: { apiVersion: `coordination.k8s.io/${version}`, kind, metadata: { name }, spec },
});
const create =
  (base: string) =>
  (changes: Record<string, unknown>): Case => ({ create: base, change: edit(changes) });
const lease = create('lease');
const candidate = create('candidate');
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });
const running = {
  leaseName: 'scheduler',
  binaryVersion: '1.36.4',
  emulationVersion: '1.35.0',
  strategy: 'OldestEmulationVersion',
};
const versions = (binaryVersion: unknown, emulationVersion: unknown) =>
  candidate({ 'spec.binaryVersion': binaryVersion, 'spec.emulationVersion': emulationVersion });

export const suite: CaseSuite = {
  features: { CoordinatedLeaderElection: true },
  bases: {
    lease: object('Lease', 'lease', { holderIdentity: 'me', leaseDurationSeconds: 15, leaseTransitions: 0 }, 'v1'),
    empty: object('Lease', 'empty', {}, 'v1'),
    candidate: object('LeaseCandidate', 'candidate', running, 'v1beta1'),
    alpha: object('LeaseCandidate', 'alpha', running, 'v1alpha2'),
  },
  cases: {
    'a lease needs nothing': lease({ spec: undefined }),
    'times of a lease are kept': lease({
      'spec.acquireTime': '2026-01-01T00:00:00.123456Z',
      'spec.renewTime': '2026-01-01T02:00:00.000000+02:00',
    }),
    'a lease may name a strategy and a holder': lease({
      'spec.strategy': 'OldestEmulationVersion',
      'spec.preferredHolder': 'you',
    }),
    'a lease may name a strategy of its own': lease({ 'spec.strategy': 'example.com/Youngest' }),
    'a bad lease is refused': lease({
      'spec.leaseDurationSeconds': 0,
      'spec.leaseTransitions': -1,
      'spec.strategy': 'Youngest',
      'spec.preferredHolder': 'you',
    }),
    'a holder can be preferred only by a strategy': lease({ 'spec.preferredHolder': 'you' }),
    'an empty strategy is none': lease({ 'spec.strategy': '', 'spec.preferredHolder': 'you' }),
    'a bad strategy of its own is refused': lease({ 'spec.strategy': 'a b/c d/e' }),
    'a lease can be renewed': update('lease', {
      'spec.renewTime': '2026-01-01T00:00:15.500000Z',
      'spec.leaseTransitions': 1,
    }),
    'a lease cannot become bad': update('lease', { 'spec.leaseDurationSeconds': -1, 'metadata.labels': { 'a b': '' } }),
    'a lease is shown with its holder': { table: 'lease' },
    'a lease that nobody holds is shown': { table: 'empty' },

    'a candidate is taken': candidate({ 'spec.pingTime': '2026-01-01T00:00:00.000000Z' }),
    'a candidate of the alpha version is taken': create('alpha')({}),
    'a candidate must say all': candidate({ spec: {} }),
    'names of candidates are those of keys': candidate({ 'metadata.name': 'A_b.c-' }),
    'bad names of candidates are refused': candidate({ 'metadata.name': '..a b' }),
    'versions must be semantic': versions('1.36', 'v1.35.0'),
    'a version has no leading zeros': versions('01.2.3', '1.2.3-01'),
    'a version may have prerelease and build': versions('1.36.0-rc.1+x.01', '1.36.0-beta.10+y'),
    'nobody acts as what they are not yet': versions('1.34.0', '1.35.0'),
    'a prerelease is before its release': versions('1.36.0-rc.1', '1.36.0'),
    'prereleases have an order': versions('1.36.0-rc.2', '1.36.0-rc.10'),
    'words come after numbers': versions('1.36.0-1', '1.36.0-a'),
    'more words come later': versions('1.36.0-a', '1.36.0-a.b'),
    'the strategy needs the version acted as': versions('1.36.0', undefined),
    'the strategy needs a version that is not zero': versions('1.36.0', '0.0.0'),
    'a bad version counts as zero': versions('x', '1.0.0'),
    'other strategies need no version acted as': candidate({
      'spec.strategy': 'example.com/x',
      'spec.emulationVersion': undefined,
    }),
    'unknown strategies are refused': candidate({ 'spec.strategy': 'Youngest' }),
    'a candidate can change its versions': update('candidate', { 'spec.binaryVersion': '1.37.0' }),
    'a candidate stands for one lease': update('candidate', { 'spec.leaseName': 'other', 'spec.strategy': 'x' }),
    'a candidate of the alpha version stands for one lease': update('alpha', { 'spec.leaseName': '' }),
    'a candidate is shown': { table: 'candidate' },
  },
};
