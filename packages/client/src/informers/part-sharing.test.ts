import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUnread, lazyMetadata, lazyObject } from '../lazy-objects/lazy-object.ts';
import { PartSharing } from './part-sharing.ts';

const lookalikes = (): [object, object][] => [
  [{}, []],
  [{ a: undefined }, { b: undefined }],
  [{ 0: 'x' }, ['x']],
  [JSON.parse('{"__proto__":{"x":1}}'), { y: { x: 1 } }],
  [JSON.parse('{"__proto__":{}}'), { y: 1 }],
  [{ y: 1 }, JSON.parse('{"__proto__":{}}')],
  [{ constructor: {} }, { y: {} }],
  [{ n: 1.5 }, { n: 1.25 }],
];

describe('PartSharing', () => {
  it('does not change the value of any object', () => {
    const sharing = new PartSharing();
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), (values) => {
        const text = JSON.stringify(values);
        const objects = values.map((value) => sharing.share({ value: structuredClone(value), again: [value] }));
        expect(JSON.stringify(objects.map(({ value }) => value))).toBe(text);
        expect(JSON.stringify(objects.map(({ again }) => again[0]))).toBe(text);
      }),
    );
  });

  it('shares equal parts of different objects, and freezes them', () => {
    const sharing = new PartSharing();
    const pod = (name: string) => ({
      metadata: { name, labels: { app: 'web', tier: 'front' } },
      spec: { containers: [{ name: 'main', ports: [{ containerPort: 80 }] }] },
    });
    const [first, a, b] = [sharing.share(pod('first')), sharing.share(pod('a')), sharing.share(pod('b'))];
    // Parts that were seen only once are not remembered.
    expect(first.metadata.labels).not.toBe(a.metadata.labels);
    expect(a.metadata.labels).toBe(b.metadata.labels);
    expect(a.spec).toBe(b.spec);
    expect(a.metadata).not.toBe(b.metadata);
    expect(() => {
      b.metadata.labels.app = 'other';
    }).toThrow(TypeError);
    b.metadata.name = 'mine';
    expect(a).toEqual(pod('a'));
  });

  it('forgets its parts when few of many objects are left', () => {
    const sharing = new PartSharing();
    const labels = (): { labels: object } => sharing.share({ labels: { app: 'web', tier: 'front' } });
    const [, before, same] = [labels(), labels(), labels()];
    expect(same.labels).toBe(before.labels);
    for (let left = 99; left > 6; left--) sharing.forgetUnlessMany(left);
    expect(labels().labels).toBe(before.labels);
    sharing.forgetUnlessMany(6);
    const [, after, again] = [labels(), labels(), labels()];
    expect(after.labels).not.toBe(before.labels);
    expect(again.labels).toBe(after.labels);
  });

  it('does not share parts that differ', () => {
    const sharing = new PartSharing();
    for (const [one, other] of lookalikes()) {
      const shared = [{ part: one }, { part: other }].map((object) => sharing.share(object));
      expect(shared.map(({ part }) => part)).toStrictEqual([one, other]);
      expect(shared[0]!.part).not.toBe(shared[1]!.part);
    }
  });

  it('leaves unread members unread', () => {
    const sharing = new PartSharing();
    const encoder = new TextEncoder();
    const state = (resourceVersion: string): { metadata: object } =>
      lazyObject(
        {
          kind: 'Pod',
          apiVersion: 'v1',
          metadata: lazyMetadata({ resourceVersion }, encoder.encode('"managedFields":[{"manager":"kubectl"}]')),
        },
        encoder.encode('"spec":{"nodeName":"a"}'),
      ) as { metadata: object };
    const [old, next] = [state('1'), state('2')];
    expect(sharing.shareNext(old, next)).toBe(next);
    expect([old, old.metadata, next, next.metadata].map(isUnread)).toEqual([true, true, true, true]);
    expect(next).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { resourceVersion: '2', managedFields: [{ manager: 'kubectl' }] },
      spec: { nodeName: 'a' },
    });
  });

  it('reuses the unchanged parts of the previous state of an object', () => {
    const sharing = new PartSharing();
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 5 }), fc.nat(4), (values, changed) => {
        const old = sharing.share({ parts: structuredClone(values), labels: { app: 'web' } });
        const next = { parts: structuredClone(values), labels: { app: 'web' } };
        if (changed < values.length) next.parts[changed] = 'changed';
        const text = JSON.stringify(next);
        expect(sharing.shareNext(old, next)).toBe(next);
        expect(JSON.stringify(next)).toBe(text);
        expect(next.labels).toBe(old.labels);
        for (const [i, part] of next.parts.entries()) if (i !== changed) expect(part).toBe(old.parts[i]);
      }),
    );
    for (const [was, is] of lookalikes()) {
      expect(sharing.shareNext({ part: was }, { part: is }).part).toBe(is);
    }
  });

  it('does not change frozen objects', () => {
    const sharing = new PartSharing();
    const labels = { app: 'a long enough value' };
    sharing.share({ labels });
    const frozen = Object.freeze({ labels: { ...labels } });
    expect(sharing.share({ frozen }).frozen).toEqual({ labels });
  });

  it('works with more parts than it has slots', () => {
    const sharing = new PartSharing();
    const common = (): object => ({ effect: 'NoExecute', key: 'node.kubernetes.io/not-ready' });
    const objects = Array.from({ length: 30_000 }, (_, i) =>
      sharing.share({ id: { text: `unique-${i}-${i * 7919}` }, common: common() }),
    );
    expect(objects.every(({ id }, i) => id.text === `unique-${i}-${i * 7919}`)).toBe(true);
    expect(new Set(objects.map((object) => object.common)).size).toBeLessThan(300);
  });
});
