import type { EndpointSubset, Endpoints, Service } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { updatedEndpoints } from './service-endpoints.ts';

const service: Service = {
  metadata: { name: 'web', namespace: 'n', labels: { team: 'blue' } },
  spec: { clusterIP: '10.0.0.1' },
};
const subset = (count: number): EndpointSubset => ({
  addresses: Array.from({ length: count }, (_, i) => ({ ip: `10.${i >> 8}.${i & 255}.1` })).sort((a, b) =>
    a.ip < b.ip ? -1 : 1,
  ),
  ports: [{ port: 80, protocol: 'TCP' }],
});
const write = (current: Endpoints | undefined, count: number, triggerTime?: string): Endpoints | undefined =>
  updatedEndpoints(current, service, { subsets: [subset(count)], triggerTime });

describe('updatedEndpoints', () => {
  it('have the labels of the service and the time of the change', () => {
    expect(write(undefined, 1, '2026-01-01T00:00:00Z')).toEqual({
      metadata: {
        name: 'web',
        namespace: 'n',
        labels: { team: 'blue', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z' },
      },
      subsets: [subset(1)],
    });
  });

  it('are undefined when only resourceVersions of pods differ', () => {
    const current = write(undefined, 2, 'then')!;
    expect(write(current, 2, 'now')).toBeUndefined();
    const [first, second] = current.subsets![0]!.addresses!;
    const versioned = (address = first!, resourceVersion: string) => ({
      ...address,
      targetRef: { uid: 'u', resourceVersion },
    });
    const subsets = (version: string) => [{ ...subset(2), addresses: [versioned(first, version), second!] }];
    const known = { ...current, subsets: subsets('1') };
    expect(updatedEndpoints(known, service, { subsets: subsets('2'), triggerTime: undefined })).toBeUndefined();
  });

  it('replace other labels and remove an outdated trigger time', () => {
    const current = write(undefined, 1, 'then')!;
    const relabelled = {
      ...current,
      metadata: { ...current.metadata, labels: { ...current.metadata.labels, more: 'x' } },
    };
    expect(write(relabelled, 1)?.metadata).toEqual({ ...current.metadata, annotations: {} });
    const unmanaged = { ...current, metadata: { ...current.metadata, labels: { team: 'blue' } } };
    expect(write(unmanaged, 1)?.metadata.labels).toEqual(current.metadata.labels);
  });

  it('are truncated once when too large, and complete when they are small enough again', () => {
    const cut = write(undefined, 1001)!;
    expect(cut.metadata.annotations).toEqual({ 'endpoints.kubernetes.io/over-capacity': 'truncated' });
    expect(cut.subsets![0]!.addresses).toHaveLength(1000);
    expect(write(cut, 1001)).toBeUndefined();
    const whole = write(cut, 999)!;
    expect(whole.metadata.annotations).toEqual({});
    expect(whole.subsets![0]!.addresses).toHaveLength(999);
  });
});
