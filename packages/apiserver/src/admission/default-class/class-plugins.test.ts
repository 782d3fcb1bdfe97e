import { describe, expect, it } from 'vitest';
import { podGroupProtection, storageObjectInUseProtection } from '../in-use-protection.ts';
import { persistentVolumeClaimResize } from '../persistent-volume-claim-resize.ts';
import { admit, newContext, type TestWrite } from '../plugin-runner.test-data.ts';
import { priority } from '../pod/priority.ts';
import { defaultIngressClass } from './default-ingress-class.ts';
import { defaultStorageClass } from './default-storage-class.ts';

const storageClass = (
  name: string,
  creationTimestamp: string,
  mark = 'storageclass.kubernetes.io/is-default-class',
) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, creationTimestamp, annotations: { [mark]: 'true' } },
  allowVolumeExpansion: true,
});
const ingressClass = (name: string, creationTimestamp: string) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name, creationTimestamp, annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
});
const early = '2026-01-01T00:00:00Z';
const late = '2026-01-02T00:00:00Z';

describe('the default class', () => {
  const claim: TestWrite = { send: 'CREATE v1 persistentvolumeclaims PersistentVolumeClaim', object: { metadata: {} } };
  const storage: Record<string, [object[], string | undefined]> = {
    'none when no class is marked': [[], undefined],
    'the newest': [[storageClass('a', early), storageClass('b', late), storageClass('c', early)], 'b'],
    'the first by name of those with one creation time': [[storageClass('b', early), storageClass('a', early)], 'a'],
    'with the beta annotation': [
      [storageClass('a', early, 'storageclass.beta.kubernetes.io/is-default-class'), storageClass('b', late, 'other')],
      'a',
    ],
  };
  it.each(Object.entries(storage))('of storage: %s', async (_, [classes, expected]) => {
    const admitted = await admit(defaultStorageClass(newContext(classes)), claim);
    expect(admitted).toEqual({ metadata: {}, ...(expected && { spec: { storageClassName: expected } }) });
  });

  it('of ingresses', async () => {
    const plugin = defaultIngressClass(newContext([ingressClass('a', early), ingressClass('b', late)]));
    const send = 'CREATE networking.k8s.io/v1 ingresses Ingress';
    expect(await admit(plugin, { send, object: { metadata: {} } })).toEqual({
      metadata: {},
      spec: { ingressClassName: 'b' },
    });
    const own = { metadata: {}, spec: { ingressClassName: 'own' } };
    expect(await admit(plugin, { send, object: own })).toEqual(own);
  });
});

describe('an expanded claim', () => {
  const claim = (size: string, storageClassName?: string, phase = 'Bound') => ({
    metadata: { name: 'c' },
    spec: { resources: { requests: { storage: size } }, ...(storageClassName && { storageClassName }) },
    status: { phase },
  });
  const fixed = { ...storageClass('fixed', early), allowVolumeExpansion: false };
  const refused =
    'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  const cases: Record<string, [object, object, unknown]> = {
    'of a class that allows it': [claim('2Gi', 'a'), claim('1Gi', 'a'), claim('2Gi', 'a')],
    'of a class that does not allow it': [claim('2Gi', 'fixed'), claim('1Gi', 'fixed'), refused],
    'of a missing class': [claim('2Gi', 'lost'), claim('1Gi', 'lost'), refused],
    'without a class': [claim('2Gi'), claim('1Gi'), refused],
    'with a changed class': [claim('2Gi', 'a'), claim('1Gi', 'fixed'), refused],
    'without a volume': [
      claim('2Gi', 'a'),
      claim('1Gi', 'a', 'Pending'),
      'persistentvolumeclaims "c" is forbidden: Only bound persistent volume claims can be expanded',
    ],
    'with an equal size': [claim('1024Mi', 'lost'), claim('1Gi', 'lost'), claim('1024Mi', 'lost')],
  };
  it.each(Object.entries(cases))('%s', async (_, [object, oldObject, expected]) => {
    const plugin = persistentVolumeClaimResize(newContext([storageClass('a', early), fixed]));
    const write: TestWrite = { send: 'UPDATE v1 persistentvolumeclaims PersistentVolumeClaim', object, oldObject };
    expect(await admit(plugin, write)).toEqual(expected);
  });
});

describe('protection finalizers', () => {
  it('are added by resource', async () => {
    const plugin = storageObjectInUseProtection();
    const object = { metadata: { finalizers: ['own'] } };
    const finalizers = async (send: TestWrite['send']) =>
      ((await admit(plugin, { send, object })) as typeof object).metadata.finalizers;
    expect(await finalizers('CREATE v1 persistentvolumes PersistentVolume')).toEqual([
      'own',
      'kubernetes.io/pv-protection',
    ]);
    expect(await finalizers('CREATE v1 persistentvolumeclaims PersistentVolumeClaim')).toEqual([
      'own',
      'kubernetes.io/pvc-protection',
    ]);
    expect(await finalizers('CREATE storage.k8s.io/v1 volumeattributesclasses VolumeAttributesClass')).toEqual([
      'own',
      'kubernetes.io/vac-protection',
    ]);
    expect(await finalizers('CREATE v1 configmaps ConfigMap')).toEqual(['own']);
  });

  it('are added to pod groups only with the feature gate', async () => {
    const write: TestWrite = { send: 'CREATE scheduling.k8s.io/v1alpha2 podgroups PodGroup', object: { metadata: {} } };
    expect(await admit(podGroupProtection(newContext()), write)).toEqual({ metadata: {} });
    expect(await admit(podGroupProtection(newContext([], { features: { GenericWorkload: true } })), write)).toEqual({
      metadata: { finalizers: ['scheduling.k8s.io/podgroup-protection'] },
    });
  });
});

describe('Priority', () => {
  const priorityClass = (name: string, value: number, more: object = {}) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    ...more,
  });
  it('uses the lowest of several defaults', async () => {
    const classes = [
      priorityClass('a', 7, { globalDefault: true }),
      priorityClass('b', 5, { globalDefault: true, preemptionPolicy: 'Never' }),
      priorityClass('c', 1),
    ];
    const plugin = priority(newContext(classes));
    expect(await admit(plugin, { send: 'CREATE v1 pods Pod', object: { metadata: {}, spec: {} } })).toEqual({
      metadata: {},
      spec: { priorityClassName: 'b', priority: 5, preemptionPolicy: 'Never' },
    });
  });

  it('of a class without a preemption policy keeps that of the pod', async () => {
    const plugin = priority(newContext([priorityClass('c', 1)]));
    const spec = { priorityClassName: 'c', preemptionPolicy: 'Never' };
    expect(await admit(plugin, { send: 'CREATE v1 pods Pod', object: { metadata: {}, spec } })).toEqual({
      metadata: {},
      spec: { ...spec, priority: 1 },
    });
  });

  it('of pod groups must equal the computed one', async () => {
    const plugin = priority(newContext([priorityClass('c', 1)], { features: { WorkloadAwarePreemption: true } }));
    const send = 'CREATE scheduling.k8s.io/v1alpha2 podgroups PodGroup';
    const group = (spec: object) => ({ metadata: { name: 'g' }, spec });
    expect(await admit(plugin, { send, object: group({ priorityClassName: 'c' }) })).toEqual(
      group({ priorityClassName: 'c', priority: 1 }),
    );
    expect(await admit(plugin, { send, object: group({ priority: 3 }) })).toBe(
      'podgroups.scheduling.k8s.io "g" is forbidden: priority set in the pod group (3) must match the priority computed (0) based on the priority class set in the spec',
    );
  });
});
