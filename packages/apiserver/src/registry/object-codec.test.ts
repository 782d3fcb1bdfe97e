import { newCodecFactory } from '@coxswain/api';
import type { ConfigMap, Event, Pod } from '@coxswain/api/core/v1';
import { GroupVersion, type KubernetesObject } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { testRegistries } from './registries.test-data.ts';
import type { ResourceRegistry } from './resource-registry.ts';

const { registries } = testRegistries();
const registryOf = (group: string, resource: string): ResourceRegistry => registries.registry(group, resource);
const configMaps = registryOf('', 'configmaps');
const { codec } = configMaps;

const configMap: ConfigMap = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '7', labels: { app: 'x' } },
  data: { text: 'ünïcödé <&> \u2028' },
};

const entry = (value: Uint8Array, modRevision: number) => ({ key: 'k', value, createRevision: 1, modRevision });

describe('the codec of stored objects', () => {
  it('stores no resourceVersion, and serves the revision as resourceVersion', () => {
    const stored = codec.encode(configMap);
    expect(JSON.parse(stored.toString()).metadata).toEqual({
      name: 'a',
      namespace: 'default',
      uid: 'u',
      labels: { app: 'x' },
    });
    const { line, bytes } = codec.decodeEntry(entry(stored, 12345), undefined);
    expect(line.at(-1)).toBe(0x0a);
    expect(JSON.parse(bytes.toString())).toEqual({
      ...configMap,
      metadata: { ...configMap.metadata, resourceVersion: '12345' },
    });
  });

  it('stores kind, apiVersion and metadata first in any case, and does not modify the object', () => {
    const { kind, apiVersion, metadata, data } = configMap;
    const { resourceVersion: _, ...bare } = metadata ?? {};
    const inOrder = codec.encode({ kind, apiVersion, metadata: bare, data } as KubernetesObject);
    for (const other of [
      { data, metadata, apiVersion, kind },
      { metadata: bare, data },
      { data, kind: '', metadata },
    ]) {
      const before = JSON.stringify(other);
      expect(codec.encode(other).toString()).toBe(inOrder.toString());
      expect(JSON.stringify(other)).toBe(before);
    }
    expect(codec.encode({ data } as KubernetesObject).toString()).toContain('"metadata":{},"data"');
  });

  it('serves the same bytes whether it decodes the stored value or gets the written object', () => {
    const stored = codec.encode(configMap);
    const told = codec.decodeEntry(entry(stored, 9), configMap);
    const read = codec.decodeEntry(entry(stored, 9), undefined);
    expect(told.line.equals(read.line)).toBe(true);
    expect(told.labels).toEqual(read.labels);
    expect(told.fresh).toBe(configMap);
    expect(read.fresh).toBeUndefined();
  });

  it('recognizes the line of a stored value at any revision', () => {
    const stored = codec.encode(configMap);
    const { line } = codec.decodeEntry(entry(stored, 99), undefined);
    expect(codec.lineLength(stored, 99)).toBe(line.length);
    expect(codec.lineLength(stored, 100)).toBe(line.length + 1);
    expect(codec.isLineOf(line, stored)).toBe(true);
    expect(codec.isLineOf(codec.withRevision(stored, 12), stored)).toBe(true);
    for (const at of [0, stored.indexOf('"name"'), stored.length - 1]) {
      const other = Buffer.from(stored);
      other[at]!++;
      expect(codec.isLineOf(line, other)).toBe(false);
    }
  });

  it('has list items without kind and apiVersion in the same bytes', () => {
    const { bytes } = codec.decodeEntry(entry(codec.encode(configMap), 9), undefined);
    const item = JSON.parse(`{${bytes.subarray(codec.itemOffset)}`);
    expect(Object.keys(item)).toEqual(['metadata', 'data']);
  });

  it('changes only the resourceVersion of a deleted object', () => {
    const stored = codec.decodeEntry(entry(codec.encode(configMap), 99), undefined);
    const gone = JSON.parse(codec.atRevision(stored, 99, 100).toString());
    expect(gone).toEqual({ ...configMap, metadata: { ...configMap.metadata, resourceVersion: '100' } });
  });

  it('reads protobuf stored by another server', () => {
    const { resourceVersion: _, ...metadata } = configMap.metadata;
    const foreign = newCodecFactory().protobuf.encode({ ...configMap, metadata });
    const stored = codec.decodeEntry(entry(foreign, 3), undefined);
    expect(codec.decode(stored.line)).toEqual({ ...configMap, metadata: { ...metadata, resourceVersion: '3' } });
    expect(stored.labels).toEqual({ app: 'x' });
  });

  it('reads JSON stored by another server in another field order', () => {
    const foreign = Buffer.from('{"metadata":{"uid":"u","name":"a"},"apiVersion":"v1","kind":"ConfigMap"}');
    expect(codec.decodeEntry(entry(foreign, 3), undefined).name).toBe('a');
  });

  it.each([
    ['another kind', '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}'],
    ['a value that is no object', 'null'],
    ['an empty value', ''],
  ])('refuses %s', (_, text) => {
    expect(() => codec.decodeEntry(entry(Buffer.from(text), 3), undefined)).toThrow();
  });

  it('keeps integers that a double cannot hold', () => {
    const big = 2n ** 60n + 1n;
    const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', uid: 'u', generation: big } } as unknown as Pod;
    const pods = registryOf('', 'pods').codec;
    const { line } = pods.decodeEntry(entry(pods.encode(pod), 4), undefined);
    expect(pods.decode(line).metadata?.generation).toBe(big);
  });

  it('extracts the selectable fields of pods', () => {
    const pods = registryOf('', 'pods').codec;
    const pod: KubernetesObject & Pod = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'b', uid: 'u' },
      spec: { nodeName: 'n1', containers: [] },
    };
    const { fieldValues } = pods.decodeEntry(entry(pods.encode(pod), 4), undefined);
    expect(fieldValues[pods.fieldNames.indexOf('spec.nodeName')]).toBe('n1');
  });

  it('stores events in upstream’s storage version, whatever version they were written in', () => {
    const events = registryOf('', 'events');
    const event = {
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      metadata: { name: 'a', uid: 'u' },
    } as unknown as Event;
    const hub = events.definition.convert(event, GroupVersion.parse(events.definition.hub.apiVersion));
    expect(JSON.parse(events.codec.encode(hub).toString()).apiVersion).toBe('v1');
  });
});
