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

describe('a source in another namespace', () => {
  it('stays where the feature is on, and is not the older field', () => {
    const object = claim();
    persistentVolumeClaimStrategy.prepareForCreate!(object, context(true));
    expect(object).toEqual(claim());
  });

  it('is dropped where it is off', () => {
    const object = claim();
    persistentVolumeClaimStrategy.prepareForCreate!(object, context(false));
    expect(object.spec?.dataSourceRef).toBeUndefined();
  });

  it('stays where it is off if it was there before', () => {
    const object = claim();
    persistentVolumeClaimStrategy.prepareForUpdate!(object, claim(), context(false));
    expect(object).toEqual(claim());
  });

  it('does not go with the older field', () => {
    const object = claim();
    object.spec!.dataSource = { kind: 'PersistentVolumeClaim', name: 'a' };
    const errors = persistentVolumeClaimStrategy.validate!(object, context(true));
    expect(errors.map(String)).toContain(
      'spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified',
    );
  });
});
