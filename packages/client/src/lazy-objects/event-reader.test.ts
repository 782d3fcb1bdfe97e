import { inspect } from 'node:util';
import { Catalogue } from '@coxswain/api';
import { readJson } from '@coxswain/apimachinery/codec/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventReader } from './event-reader.ts';
import { isUnread } from './lazy-object.ts';
import { RecentParts } from './recent-parts.ts';

const encoder = new TextEncoder();
type Read = { type: string; object: Record<string, unknown> } | undefined;
/** Reads an event with a reader that has seen events of that kind before. */
function readText(text: string, reader = knowingReader()): Read {
  return reader.read(encoder.encode(text)) as Read;
}
function knowingReader(): EventReader {
  const reader = new EventReader();
  for (const type of ['ADDED', 'MODIFIED', 'DELETED'])
    reader.read(encoder.encode(JSON.stringify({ type, object: pod })));
  return reader;
}
/** A reader of whose objects of these types all were accessed. */
function eagerReader(types = ['ADDED', 'MODIFIED', 'DELETED']): EventReader {
  const reader = knowingReader();
  for (const type of types)
    for (let i = 0; i < 64; i++) void readText(JSON.stringify({ ...event, type }), reader)!.object.spec;
  return reader;
}
const read = (event: unknown): NonNullable<Read> => readText(JSON.stringify(event))!;

const long = 'x'.repeat(600);
const head = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web', labels: { 'a"}': 'b\\' } } };
const pod = { ...head, spec: { text: long, list: [1, [2], '}]"\\'] }, status: { phase: 'Running' } };
const event = { type: 'MODIFIED', object: pod };

