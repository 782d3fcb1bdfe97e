import { expect, it } from 'vitest';
import { exampleType } from './example-types.test-data.ts';
import { explainConversion } from './explain-conversion.ts';
import { NumberLiteral } from './number-literal.ts';

// Recorded: the messages of a kube-apiserver for strategic merge patches with these values.
it.each<[type: string, value: unknown, message: string | undefined]>([
  ['core.v1.Secret', { data: [] }, 'cannot restore map from slice'],
  ['core.v1.Secret', { data: { a: 1 } }, 'cannot restore slice from int64'],
  ['core.v1.Secret', { data: { a: '%%' } }, 'error decoding from json: illegal base64 data at input byte 0'],
  ['core.v1.Secret', { data: { a: [1, 2] } }, undefined],
  ['core.v1.Secret', { type: 1 }, 'cannot convert int64 to v1.SecretType'],
  ['core.v1.Secret', { type: 1.5 }, 'unrecognized type: string'],
  ['core.v1.Secret', { immutable: 'yes' }, 'unrecognized type: bool'],
  ['core.v1.Secret', { stringData: { a: {} }, immutable: 1 }, 'unrecognized type: bool'],
  ['core.v1.Secret', { metadata: 'x' }, 'cannot restore struct from: string'],
  ['core.v1.Secret', { metadata: { finalizers: 'x' } }, 'cannot restore slice from string'],
  ['core.v1.Secret', { metadata: { ownerReferences: [{ uid: 1 }] } }, 'cannot convert int64 to types.UID'],
  [
    'core.v1.Secret',
    { metadata: { creationTimestamp: 'x' } },
    'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ],
  [
    'core.v1.Secret',
    { metadata: { creationTimestamp: 5 } },
    'json: cannot unmarshal number into Go value of type string',
  ],
  ['core.v1.Secret', { metadata: null, unknown: 1 }, undefined],
  [
    'policy.v1.PodDisruptionBudget',
    { spec: { minAvailable: {} } },
    'json: cannot unmarshal object into Go value of type int32',
  ],
  [
    'policy.v1.PodDisruptionBudget',
    { spec: { unhealthyPodEvictionPolicy: 1 } },
    'cannot convert int64 to v1.UnhealthyPodEvictionPolicyType',
  ],
  ['coordination.v1.Lease', { spec: { leaseDurationSeconds: 'x' } }, 'unrecognized type: int32'],
  ['coordination.v1.Lease', { spec: { leaseDurationSeconds: 1.5 } }, 'cannot convert float64 to int32'],
  ['coordination.v1.Lease', { spec: { leaseDurationSeconds: new NumberLiteral('2.0') } }, undefined],
  ['coordination.v1.Lease', { spec: { holderIdentity: true } }, 'unrecognized type: string'],
])('%s from %j: %s', (type, value, message) => {
  expect(explainConversion(exampleType(type), value)).toBe(message);
});
