import type { Node, Pod } from '@coxswain/api/core/v1';
import { DeletedFinalStateUnknown } from '@coxswain/client';
import { expect, it } from 'vitest';
import { newPod } from '../queue/queue.test-data.ts';
import { eventLabel } from './cluster-events.ts';
import type { EventHandlersContext } from './event-handlers-context.ts';
import { NodeEventHandler } from './node-event-handler.ts';
import { PodEventHandler } from './pod-event-handler.ts';

interface Situation {
  /** Assumed pods by UID, with their assumed node. */
  readonly assumed?: Readonly<Record<string, Pod>>;
  /** The UID of a pod that waits in Permit. */
  readonly held?: string;
  /** True when the held pod has just been allowed, so that it cannot be rejected any more. */
  readonly isLate?: boolean;
}

/** Records the handlers' calls in order. */
function recorder({ assumed = {}, held, isLate = false }: Situation = {}) {
  const calls: string[] = [];
  const name = ({ metadata }: Pod | Node): string => metadata.name ?? '';
  const note = (what: string) => (object: Pod | Node) => void calls.push(`${what} ${name(object)}`);
  const change = (what: string) => (_: Pod | Node, object: Pod | Node) => void calls.push(`${what} ${name(object)}`);
  const context: EventHandlersContext = {
    cache: {
      addNode: note('count node'),
      updateNode: change('change node'),
      removeNode: note('drop node'),
      addPod: note('count'),
      updatePod: change('change'),
      removePod: note('drop'),
      forgetPod: note('forget'),
      isAssumed: ({ metadata }) => metadata.uid! in assumed,
      pod: ({ metadata }) => assumed[metadata.uid!],
    },
    queue: {
      add: note('queue'),
      update: change('requeue'),
      delete: note('unqueue'),
      moveAllToActiveOrBackoffQueue: (event, before, after, preCheck) => {
        const node = (object: unknown): string => {
          const pod = object as Pod | undefined;
          return pod ? `${name(pod)}${pod.spec?.nodeName ? `@${pod.spec.nodeName}` : ''}` : '-';
        };
        const which = preCheck
          ? [0, 5, 9].filter((priority) => preCheck(newPod('p', { priority }))).map((priority) => ` ${priority}`)
          : [];
        calls.push(`${eventLabel(event)} ${node(before)} → ${node(after)}${which.join('')}`);
      },
    },
    profiles: new Map([
      [
        'default-scheduler',
        {
          waitingPods: {
            get: (uid) =>
              uid === held
                ? {
                    pod: newPod('held'),
                    pendingPlugins: [],
                    allow() {},
                    reject: (plugin, message) => calls.push(`reject "${plugin}" ${message}`) > 0 && !isLate,
                    preempt: () => false,
                  }
                : undefined,
            [Symbol.iterator]: () => [][Symbol.iterator](),
          },
        },
      ],
    ]),
    observe: (_, handle) => handle(),
  };
  return { calls, pods: new PodEventHandler(context), nodes: new NodeEventHandler(context) };
}

const waiting = newPod('a');
const placed = newPod('a', { node: 'n', resourceVersion: '2' });
const foreign = newPod('a', { schedulerName: 'theirs' });
const promised = newPod('a', { nominated: 'n1', priority: 5 });
const deleting = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, resourceVersion: '9', deletionTimestamp: '2026-01-01T00:00:00Z' },
});

