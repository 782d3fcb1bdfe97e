import { ApiError, isConflict } from '@coxswain/apimachinery/errors';
import { GroupVersionKind, GroupVersionResource } from '@coxswain/apimachinery/meta';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Unstructured } from '../dynamic/unstructured.ts';
import { ObjectTracker } from './object-tracker.ts';
import { ResourceTable } from './resource-table.ts';

const resource = GroupVersionResource.of('example.com', 'v1', 'things');
const table = () =>
  new ResourceTable([
    {
      groupVersion: 'example.com/v1',
      resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: [] }],
    },
  ]);

interface Step {
  readonly verb: 'create' | 'update' | 'delete';
  readonly namespace: string;
  readonly name: string;
  readonly label: string;
  readonly finalizers: string[];
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom('create', 'update', 'delete'),
  namespace: fc.constantFrom('x', 'y'),
  name: fc.constantFrom('a', 'b'),
  label: fc.constantFrom('1', '2'),
  finalizers: fc.constantFrom([], ['example.com/hold']),
});

function take(tracker: ObjectTracker, { verb, namespace, name, label, finalizers }: Step): void {
  const object = { metadata: { name, labels: { label }, finalizers } };
  try {
    if (verb === 'create') tracker.create(resource, namespace, object);
    else if (verb === 'update') tracker.update(resource, namespace, object);
    else tracker.delete(resource, namespace, name);
  } catch (error) {
    // The object exists already, or does not exist.
    if (!(error instanceof ApiError)) throw error;
  }
}

/** The state according to a watch's events, and the events that were inconsistent with it. */
class Follower {
  readonly objects = new Map<string, Unstructured>();
  readonly problems: string[] = [];
  #version = 0;

  see(type: string, object: Unstructured): void {
    const { namespace, name, resourceVersion } = object.metadata ?? {};
    const key = `${namespace}/${name}`;
    if ((type === 'ADDED') === this.objects.has(key)) this.problems.push(`${type} ${key}`);
    if (Number(resourceVersion) <= this.#version) this.problems.push(`version ${resourceVersion}`);
    this.#version = Number(resourceVersion);
    if (type === 'DELETED') this.objects.delete(key);
    else this.objects.set(key, object);
  }
}

it.each([
  ['everything', '', {}],
  ['one namespace', 'x', {}],
  ['some labels', '', { labelSelector: 'label=1' }],
  ['one name', 'y', { fieldSelector: 'metadata.name=b' }],
])('watches of %s from any version lead to the current state', (_, namespace, selection) => {
  fc.assert(
    fc.property(fc.array(step), fc.array(step), (before, after) => {
      const tracker = new ObjectTracker(table());
      for (const it of before) take(tracker, it);
      const follower = new Follower();
      const list = tracker.list(resource, namespace, selection);
      for (const object of list.items) {
        follower.objects.set(`${object.metadata?.namespace}/${object.metadata?.name}`, object);
      }
      const half = Math.floor(after.length / 2);
      for (const it of after.slice(0, half)) take(tracker, it);
      const resourceVersion = list.metadata?.resourceVersion ?? '';
      const stop = tracker.watch(resource, namespace, { ...selection, resourceVersion }, (event) => {
        if (event.type !== 'ERROR' && event.type !== 'BOOKMARK') follower.see(event.type, event.object);
      });
      for (const it of after.slice(half)) take(tracker, it);
      stop();
      expect(follower.problems).toEqual([]);
      const known = [...follower.objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
      expect(known).toEqual(tracker.list(resource, namespace, selection).items);
    }),
  );
});

it('copies objects in and out', () => {
  const tracker = new ObjectTracker(table());
  const given = {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace: 'x' },
    spec: { n: 1 },
  };
  tracker.add(given);
  given.spec.n = 2;
  const taken = tracker.get(resource, 'x', 'a');
  expect(taken.spec).toEqual({ n: 1 });
  taken.spec = {};
  for (const item of tracker.list(resource, '').items) item.spec = {};
  expect(tracker.get(resource, 'x', 'a').spec).toEqual({ n: 1 });
});

it('deletes only the addressed object', () => {
  const tracker = new ObjectTracker(table());
  const { metadata } = tracker.create(resource, 'x', { metadata: { name: 'a' } });
  const wrong = [{ uid: 'other' }, { resourceVersion: '1' }];
  for (const preconditions of wrong) {
    expect(() => tracker.delete(resource, 'x', 'a', { preconditions })).toThrow('Precondition failed');
  }
  expect(() => tracker.update(resource, 'x', { metadata: { name: 'a', uid: 'other' } })).toThrow(
    expect.toSatisfy(isConflict),
  );
  tracker.delete(resource, 'x', 'a', { dryRun: ['All'] });
  expect(tracker.get(resource, 'x', 'a').metadata).toEqual(metadata);
});

it('guesses the resources of all built-in kinds correctly', async () => {
  const builtIn = await ResourceTable.withBuiltIn([]);
  const wrong: string[] = [];
  for (const { name: group, versions } of builtIn.groups()) {
    for (const { groupVersion, version } of versions) {
      const empty = new ResourceTable([]);
      for (const { name, kind, namespaced } of builtIn.list(groupVersion)?.resources ?? []) {
        if (name.includes('/')) continue;
        const guess = empty.resourceOf(GroupVersionKind.of(group, version, kind), namespaced);
        if (guess.resource !== name) wrong.push(`${kind}: ${guess.resource}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});
