import type { Container, Pod, PodSpec, PodStatus } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostPortsOf } from './host-ports.ts';
import { podResources } from './pod-requests.ts';

const mebibyte = 1024 * 1024;
const container = (cpu?: string, memory?: string, more: Partial<Container> = {}): Container => ({
  name: 'c',
  resources: { requests: { ...(cpu && { cpu }), ...(memory && { memory }) } },
  ...more,
});
const sidecar = (cpu: string): Container => container(cpu, undefined, { restartPolicy: 'Always' });
const taken = (spec: PodSpec, status: PodStatus = {}): [cpu: number, memory: number, cpu: number, memory: number] => {
  const pod: Pod = { metadata: { name: 'p' }, spec, status };
  const { requests, nonZeroCPU, nonZeroMemory } = podResources(pod);
  return [requests.milliCPU, requests.memory / mebibyte, nonZeroCPU, nonZeroMemory / mebibyte];
};

describe('a pod uses of a node', () => {
  it.each<[string, PodSpec, ReturnType<typeof taken>]>([
    [
      'the sum of the requests of its containers',
      { containers: [container('1', '1Gi'), container('500m', '1Gi')] },
      [1500, 2048, 1500, 2048],
    ],
    [
      'nothing without requests, but default amounts for scoring',
      { containers: [container(), container()] },
      [0, 0, 200, 400],
    ],
    [
      'default amounts only for missing requests',
      { containers: [container('0'), container(undefined, '1Gi')] },
      [0, 1024, 100, 1224],
    ],
    [
      'fractions added before rounding',
      { containers: [container('100m', '500m'), container('100m', '500m')] },
      [200, 1 / mebibyte, 200, 1 / mebibyte],
    ],
    [
      'the largest request of an init container',
      { containers: [container('1', '1')], initContainers: [container('3', '1'), container('2', '1')] },
      [3000, 1 / mebibyte, 3000, 1 / mebibyte],
    ],
    [
      'the sum of sidecars and containers',
      { containers: [container('1')], initContainers: [sidecar('500m')] },
      [1500, 0, 1500, 400],
    ],
    [
      'the sum of an init container and the sidecars before it',
      { containers: [container('1')], initContainers: [sidecar('2'), container('4'), sidecar('3')] },
      [6000, 0, 6000, 600],
    ],
    [
      'its overhead in addition',
      { containers: [container('1', '1Gi')], overhead: { cpu: '250m', memory: '1Gi' } },
      [1250, 2048, 1250, 2048],
    ],
    [
      'its pod-level requests instead',
      { containers: [container('1', '1Gi')], resources: { requests: { cpu: '4' } } },
      [4000, 1024, 4000, 1024],
    ],
    [
      'default amounts for what neither pod nor containers request',
      { containers: [container()], resources: { requests: { cpu: '4' } } },
      [4000, 0, 4000, 200],
    ],
  ])('%s', (_, spec, expected) => {
    expect(taken(spec)).toEqual(expected);
  });

  const resizing = (conditions: PodStatus['conditions'] = []): PodStatus => ({
    conditions,
    containerStatuses: [
      {
        name: 'c',
        image: '',
        imageID: '',
        ready: true,
        restartCount: 0,
        resources: { requests: { cpu: '1', memory: '3Gi' } },
        allocatedResources: { cpu: '2', memory: '2Gi' },
      },
    ],
  });

  it('the maximum of requested, allocated and actual resources while it is resized', () => {
    expect(taken({ containers: [container('500m', '4Gi')] }, resizing())).toEqual([2000, 4096, 2000, 4096]);
  });

  it('not the requested resources when the resize is infeasible', () => {
    const infeasible = resizing([{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }]);
    expect(taken({ containers: [container('9', '9Gi')] }, infeasible)).toEqual([2000, 3072, 2000, 3072]);
    const deferred = resizing([{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }]);
    expect(taken({ containers: [container('9', '9Gi')] }, deferred)).toEqual([9000, 9216, 9000, 9216]);
  });

  it('the maximum of its pod-level resources while these are resized', () => {
    const spec: PodSpec = { containers: [container('1', '1Gi')], resources: { requests: { cpu: '2' } } };
    const status: PodStatus = { resources: { requests: { cpu: '3' } }, allocatedResources: { cpu: '4' } };
    expect(taken(spec, status)).toEqual([4000, 1024, 4000, 1024]);
  });
});

/** Informers share the containers between pods of a workload. */
it('is computed for pods that share containers as for each pod alone', () => {
  const amount = fc.constantFrom(undefined, '0', '100m', '1', '2Gi');
  const one = fc
    .tuple(amount, amount, fc.boolean(), fc.constantFrom(undefined, 80, 443))
    .map(([cpu, memory, isSidecar, hostPort]) =>
      container(cpu, memory, {
        ...(isSidecar && { restartPolicy: 'Always' }),
        ...(hostPort && { ports: [{ containerPort: 1, hostPort }] }),
      }),
    );
  const containers = fc.array(one, { maxLength: 3 });
  const status: fc.Arbitrary<PodStatus> = fc.constantFrom(
    {},
    { containerStatuses: [{ name: 'c', image: '', imageID: '', ready: true, restartCount: 0 }] },
    {
      containerStatuses: [
        { name: 'c', image: '', imageID: '', ready: true, restartCount: 0, resources: { requests: { cpu: '7' } } },
      ],
    },
    { resources: { requests: { cpu: '9' } } },
  );
  const more: fc.Arbitrary<Partial<PodSpec>> = fc.record(
    {
      initContainers: containers,
      overhead: fc.constant({ cpu: '250m' }),
      resources: fc.constantFrom({}, { requests: { cpu: '8' } }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(containers, fc.array(fc.tuple(more, status), { maxLength: 4 }), (shared, pods) => {
      for (const [spec, state] of pods) {
        const pod: Pod = { metadata: { name: 'p' }, spec: { ...spec, containers: shared }, status: state };
        // Empty overhead changes nothing in the result, but prevents the use of the shared result.
        const alone = structuredClone({ ...pod, spec: { overhead: {}, ...pod.spec, containers: shared } });
        expect(podResources(pod)).toEqual(podResources(alone));
        expect(hostPortsOf(pod)).toEqual(hostPortsOf(alone));
      }
    }),
  );
});
