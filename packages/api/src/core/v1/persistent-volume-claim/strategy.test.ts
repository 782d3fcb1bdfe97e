import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../../features/feature-gates.ts';
import type { PersistentVolumeClaim } from '../../../generated/core/v1.ts';
import { persistentVolumeClaimStrategy } from './strategy.ts';

const context = (enabled: boolean) => ({
  features: new FeatureGates({ CrossNamespaceVolumeDataSource: enabled }),
  namespace: 'default',
  now: () => new Date(0),
});
const claim = (): PersistentVolumeClaim => ({
  metadata: { name: 'claim' },
  spec: { dataSourceRef: { apiGroup: 'example.com', kind: 'Copy', name: 'c', namespace: 'other' } },
});

describe('a data source in another namespace', () => {
  it('is kept while the feature is on, and not copied to dataSource', () => {
    const object = claim();
    persistentVolumeClaimStrategy.prepareForCreate!(object, context(true));
    expect(object).toEqual(claim());
  });

  it('is dropped while the feature is off', () => {
    const object = claim();
    persistentVolumeClaimStrategy.prepareForCreate!(object, context(false));
    expect(object.spec?.dataSourceRef).toBeUndefined();
  });

  it('is kept while the feature is off if the old claim has it', () => {
    const object = claim();
    persistentVolumeClaimStrategy.prepareForUpdate!(object, claim(), context(false));
    expect(object).toEqual(claim());
  });

  it('cannot be combined with dataSource', () => {
    const object = claim();
    object.spec!.dataSource = { kind: 'PersistentVolumeClaim', name: 'a' };
    const errors = persistentVolumeClaimStrategy.validate!(object, context(true));
    expect(errors.map(String)).toContain(
      'spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified',
    );
  });
});
