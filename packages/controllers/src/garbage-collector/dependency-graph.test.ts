import type { ObjectMeta, OwnerReference } from '@coxswain/apimachinery/meta';
import { FakeClock } from '@coxswain/client';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { MonitoredResource } from '../framework/monitors/resource-monitors.ts';
import { AbsentOwners } from './absent-owners.ts';
import { DependencyGraph } from './dependency-graph.ts';
import { type Identity, referred } from './identity.ts';

const resource: MonitoredResource = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  verbs: [],
};
const identity = (uid: string, more: Partial<Identity> = {}): Identity => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'n',
  name: `name-${uid}`,
  uid,
  ...more,
});
const ref = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: `name-${uid}`,
  uid,
  ...more,
});
const owned = (...references: OwnerReference[]): ObjectMeta => ({ ownerReferences: references });
const foreground: ObjectMeta = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] };

let effects: string[];
let absent: AbsentOwners;
let graph: DependencyGraph;
/** Returns the effects since the previous call. */
const taken = (): string[] => effects.splice(0);
const see = (uid: string, metadata: ObjectMeta = {}, more: Partial<Identity> = {}): void =>
  graph.observe(identity(uid, more), resource, metadata);

beforeEach(() => {
  effects = [];
  absent = new AbsentOwners(new FakeClock());
  graph = new DependencyGraph(
    {
      attemptToDelete: (node) => effects.push(`delete ${node.identity.uid}`),
      attemptToOrphan: (node) => effects.push(`orphan ${node.identity.uid}`),
      verify: (node) => effects.push(`verify ${node.identity.kind} ${node.identity.name}`),
      reportInvalidNamespace: (node, { uid }) => effects.push(`${node.identity.uid} must not name ${uid}`),
    },
    absent,
  );
});

describe('an owner that was not observed', () => {
  beforeEach(() => see('child', owned(ref('owner'))));

  it('is verified', () => expect(taken()).toEqual(['verify ConfigMap name-owner']));

  it('that is observed later causes no effects', () => {
    taken();
    see('owner');
    expect(taken()).toEqual([]);
    expect(graph.get('owner')!.isVirtual).toBe(false);
  });

  it('that does not exist causes the deletion of its dependents', () => {
    taken();
    graph.absent(identity('owner'));
    expect(taken()).toEqual(['delete child']);
    expect(graph.get('owner')).toBeUndefined();
    expect(absent.has(identity('owner'))).toBe(true);
  });

  it('that has another name than its dependents say causes their deletion', () => {
    taken();
    see('owner', {}, { name: 'another' });
    expect(taken()).toEqual(['delete child']);
  });

  it('that is in another namespace is reported and causes the deletion of its dependents', () => {
    taken();
    see('owner', {}, { namespace: 'other' });
    expect(taken()).toEqual(['child must not name owner', 'delete child']);
  });
});

describe('dependents with different references to the same uid', () => {
  beforeEach(() => {
    see('good', owned(ref('owner')));
    see('bad', owned(ref('owner', { kind: 'Secret' })));
    taken();
  });

  it('are each deleted when their own reference is absent', () => {
    graph.absent(identity('owner'));
    // The other reference may be correct.
    expect(taken()).toEqual(['delete good', 'verify Secret name-owner']);
    expect(absent.has(identity('owner'))).toBe(true);
    graph.absent(identity('owner', { kind: 'Secret' }));
    expect(taken()).toEqual(['delete bad', 'verify ConfigMap name-owner']);
  });

  it('are deleted when only one is left and its reference is absent', () => {
    graph.absent(identity('owner'));
    graph.remove(identity('good'), resource);
    taken();
    graph.absent(identity('owner', { kind: 'Secret' }));
    expect(taken()).toEqual(['delete bad']);
    expect(graph.get('owner')).toBeUndefined();
  });

  it('do not affect an owner that was observed', () => {
    see('owner');
    expect(taken()).toEqual([]);
    graph.absent(identity('owner', { kind: 'Secret' }));
    expect(taken()).toEqual(['delete bad']);
    expect(graph.get('owner')!.dependents.size).toBe(2);
  });
});

describe('a cluster-scoped object', () => {
  const cluster = { namespace: '' };

  it('may own objects in any namespace', () => {
    see('owner', {}, cluster);
    see('child', owned(ref('owner')));
    expect(taken()).toEqual([]);
  });

  it('that names a namespaced owner causes a check of other dependents', () => {
    see('role', owned(ref('owner')), cluster);
    taken();
    see('child', owned(ref('owner')));
    expect(taken()).toEqual(['delete child']);
  });
});

