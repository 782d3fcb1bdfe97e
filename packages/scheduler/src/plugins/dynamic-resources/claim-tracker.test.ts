import type { Pod } from '@coxswain/api/core/v1';
import type { DeviceRequestAllocationResult, ResourceClaim } from '@coxswain/api/resource/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { ClientSet, FakeClock, RESTClient, SharedInformerFactory } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimEvents } from './claim-events.ts';
import { ClaimTracker } from './claim-tracker.ts';

type Result = Partial<DeviceRequestAllocationResult>;

const claim = (name: string, resourceVersion: string, ...results: Result[]): ResourceClaim => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion },
  spec: {},
  status:
    results.length === 0
      ? {}
      : {
          allocation: {
            devices: {
              results: results.map((each) => ({ request: 'r', driver: 'd', pool: 'p', device: 'x', ...each })),
            },
          },
        },
});

let clock: FakeClock;
let tracker: ClaimTracker;
/** The informer's cache. */
let stored: { add(object: ResourceClaim): void };
beforeEach(() => {
  clock = new FakeClock();
  const informers = new SharedInformerFactory(new ClientSet(new RESTClient(new FakeTransport())));
  const { informer } = informers.resource.v1.resourceClaims;
  stored = informer.indexer;
  tracker = new ClaimTracker(informer, clock);
});

const isTaken = (device: string): boolean => tracker.allocatedDevices().isTaken(`d/p/${device}`);

describe('devices', () => {
  it('are taken while a claim has them', () => {
    stored.add(claim('a', '1', { device: 'x' }));
    expect([isTaken('x'), isTaken('y')]).toEqual([true, false]);
    stored.add(claim('a', '2'));
    expect(isTaken('x')).toBe(false);
  });

  it('are not taken by administrators', () => {
    stored.add(claim('a', '1', { device: 'x', adminAccess: true }));
    expect(isTaken('x')).toBe(false);
  });

  it('are taken as soon as their allocation is pending', () => {
    stored.add(claim('a', '1'));
    tracker.addPending('uid-a', claim('a', '1', { device: 'x' }));
    expect(isTaken('x')).toBe(true);
    tracker.assume(claim('a', '2', { device: 'x' }));
    tracker.removePending('uid-a');
    expect(isTaken('x')).toBe(true);
    stored.add(claim('a', '2', { device: 'x' }));
    expect(isTaken('x')).toBe(true);
    stored.add(claim('a', '3'));
    expect(isTaken('x')).toBe(false);
  });

  it('are free again when the pending allocation is removed', () => {
    stored.add(claim('a', '1'));
    tracker.addPending('uid-a', claim('a', '1', { device: 'x' }));
    expect(tracker.removePending('uid-a')).toBe(true);
    expect(tracker.removePending('uid-a')).toBe(false);
    expect(isTaken('x')).toBe(false);
  });

  it('of an assumed claim that the informer never sees are free after a while', async () => {
    tracker.assume(claim('made', '5', { device: 'x' }));
    expect(isTaken('x')).toBe(true);
    await clock.advance(120_000);
    expect(isTaken('x')).toBe(false);
  });

  it('that are shared are consumed in part', () => {
    const part = { device: 'x', consumedCapacity: { memory: '1Gi' } };
    stored.add(claim('a', '1', { ...part, shareID: '1' }));
    tracker.addPending('uid-b', claim('b', '1', { ...part, shareID: '2' }));
    const devices = tracker.allocatedDevices();
    expect([devices.isTaken('d/p/x'), devices.isShared('d/p/x')]).toEqual([false, true]);
    expect(devices.consumed('d/p/x')?.get('memory')?.toString()).toBe('2Gi');
    expect(devices.consumed('d/p/y')).toBeUndefined();
  });
});

describe('a claim', () => {
  it('is the last written one until the informer has it', () => {
    stored.add(claim('a', '9'));
    tracker.assume(claim('a', '10', { device: 'x' }));
    expect(tracker.get('ns/a')?.metadata.resourceVersion).toBe('10');
    stored.add(claim('a', '11'));
    expect(tracker.get('ns/a')?.metadata.resourceVersion).toBe('11');
  });
});

describe('a waiting pod', () => {
  const pod: Pod = {
    metadata: { name: 'p', namespace: 'ns', uid: 'pod' },
    spec: { containers: [], resourceClaims: [{ name: 'x', resourceClaimName: 'a' }] },
  };
  const hint = (resource: string, before: KubernetesObject | undefined, after: KubernetesObject) =>
    claimEvents(tracker)
      .find(({ event }) => event.resource === resource)
      ?.hint?.(pod, before, after);
  const about = 'resource.k8s.io/ResourceClaim';

  it('is retried when its claim is created, but not another', () => {
    expect(hint(about, undefined, claim('b', '1'))).toBe('Skip');
    stored.add(claim('a', '1'));
    expect(hint(about, undefined, claim('b', '1'))).toBe('Skip');
    expect(hint(about, undefined, claim('a', '1'))).toBe('Queue');
  });

  it('is retried when any claim is deallocated', () => {
    stored.add(claim('a', '1'));
    expect(hint(about, claim('b', '1', { device: 'x' }), claim('b', '2'))).toBe('Queue');
    expect(hint(about, claim('b', '1'), claim('b', '2', { device: 'x' }))).toBe('Skip');
  });

  it('is retried only when the status of its claim changes', () => {
    stored.add(claim('a', '1'));
    expect(hint(about, claim('a', '1'), claim('a', '2', { device: 'x' }))).toBe('Queue');
    expect(hint(about, claim('a', '1'), claim('a', '2'))).toBe('Skip');
  });

  it('is retried when its claim is generated', () => {
    expect(hint('Pod', pod, pod)).toBe('Skip');
    stored.add(claim('a', '1'));
    expect(hint('Pod', pod, pod)).toBe('Queue');
    expect(hint('Pod', pod, { ...pod, metadata: { ...pod.metadata, uid: 'other' } } as Pod)).toBe('Skip');
  });
});
