import type { Pod, Toleration } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, creates, newContext, pod, type TestWrite, updates } from '../plugin-runner.test-data.ts';
import { alwaysPullImages } from './always-pull-images.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import { podNodeSelector } from './pod-node-selector.ts';
import { podTolerationRestriction } from './pod-toleration-restriction.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import { runtimeClass } from './runtime-class.ts';
import { areAllowed, mergeTolerations } from './tolerations.ts';

const namespace = (annotations: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns', annotations },
});
const specOf = (admitted: unknown): Pod['spec'] | string =>
  typeof admitted === 'string' ? admitted : (admitted as Pod).spec;

describe('tolerations', () => {
  const toleration: fc.Arbitrary<Toleration> = fc.record(
    {
      key: fc.constantFrom('a', 'b', ''),
      operator: fc.constantFrom('Exists' as const, 'Equal' as const),
      value: fc.constantFrom('x', 'y'),
      effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const),
      tolerationSeconds: fc.constantFrom(1, 2),
    },
    { requiredKeys: ['operator'] },
  );
  const tolerations = fc.array(toleration, { maxLength: 5 });

  it('are equivalent when they are merged', () => {
    fc.assert(
      fc.property(tolerations, tolerations, (first, second) => {
        const merged = mergeTolerations(first, second);
        const all = [...first, ...second];
        expect(all).toEqual(expect.arrayContaining(merged));
        if (all.length > 0) expect(areAllowed(all, merged)).toBe(true);
        expect(mergeTolerations(merged, [])).toEqual(merged);
      }),
    );
  });

  const exists: Toleration = { key: 'a', operator: 'Exists' };
  const allowed: Record<string, [Toleration, Toleration, boolean]> = {
    'an equal toleration': [exists, exists, true],
    'one of its values': [{ key: 'a', operator: 'Equal', value: 'x' }, exists, true],
    'another key': [{ key: 'b', operator: 'Exists' }, exists, false],
    'any key': [exists, { operator: 'Exists' }, true],
    'another effect': [{ ...exists, effect: 'NoSchedule' }, { ...exists, effect: 'NoExecute' }, false],
    'a shorter time': [
      { ...exists, effect: 'NoExecute', tolerationSeconds: 1 },
      { ...exists, effect: 'NoExecute', tolerationSeconds: 2 },
      true,
    ],
    'an unlimited time': [
      { ...exists, effect: 'NoExecute' },
      { ...exists, effect: 'NoExecute', tolerationSeconds: 2 },
      false,
    ],
    'another value': [{ key: 'a', operator: 'Equal', value: 'x' }, { key: 'a', operator: 'Equal', value: 'y' }, false],
    'all values when one is allowed': [exists, { key: 'a', operator: 'Equal', value: 'y' }, false],
  };
  it.each(Object.entries(allowed))('are allowed or not: %s', (_, [own, other, expected]) => {
    expect(areAllowed([own], [other])).toBe(expected);
  });

  it('for failed nodes have the duration of the flags', async () => {
    const plugin = defaultTolerationSeconds({ notReady: 1, unreachable: 2 });
    const added = { operator: 'Exists', effect: 'NoExecute' };
    const both = [
      { key: 'node.kubernetes.io/not-ready', ...added, tolerationSeconds: 1 },
      { key: 'node.kubernetes.io/unreachable', ...added, tolerationSeconds: 2 },
    ];
    expect(await admit(plugin, creates(pod()))).toEqual(pod({ tolerations: both }));
    expect(await admit(plugin, updates(pod({ tolerations: [exists] }), pod()))).toEqual(
      pod({ tolerations: [exists, ...both] }),
    );
    const all = pod({ tolerations: [{ operator: 'Exists' }] });
    expect(await admit(plugin, creates(all))).toEqual(all);
  });

  it('of extended resources are added for requests', async () => {
    const asks = (...names: string[]) => ({
      name: 'c',
      resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) },
    });
    const gpu = { key: 'a.example/gpu', operator: 'Exists', effect: 'NoSchedule' };
    const own = { ...gpu, tolerationSeconds: 3 };
    const spec = {
      initContainers: [asks('b.example/x')],
      containers: [asks('a.example/gpu', 'cpu', 'kubernetes.io/own')],
      tolerations: [own],
    };
    expect(await admit(extendedResourceToleration(), creates(pod(spec)))).toEqual(
      pod({ ...spec, tolerations: [gpu, { ...gpu, key: 'b.example/x' }] }),
    );
    expect(await admit(extendedResourceToleration(), creates(pod()))).toEqual(pod());
  });
});

