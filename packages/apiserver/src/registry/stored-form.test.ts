import { Catalogue, newScheme, strategyFor } from '@coxswain/api';
import { GroupVersion, type KubernetesObject } from '@coxswain/apimachinery';
import { expect, it } from 'vitest';
import { compileStoredForm } from './stored-form.ts';

function storedForm(apiVersion: string, kind: string, content: object, isNew = true): object {
  const hub = GroupVersion.parse(apiVersion).withKind(kind);
  const { schema } = Catalogue.builtIn().kind(hub)!;
  const object = { apiVersion, kind, metadata: {}, ...content } as KubernetesObject;
  const {
    apiVersion: _,
    kind: __,
    metadata: ___,
    ...rest
  } = compileStoredForm(hub, schema, strategyFor(hub) ?? {}, newScheme())(object, isNew);
  return rest;
}

// The expected values are the responses of kube-apiserver to creates of these objects.
it.each<[sentence: string, apiVersion: string, kind: string, content: object, expected: object]>([
  ['a status that is always written', 'apps/v1', 'ReplicaSet', {}, { status: { replicas: 0 } }],
  ['a status with a default', 'v1', 'PersistentVolumeClaim', {}, { status: { phase: 'Pending' } }],
  ['lists without items', 'rbac.authorization.k8s.io/v1', 'ClusterRole', { rules: [] }, { rules: null }],
  [
    'fields of a status that a strategy omitted',
    'v1',
    'Pod',
    { status: { conditions: [{ type: 'PodScheduled', status: 'False' }] } },
    {
      status: {
        conditions: [{ type: 'PodScheduled', status: 'False', lastProbeTime: null, lastTransitionTime: null }],
      },
    },
  ],
  [
    'nothing for kinds that upstream stores as JSON',
    'apiregistration.k8s.io/v1',
    'APIService',
    { spec: {}, status: {} },
    { spec: {}, status: {} },
  ],
])('completes %s', (_, apiVersion, kind, content, expected) => {
  expect(storedForm(apiVersion, kind, content)).toEqual(expected);
});

it('does not change the rest', () => {
  const status = { replicas: 1 };
  expect(storedForm('apps/v1', 'ReplicaSet', { status }, false)).toEqual({ status });
});
