import { expect, it } from 'vitest';
import { Action } from '../framework/cluster-event.ts';
import { affinity, filter, gates, nodeAdded, nodeLabelled } from './queue.test-data.ts';
import { QueueingHints, registeredHints } from './queueing-hints.ts';

const nodeTainted = { resource: 'Node', action: Action.UpdateNodeTaint };

it('ignores plug-ins that cannot reject a pod', () => {
  const score = { name: 'Score', score: () => 0, eventsToRegister: () => [{ event: nodeAdded }] };
  expect(registeredHints([score])).toEqual([]);
});

it('registers a plug-in without eventsToRegister for everything, and one with an empty list for nothing', () => {
  const hints = registeredHints([{ name: 'Silent', permit: () => undefined }, filter('None')]);
  expect(new Set(hints.map(({ plugin }) => plugin))).toEqual(new Set(['Silent']));
  expect(hints.map(({ event }) => event.resource)).toEqual([
    'Pod',
    'Node',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'storage.k8s.io/CSINode',
    'storage.k8s.io/CSIDriver',
    'storage.k8s.io/CSIStorageCapacity',
    'storage.k8s.io/StorageClass',
    'resource.k8s.io/ResourceClaim',
    'resource.k8s.io/DeviceClass',
  ]);
});

it('registers a plug-in that waits for new nodes also for changed taints, without a hint', () => {
  const hints = new QueueingHints(new Map([['p', registeredHints([affinity])]]));
  expect(hints.matching('p', nodeTainted)).toEqual([{ plugin: 'Affinity', event: nodeTainted, hint: undefined }]);
  const both = filter('Both', { event: { resource: 'Node', action: Action.Add | Action.UpdateNodeTaint } });
  expect(registeredHints([both])).toHaveLength(1);
});

it('matches events by profile', () => {
  const hints = new QueueingHints(
    new Map([
      ['p', registeredHints([affinity])],
      ['q', registeredHints([gates])],
    ]),
  );
  expect(hints.matching('p', nodeLabelled)?.map(({ plugin }) => plugin)).toEqual(['Affinity']);
  expect(hints.matching('q', nodeLabelled)).toEqual([]);
  expect(hints.matching('r', nodeLabelled)).toBeUndefined();
  expect(hints.isOfInterest(nodeLabelled)).toBe(true);
  expect(hints.isOfInterest({ resource: 'Node', action: Action.Delete })).toBe(false);
  expect(hints.isOfInterest({ resource: '*', action: Action.All })).toBe(true);
  expect(hints.concerns('Affinity', nodeAdded)).toBe(true);
  expect(hints.concerns('SchedulingGates', nodeAdded)).toBe(false);
  expect(hints.actions()).toEqual(
    new Map([
      ['Node', Action.Add | Action.UpdateNodeLabel | Action.UpdateNodeTaint],
      ['Pod', Action.UpdatePodSchedulingGatesEliminated],
    ]),
  );
});