describe('PodTolerationRestriction', () => {
  const a = { key: 'a', operator: 'Exists' };
  const b = { key: 'b', operator: 'Exists' };
  const key = (name: string) => `scheduler.alpha.kubernetes.io/${name}`;
  const conflict = (scope: string) =>
    `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;
  const burstable = pod({ containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] });
  const cases: Record<string, [Record<string, string>, TestWrite, unknown]> = {
    'adds the default tolerations of the file': [{}, creates(pod()), { tolerations: [a] }],
    'adds the default tolerations of the namespace': [
      { [key('defaultTolerations')]: JSON.stringify([b]), [key('tolerationsWhitelist')]: '' },
      creates(pod()),
      { tolerations: [b] },
    ],
    'adds none when the annotation is empty': [{ [key('defaultTolerations')]: '' }, creates(pod()), {}],
    'adds default tolerations only on create': [{}, updates(pod(), pod()), {}],
    'rejects tolerations outside the whitelist of the file': [
      {},
      creates(pod({ tolerations: [b] })),
      conflict('cluster'),
    ],
    'rejects tolerations outside the whitelist of the namespace': [
      { [key('tolerationsWhitelist')]: JSON.stringify([b]) },
      creates(pod()),
      conflict('namespace'),
    ],
    'adds a toleration of memory pressure to pods with requests': [
      { [key('tolerationsWhitelist')]: '' },
      updates(burstable, burstable),
      { tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }] },
    ],
    'rejects an invalid annotation': [
      { [key('defaultTolerations')]: '{}' },
      creates(pod()),
      'tolerations must be a list of objects',
    ],
  };
  it.each(Object.entries(cases))('%s', async (_, [annotations, write, expected]) => {
    const configuration = { default: [a as Toleration], whitelist: [a as Toleration] };
    const plugin = podTolerationRestriction(newContext([namespace(annotations)]), configuration);
    const spec = specOf(await admit(plugin, write));
    if (typeof expected === 'string') expect(spec).toBe(expected);
    else expect(spec).toEqual({ ...(write.object as Pod).spec, ...(expected as object) });
  });
});

describe('PodNodeSelector', () => {
  const key = 'scheduler.alpha.kubernetes.io/node-selector';
  const conflict = 'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector';
  const cases: Record<string, [Record<string, string>, [string, string][], object, unknown]> = {
    'no selectors': [{}, [], {}, undefined],
    'the selector of the namespace': [{ [key]: 'a=b, c=d' }, [], { e: 'f' }, { a: 'b', c: 'd', e: 'f' }],
    'the default selector of the file': [{}, [['clusterDefaultNodeSelector', 'a=b']], {}, { a: 'b' }],
    'an empty selector of the namespace': [
      { [key]: '' },
      [['clusterDefaultNodeSelector', 'a=b']],
      { c: 'd' },
      { c: 'd' },
    ],
    'a pod selector that conflicts with the namespace': [{ [key]: 'a=b' }, [], { a: 'c' }, conflict],
    'a pod selector within the whitelist': [{}, [['ns', 'a=b,c=d']], { a: 'b' }, { a: 'b' }],
    'a pod selector outside the whitelist': [
      {},
      [['ns', 'a=b,c=d']],
      { a: 'c' },
      'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    ],
    'an invalid selector of the namespace': [{ [key]: 'a==b' }, [], {}, 'invalid selector: [a  b]'],
  };
  it.each(Object.entries(cases))('%s', async (_, [annotations, configuration, nodeSelector, expected]) => {
    const plugin = podNodeSelector(newContext([namespace(annotations)]), new Map(configuration));
    const given = Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {};
    const spec = specOf(await admit(plugin, creates(pod(given))));
    expect(typeof spec === 'string' ? spec : spec?.nodeSelector).toEqual(expected);
  });
});

describe('AlwaysPullImages', () => {
  const pulled = (image: string, imagePullPolicy?: string) => ({ name: 'c', image, imagePullPolicy });
  it('changes pods with a new image', async () => {
    const old = pod({ containers: [pulled('a', 'Never')] });
    const next = pod({ containers: [pulled('b', 'Never')] });
    expect(await admit(alwaysPullImages(), updates(next, old))).toEqual(pod({ containers: [pulled('b', 'Always')] }));
    expect(await admit(alwaysPullImages(), updates(old, old))).toEqual(old);
  });

  it('validates changes of later plug-ins', async () => {
    const { admit: _, ...judging } = alwaysPullImages();
    const spec = {
      containers: [pulled('a', 'Never')],
      volumes: [{ name: 'v', image: { pullPolicy: 'IfNotPresent' } }],
    };
    expect(await admit(judging, creates(pod(spec)))).toBe(
      '[pods "p" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always", pods "p" is forbidden: spec.volumes[0].image.pullPolicy: Unsupported value: "IfNotPresent": supported values: "Always"]',
    );
  });
});

describe('RuntimeClass', () => {
  const runtime = (more: object) => ({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'r' },
    ...more,
  });
  it('without overhead does not change a pod', async () => {
    const plugin = runtimeClass(newContext([runtime({})]));
    const own = pod({ runtimeClassName: 'r' });
    expect(await admit(plugin, creates(own))).toEqual(own);
    expect(await admit(plugin, creates(pod({ runtimeClassName: 'r', overhead: { cpu: '1' } })))).toBe(
      'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  });
});

describe('PodTopologyLabels', () => {
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z', a: 'b' } },
  };
  const binding: TestWrite = {
    send: 'CREATE v1 pods/binding Binding',
    object: { metadata: {}, target: { kind: 'Node', name: 'n' } },
  };
  it('are copied from the node, also to a binding', async () => {
    const plugin = podTopologyLabels(newContext([node]));
    expect(await admit(plugin, creates(pod({ nodeName: 'n' }, { labels: { c: 'd' } })))).toEqual(
      pod({ nodeName: 'n' }, { labels: { c: 'd', 'topology.kubernetes.io/zone': 'z' } }),
    );
    expect(await admit(plugin, binding)).toMatchObject({
      metadata: { labels: { 'topology.kubernetes.io/zone': 'z' } },
    });
    expect(await admit(plugin, creates(pod({ nodeName: 'lost' })))).toEqual(pod({ nodeName: 'lost' }));
  });

  it('are not copied when the feature is off', async () => {
    const plugin = podTopologyLabels(newContext([node], { features: { PodTopologyLabelsAdmission: false } }));
    expect(await admit(plugin, binding)).toEqual(binding.object);
  });
});