describe('an event', () => {
  it('is read like by readJson', () => {
    const members = fc.dictionary(fc.constantFrom('status', 'data', 'kind', 'x'), fc.jsonValue());
    const value = fc.oneof(fc.jsonValue(), fc.constant({ a: 1, spec: {}, status: {} }));
    // Members in any order.
    const managed = fc.dictionary(
      fc.constantFrom('managedFields', 'ownerReferences', 'finalizers'),
      fc.oneof(fc.array(value), value, fc.constant([{ text: long }])),
    );
    const eager = eagerReader();
    const sized = fc.record({ text: fc.string({ unit: 'binary', maxLength: 900 }), value });
    const objects = fc.oneof(
      fc.record({ spec: sized, status: sized }),
      fc.record({ spec: sized }),
      fc.record({ status: sized }),
      fc.constant({}),
      members,
    );
    fc.assert(
      fc.property(fc.constantFrom('ADDED', 'DELETED'), objects, value, managed, (type, parts, extra, managed) => {
        const written = { type, object: { ...head, metadata: { ...head.metadata, extra, ...managed }, ...parts } };
        const text = JSON.stringify(written);
        expect(readText(text)).toEqual(readJson(text));
        expect(readText(text, eager)).toEqual(readJson(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is parsed at once, except managedFields, while such objects are accessed, and lazily again when they are not', () => {
    const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }];
    const whole = { ...pod, metadata: { ...pod.metadata, managedFields } };
    const line = encoder.encode(JSON.stringify({ type: 'MODIFIED', object: whole }));
    const reader = new EventReader();
    const unread = (count: number, look: (object: Record<string, unknown>) => void): number =>
      Array.from({ length: count }, () => {
        const { object } = reader.read(line) as NonNullable<Read>;
        const waits = isUnread(object);
        expect(isUnread(object.metadata as object)).toBe(true);
        look(object);
        return waits;
      }).filter(Boolean).length;
    const [look, ignore] = [(object: Record<string, unknown>) => expect(object).toEqual(whole), () => {}];
    reader.read(line);
    expect(unread(30, look)).toBe(30);
    expect(unread(1000, look)).toBeLessThan(40);
    unread(10_000, ignore);
    expect(unread(1000, ignore)).toBe(1000);
    expect(reader.read(encoder.encode('{"type":"MODIFIED"}'))).toBeUndefined();
  });

  it('stays lazy when only objects of another event type are accessed', () => {
    const reader = eagerReader(['ADDED']);
    const waits = (type: string) => isUnread(readText(JSON.stringify({ type, object: pod }), reader)!.object);
    expect([waits('ADDED'), waits('MODIFIED')]).toEqual([false, true]);
  });

  it('of a custom object is parsed at once, because it may have other members than a built-in one', () => {
    const object = { ...pod, apiVersion: 'stable.example.com/v1', data: { long } };
    const reader = new EventReader();
    const line = encoder.encode(JSON.stringify({ type: 'ADDED', object }));
    reader.read(line);
    const again = reader.read(line)!;
    expect(isUnread(again.object as object)).toBe(false);
    expect(again.object).toEqual(object);
  });

  it('of a built-in kind with a spec has no members but metadata, spec and status', () => {
    const watched = Catalogue.builtIn()
      .kinds()
      .filter(({ resource }) => resource?.verbs.includes('watch'))
      .map(({ schema }) => [...schema.fields.keys()].filter((name) => name !== 'kind' && name !== 'apiVersion'));
    const withSpec = new Set(watched.filter((names) => names.includes('spec')).map(String));
    expect(withSpec).toEqual(new Set(['metadata,spec', 'metadata,spec,status']));
  });

  it('may have white space and members in any order', () => {
    expect(readText(JSON.stringify(event, undefined, 2))).toEqual(event);
    const { spec, status, ...rest } = pod;
    expect(read({ type: 'ADDED', object: { status, spec, ...rest } })).toEqual({ type: 'ADDED', object: pod });
  });
});

describe('an event for a cache', () => {
  /** A reader for a cache of whose objects all were accessed. */
  function cacheReader(managedFields: boolean): EventReader {
    const reader = eagerReader();
    reader.feed({ managedFields, recent: new RecentParts() });
    return reader;
  }
  const lineOf = (event: unknown): Buffer => Buffer.from(JSON.stringify(event));

  const isOdd = (object: object): boolean => 'more' in object || JSON.stringify(object).includes('"a":1,"status":{');

  it('is read like by JSON.parse, whatever was read before', () => {
    const spec = fc.constantFrom<object>(
      { text: long },
      { text: `${long}ä` },
      { text: long, more: { a: 1, status: { b: 2 } } },
      { text: long, more: { a: 1, status: { b: 3 } } },
      { text: long, more: 1 },
    );
    const status = fc.constantFrom<object>({ phase: 'Running' }, { phase: 'Failed', spec: { status: {} } }, {});
    const object = fc.oneof(
      fc.record({ spec, status }),
      fc.record({ spec }),
      fc.record({ spec, status, more: status }),
      fc.record({ spec, more: status }),
    );
    const state = fc.record({
      type: fc.constantFrom('ADDED', 'MODIFIED', 'MODIFIED', 'DELETED'),
      metadata: fc.constantFrom({ uid: '1' }, { uid: '2' }, {}),
      object,
    });
    fc.assert(
      fc.property(fc.array(state, { maxLength: 20 }), fc.boolean(), (states, keeps) => {
        const reader = cacheReader(keeps);
        for (const { type, metadata, object } of states) {
          const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }];
          const whole = { ...head, metadata: { ...head.metadata, managedFields, ...metadata }, ...object };
          const read = reader.read(lineOf({ type, object: whole })) as NonNullable<Read>;
          // An object with additional members is parsed completely.
          const isKept = keeps || 'managedFields' in (read.object.metadata as object);
          expect(isKept).toBe(keeps || isOdd(object));
          expect(read).toEqual({
            type,
            object: isKept ? whole : { ...whole, metadata: { ...head.metadata, ...metadata } },
          });
        }
      }),
      { numRuns: 200 },
    );
  });

  it('reuses the unchanged parts of the last state', () => {
    const reader = cacheReader(false);
    const state = (type: string, uid: string, phase: string, spec: object = pod.spec): Record<string, unknown> => {
      const managedFields = [{ manager: phase, fieldsV1: {} }];
      const object = { ...head, metadata: { ...head.metadata, managedFields, uid }, spec, status: { phase } };
      const read = reader.read(lineOf({ type, object })) as NonNullable<Read>;
      expect(read.object).toEqual({ ...object, metadata: { ...head.metadata, uid } });
      return read.object;
    };
    const first = state('ADDED', 'a', 'Pending');
    const running = state('MODIFIED', 'a', 'Running');
    expect(running.spec).toBe(first.spec);
    expect(state('MODIFIED', 'a', 'Running').status).toBe(running.status);
    const other = state('ADDED', 'b', 'Pending');
    expect(other.spec).not.toBe(first.spec);
    const bound = state('MODIFIED', 'a', 'Running', { ...pod.spec, nodeName: 'n' });
    expect(bound.status).not.toBe(running.status);
    // The spec with which the cache replaced it.
    const shared = { ...(bound.spec as object) };
    bound.spec = shared;
    const gone = state('DELETED', 'a', 'Running', { ...pod.spec, nodeName: 'n' });
    expect([gone.spec, gone.status]).toEqual([shared, bound.status]);
    expect([gone.spec === shared, gone.status === bound.status]).toEqual([true, true]);
    expect(state('ADDED', 'a', 'Pending', { ...pod.spec, nodeName: 'n' }).spec).not.toBe(shared);
  });

  it('shares no parts with an object recreated after an unread deletion', () => {
    const reader = eagerReader(['ADDED']);
    reader.feed({ managedFields: false, recent: new RecentParts() });
    const state = (type: string): Record<string, unknown> =>
      (reader.read(lineOf({ type, object: { ...pod, metadata: { ...head.metadata, uid: 'a' } } })) as NonNullable<Read>)
        .object;
    const first = state('ADDED');
    expect(state('ADDED').spec).toBe(first.spec);
    expect(isUnread(state('DELETED'))).toBe(true);
    expect(state('ADDED').spec).not.toBe(first.spec);
  });
});

describe('a large object of an event', () => {
  it('is not parsed before it is accessed, and is an ordinary object afterwards', () => {
    const { object } = read(event);
    expect(isUnread(object)).toBe(true);
    expect(object.metadata).toEqual(pod.metadata);
    expect(Object.keys(object)).toEqual(Object.keys(pod));
    expect(isUnread(object)).toBe(true);
    expect(object.status).toEqual(pod.status);
    expect(isUnread(object)).toBe(false);
    expect(Object.getOwnPropertyDescriptor(object, 'spec')).toEqual({
      value: pod.spec,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  });

  it.each([[{}], [{ uid: 'u' }]])('has managedFields that are parsed on access, followed by %j', (rest) => {
    const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }];
    const whole = { ...pod, metadata: { ...pod.metadata, managedFields, ...rest } };
    const metadata = read({ type: 'MODIFIED', object: whole }).object.metadata as Record<string, unknown>;
    expect(metadata.name).toBe('web');
    expect(Object.keys(metadata).sort()).toEqual(Object.keys(whole.metadata).sort());
    expect(isUnread(metadata)).toBe(true);
    expect(metadata).toEqual(whole.metadata);
    expect(isUnread(metadata)).toBe(false);
  });

  it('has lazy managedFields also in a PartialObjectMetadata', () => {
    const [kind, apiVersion] = ['PartialObjectMetadata', 'meta.k8s.io/v1'];
    const managedFields = [{ manager: long, fieldsV1: { 'f:spec': { 'k:{"a":"b"}': {} } } }];
    const object = { kind, apiVersion, metadata: { name: 'web', managedFields } };
    const line = encoder.encode(JSON.stringify({ type: 'ADDED', object }));
    const reader = new EventReader();
    reader.read(line);
    const again = reader.read(line) as NonNullable<Read>;
    expect(isUnread(again.object)).toBe(false);
    expect(isUnread(again.object.metadata as object)).toBe(true);
    expect(again.object).toEqual(object);
  });

  it.each<[string, (object: Record<string, unknown>) => unknown]>([
    ['copied', (object) => ({ ...object })],
    ['written', (object) => JSON.parse(JSON.stringify(object))],
    ['cloned', (object) => structuredClone(object)],
    ['frozen', (object) => Object.freeze(object)],
    ['assigned', (object) => Object.assign({}, object)],
  ])('is complete when it is %s', (_, use) => {
    const { object } = read(event);
    expect(use(object)).toEqual(pod);
    expect(object.spec).toEqual(pod.spec);
  });

  it('is printed completely', () => {
    expect(inspect(read(event).object, { depth: 9 })).toBe(inspect(pod, { depth: 9 }));
  });

  it('can be changed before it is read', () => {
    const { object } = read(event);
    object.status = { phase: 'Failed' };
    expect(object).toEqual({ ...pod, status: { phase: 'Failed' } });
  });

  it('throws an error without the text if it is not JSON', () => {
    const { object } = readText(JSON.stringify(event).replace('"list":[1,', '"list":[secret,'))!;
    expect(() => object.spec).toThrow('the server sent an object that is not JSON');
  });
});