it.each<[string, (handler: PodEventHandler) => void, string[], Situation?]>([
  ['a pod without a node', (pods) => pods.onAdd(waiting), ['queue a']],
  ['a pod of another scheduler', (pods) => pods.onAdd(foreign), []],
  ['a pod that has a node', (pods) => pods.onAdd(placed), ['count a', 'AssignedPodAdd - → a@n']],
  [
    'a pod that has a node, of another scheduler',
    (pods) => pods.onAdd(newPod('a', { node: 'n', schedulerName: 'theirs' })),
    ['count a', 'AssignedPodAdd - → a@n'],
  ],
  [
    'a pod that gets its node',
    (pods) => pods.onUpdate(waiting, placed),
    ['count a', 'AssignedPodAdd - → a@n', 'unqueue a'],
  ],
  [
    'a pod of another scheduler that gets its node',
    (pods) => pods.onUpdate(foreign, placed),
    ['count a', 'AssignedPodAdd - → a@n'],
  ],
  ['a resync of a pod without a node', (pods) => pods.onUpdate(waiting, waiting), []],
  [
    'an update of a pod without a node',
    (pods) => pods.onUpdate(waiting, newPod('a', { resourceVersion: '2' })),
    ['requeue a'],
  ],
  [
    'an update of a pod of another scheduler',
    (pods) => pods.onUpdate(foreign, newPod('a', { resourceVersion: '2', schedulerName: 'theirs' })),
    [],
  ],
  [
    'an update of a pod that is being bound',
    (pods) => pods.onUpdate(waiting, newPod('a', { resourceVersion: '2' })),
    [],
    { assumed: { a: placed } },
  ],
  [
    'an update of a pod that has a node',
    (pods) => pods.onUpdate(placed, newPod('a', { node: 'n', labels: { a: '1' } })),
    ['change a', 'AssignedPodUpdatePodLabel a@n → a@n'],
  ],
  ['the deletion of a pod that has a node', (pods) => pods.onDelete(placed), ['drop a', 'AssignedPodDelete a@n → -']],
  ['the deletion of a pod without a node', (pods) => pods.onDelete(waiting), ['unqueue a']],
  ['the deletion of a pod of another scheduler', (pods) => pods.onDelete(foreign), []],
  [
    'a deletion that was missed',
    (pods) => pods.onDelete(new DeletedFinalStateUnknown('x/a', waiting)),
    ['drop a', 'AssignedPodDelete a → -', 'unqueue a'],
  ],
  [
    'the deletion of a pod that is being bound',
    (pods) => pods.onDelete(waiting),
    ['unqueue a', 'forget a', 'AssignedPodDelete a@n → -'],
    { assumed: { a: placed } },
  ],
  [
    'a deletionTimestamp on a pod that is being bound',
    (pods) => pods.onUpdate(waiting, deleting(waiting)),
    ['forget a', 'AssignedPodDelete a@n → -'],
    { assumed: { a: placed } },
  ],
  [
    'an update of a terminating pod that is being bound',
    (pods) => pods.onUpdate(deleting(waiting), { ...deleting(waiting), metadata: { ...waiting.metadata } }),
    [],
    { assumed: { a: placed } },
  ],
  [
    'a deletionTimestamp on a pod that waits in Permit',
    (pods) => pods.onUpdate(waiting, deleting(waiting)),
    ['reject "" removed', 'AssignedPodDelete a@n → -'],
    { assumed: { a: placed }, held: 'a' },
  ],
  [
    'a deletionTimestamp on a pod that has just left Permit',
    (pods) => pods.onUpdate(waiting, deleting(waiting)),
    ['reject "" removed', 'forget a', 'AssignedPodDelete a@n → -'],
    { assumed: { a: placed }, held: 'a', isLate: true },
  ],
  [
    'the deletion of a nominated pod: retries pods of the same or lower priority',
    (pods) => pods.onDelete(promised),
    ['unqueue a', 'AssignedPodDelete a → - 0 5'],
  ],
  [
    'a removed nomination',
    (pods) => pods.onUpdate(promised, newPod('a', { resourceVersion: '2', priority: 5 })),
    ['requeue a', 'AssignedPodDelete a → - 0 5'],
  ],
  [
    'an added nomination',
    (pods) => pods.onUpdate(waiting, newPod('a', { resourceVersion: '2', nominated: 'n1' })),
    ['requeue a'],
  ],
  [
    'a new pod of the same name, when the deletion of the old one was missed',
    (pods) => pods.onUpdate(placed, newPod('a', { uid: 'another' })),
    ['drop a', 'AssignedPodDelete a@n → -', 'queue a'],
  ],
])('deals with %s', (_, happens, expected, situation) => {
  const { calls, pods } = recorder(situation);
  happens(pods);
  expect(calls).toEqual(expected);
});

const node = (labels: Record<string, string> = {}): Node => ({ metadata: { name: 'n', labels } });

it.each<[string, (handler: NodeEventHandler) => void, string[]]>([
  ['is added', (nodes) => nodes.onAdd(node()), ['count node n', 'NodeAdd - → n']],
  ['is deleted', (nodes) => nodes.onDelete(node()), ['NodeDelete n → -', 'drop node n']],
  [
    'was deleted during a missed watch',
    (nodes) => nodes.onDelete(new DeletedFinalStateUnknown('n', node())),
    ['NodeDelete n → -', 'drop node n'],
  ],
  ['has not changed', (nodes) => nodes.onUpdate(node(), node()), ['change node n']],
  ['changes', (nodes) => nodes.onUpdate(node(), node({ a: '1' })), ['change node n', 'NodeUpdateNodeLabel n → n']],
])('deals with a node that %s', (_, happens, expected) => {
  const { calls, nodes } = recorder();
  happens(nodes);
  expect(calls).toEqual(expected);
});
