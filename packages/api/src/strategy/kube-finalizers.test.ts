import { expect, it } from 'vitest';
import { validateKubeFinalizers } from './kube-finalizers.ts';

it.each<[apiVersion: string, finalizer: string, isValid: boolean]>([
  ['v1', 'example.com/x', true],
  ['v1', 'orphan', true],
  ['v1', 'kubernetes', true],
  ['v1', 'mine', false],
  ['apps/v1', 'mine', false],
  ['coordination.k8s.io/v1', 'mine', true],
  ['policy/v1', 'mine', true],
])('of %s: %s: %s', (apiVersion, finalizer, isValid) => {
  const errors = validateKubeFinalizers({ apiVersion, metadata: { finalizers: ['example.com/first', finalizer] } });
  expect(errors.map(String)).toEqual(
    isValid
      ? []
      : [
          `metadata.finalizers[1]: Invalid value: "${finalizer}": name is neither a standard finalizer name nor is it fully qualified`,
        ],
  );
});
