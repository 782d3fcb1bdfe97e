import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventReader } from './event-reader.ts';
import { isUnread } from './lazy-object.ts';

const encoder = new TextEncoder();
type Read = { type: string; object: Record<string, unknown> } | undefined;
/** By a reader that has seen an event of that kind before. */
function readText(text: string): Read {
  const reader = new EventReader();
  for (const type of ['ADDED', 'MODIFIED', 'DELETED'])
    reader.read(encoder.encode(JSON.stringify({ type, object: pod })));
  return reader.read(encoder.encode(text)) as Read;
}
const read = (event: unknown): NonNullable<Read> => readText(JSON.stringify(event))!;

const long = 'x'.repeat(600);
const head = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web', labels: { 'a"}': 'b\\' } } };
const pod = { ...head, spec: { text: long, list: [1, [2], '}]"\\'] }, status: { phase: 'Running' } };
const event = { type: 'MODIFIED', object: pod };

describe('an event', () => {
  it('brings what JSON.parse would', () => {
    const members = fc.dictionary(fc.constantFrom('spec', 'status', 'data', 'kind', 'x'), fc.jsonValue());
    const sized = fc.record({ text: fc.string({ unit: 'binary', maxLength: 900 }), value: fc.jsonValue() });
    const objects = fc.oneof(
      fc.record({ spec: sized, status: sized }),
      fc.record({ spec: sized }),
      fc.record({ status: sized }),
      members,
    );
    fc.assert(
      fc.property(fc.constantFrom('ADDED', 'DELETED'), objects, fc.jsonValue(), (type, parts, extra) => {
        const written = { type, object: { ...head, metadata: { ...head.metadata, extra }, ...parts } };
        expect(read(written)).toEqual(JSON.parse(JSON.stringify(written)));
      }),
      { numRuns: 500 },
    );
  });

  it('is refused when it is no JSON, wherever it is cut', () => {
    const text = JSON.stringify(event);
    for (let length = 1; length < text.length; length += 7) expect(readText(text.slice(0, length))).toBeUndefined();
    expect(readText(`${text}}`)).toBeUndefined();
  });

  it('may have white space and any order', () => {
    expect(readText(JSON.stringify(event, undefined, 2))).toEqual(event);
    const { spec, status, ...rest } = pod;
    expect(read({ type: 'ADDED', object: { status, spec, ...rest } })).toEqual({ type: 'ADDED', object: pod });
  });
});

describe('a large object of an event', () => {
  it('is not read before somebody looks at it, and then it is like any other', () => {
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

  it.each<[string, (object: Record<string, unknown>) => unknown]>([
    ['copied', (object) => ({ ...object })],
    ['written', (object) => JSON.parse(JSON.stringify(object))],
    ['cloned', (object) => structuredClone(object)],
    ['frozen', (object) => Object.freeze(object)],
    ['assigned', (object) => Object.assign({}, object)],
  ])('is whole when it is %s', (_, use) => {
    const { object } = read(event);
    expect(use(object)).toEqual(pod);
    expect(object.spec).toEqual(pod.spec);
  });

  it('is printed whole', () => {
    expect(inspect(read(event).object, { depth: 9 })).toBe(inspect(pod, { depth: 9 }));
  });

  it('can be changed before it is read', () => {
    const { object } = read(event);
    object.status = { phase: 'Failed' };
    expect(object).toEqual({ ...pod, status: { phase: 'Failed' } });
  });

  it('says so when it turns out to be no JSON, without showing it', () => {
    const { object } = readText(JSON.stringify(event).replace('"list":[1,', '"list":[secret,'))!;
    expect(() => object.spec).toThrow('the server sent an object that is no JSON');
  });
});