describe('foreground deletion', () => {
  beforeEach(() => {
    see('owner');
    see('a', owned(ref('owner', { blockOwnerDeletion: true })));
    see('b', owned(ref('owner', { blockOwnerDeletion: true })));
    see('c', owned(ref('owner')));
    see('owner', foreground);
  });

  it('deletes the dependents first', () => {
    expect(taken()).toEqual(['delete a', 'delete b', 'delete c', 'delete owner']);
    see('owner', foreground);
    expect(taken()).toEqual([]);
  });

  it('processes the owner when the last blocking dependent is deleted', () => {
    taken();
    graph.remove(identity('c'), resource);
    graph.remove(identity('a'), resource);
    expect(taken()).toEqual([]);
    graph.remove(identity('b'), resource);
    expect(taken()).toEqual(['delete owner']);
  });

  it('processes the owner when the last dependent stops blocking', () => {
    taken();
    see('a', owned(ref('owner', { blockOwnerDeletion: false })));
    expect(taken()).toEqual([]);
    see('b');
    expect(taken()).toEqual(['delete owner']);
  });

  it('deletes dependents that are added later', () => {
    taken();
    see('late', owned(ref('owner', { blockOwnerDeletion: true })));
    expect(taken()).toEqual(['delete late']);
  });
});

it('starts orphaning once', () => {
  const orphaning = { ...foreground, finalizers: ['orphan'] };
  see('owner', orphaning);
  see('owner', { ...orphaning, labels: { changed: 'yes' } });
  expect(taken()).toEqual(['orphan owner']);
});

it('treats the objects of a resource that is no longer watched as virtual', () => {
  see('owner');
  see('child', owned(ref('owner')));
  graph.lose(resource);
  expect(graph.get('owner')!.isVirtual).toBe(true);
  see('child', owned(ref('owner')));
  graph.verifyUnseen('v1', 'ConfigMap');
  expect(taken()).toEqual(['verify ConfigMap name-owner']);
  graph.absent(identity('owner'));
  expect(taken()).toEqual(['delete child']);
});

it('keeps at most the latest absent owners', () => {
  const few = new AbsentOwners(new FakeClock(), 2);
  for (const uid of ['a', 'b', 'a', 'c']) few.add(identity(uid));
  expect(['a', 'b', 'c'].map((uid) => few.has(identity(uid)))).toEqual([true, false, true]);
  expect(few.has(referred(ref('a'), 'other'))).toBe(false);
});

it('removes old absent owners when the next one is added', async () => {
  const clock = new FakeClock();
  const all = new AbsentOwners(clock);
  for (const uid of ['a', 'b', 'c']) all.add(identity(uid));
  await clock.advance(300_000);
  all.add(identity('b'));
  await clock.advance(300_000);
  all.add(identity('d'));
  expect(['a', 'b', 'c', 'd'].filter((uid) => all.has(identity(uid)))).toEqual(['b', 'd']);
  expect(all.size).toBe(2);
});

it('has the right dependents after any sequence of changes', () => {
  const uids = ['a', 'b', 'c', 'd', 'e'];
  const change = fc.record({
    uid: fc.constantFrom(...uids),
    owners: fc.uniqueArray(fc.constantFrom(...uids), { maxLength: 3 }),
    what: fc.constantFrom('observe', 'observe', 'remove', 'absent'),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const tested = new DependencyGraph(
        { attemptToDelete() {}, attemptToOrphan() {}, verify() {}, reportInvalidNamespace() {} },
        new AbsentOwners(new FakeClock()),
      );
      const seen = new Map<string, readonly string[]>();
      const gone = new Set<string>();
      for (const { uid, owners, what } of changes) {
        if (what === 'observe') {
          seen.set(uid, owners);
          tested.observe(identity(uid), resource, owned(...owners.map((owner) => ref(owner))));
        } else {
          seen.delete(uid);
          gone.add(uid);
          if (what === 'remove') tested.remove(identity(uid), resource);
          else tested.absent(identity(uid));
        }
        for (const one of uids) {
          const node = tested.get(one);
          if (seen.has(one)) expect(node?.isVirtual).toBe(false);
          else if (node) expect(node.isVirtual).toBe(true);
          const dependents = [...(node?.dependents ?? [])].map((dependent) => dependent.identity.uid);
          // The uids of deleted objects are not reused: their dependents are being deleted.
          const named = uids.filter((dependent) => seen.get(dependent)?.includes(one));
          if (gone.has(one)) expect(named).toEqual(expect.arrayContaining(dependents));
          else expect(dependents.sort()).toEqual(named);
        }
      }
    }),
  );
});
