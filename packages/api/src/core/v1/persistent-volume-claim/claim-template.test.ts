import { Path } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { validatePersistentVolumeClaimTemplate } from './claim-template.ts';

const path = Path.of('volumeClaimTemplate');
const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };

describe('a claim template', () => {
  it('may have labels and annotations', () => {
    const metadata = { labels: { a: 'b' }, annotations: { c: 'd' } };
    expect(validatePersistentVolumeClaimTemplate({ metadata, spec }, path)).toEqual([]);
  });

  it('must not have other metadata, and its spec is validated like that of a claim', () => {
    const metadata = { name: 'x', uid: 'y', finalizers: ['z/z'], labels: { a: '-' } };
    const errors = validatePersistentVolumeClaimTemplate({ metadata, spec: { ...spec, accessModes: [] } }, path);
    expect(errors.map(({ field, type }) => `${field} ${type}`)).toEqual([
      'volumeClaimTemplate.metadata.labels FieldValueInvalid',
      'volumeClaimTemplate.metadata.name FieldValueForbidden',
      'volumeClaimTemplate.metadata.uID FieldValueForbidden',
      'volumeClaimTemplate.metadata.finalizers FieldValueForbidden',
      'volumeClaimTemplate.spec.accessModes FieldValueRequired',
    ]);
  });
});
