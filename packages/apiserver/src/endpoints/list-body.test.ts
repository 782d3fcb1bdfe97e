import { Catalogue } from '@coxswain/api';
import { GroupVersion } from '@coxswain/apimachinery';
import type { ResponseSink } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import { testRegistries } from '../registry/registries.test-data.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { listBody } from './list-body.ts';
import { type EndpointServices, ResourceScope } from './scope.ts';

const { registries } = testRegistries();
const registry = registries.registry('', 'configmaps');
const version = GroupVersion.of('', 'v1');
const info = Catalogue.builtIn().groupVersions[0]!.resources.find(({ name }) => name === 'configmaps')!;
const scope = new ResourceScope(version, info, registry, {} as EndpointServices);

const stored = (name: string, bytes: number): StoredObject => {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, uid: name }, data: { x: 'x'.repeat(bytes) } };
  const value = registry.codec.encode(object);
  return registry.codec.decodeEntry({ key: name, value, createRevision: 1, modRevision: 7 }, undefined);
};

/** Accepts one chunk at a time, and keeps a copy of each. */
class SlowSink implements ResponseSink {
  readonly chunks: Buffer[] = [];
  readonly pendingBytes = 0;
  ended = false;
  #drain: () => void = () => {};
  #close: () => void = () => {};
  #sent: (() => void) | undefined;

  write(chunk: Uint8Array, sent?: () => void): boolean {
    this.chunks.push(Buffer.from(chunk));
    this.#sent = sent;
    return false;
  }

  take(): void {
    this.#sent?.();
    this.#drain();
  }

  leave(): void {
    this.#close();
  }

  onDrain(callback: () => void): void {
    this.#drain = callback;
  }

  onClose(callback: () => void): void {
    this.#close = callback;
  }

  end(): void {
    this.ended = true;
  }

  destroy(): void {}
}

const metadata = { resourceVersion: '9' };

describe('the body of a list', () => {
  it('is a single buffer of the reported length when it is short', () => {
    const { body, bytes } = listBody(scope, metadata, [stored('a', 1), stored('b', 2)]);
    expect(body).toBeInstanceOf(Uint8Array);
    expect((body as Uint8Array).length).toBe(bytes);
    expect(JSON.parse(String(body))).toMatchObject({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata,
      items: [{ metadata: { name: 'a', resourceVersion: '7' } }, { metadata: { name: 'b' } }],
    });
    expect(String(body)).not.toContain('"kind":"ConfigMap"');
  });

  it('is an empty list when there are no objects', () => {
    const { body } = listBody(scope, metadata, []);
    expect(JSON.parse(String(body))).toEqual({ kind: 'ConfigMapList', apiVersion: 'v1', metadata, items: [] });
  });

  it('is streamed in chunks as the client reads them when it is long', () => {
    const objects = Array.from({ length: 200 }, (_, i) => stored(`n${i}`, i % 50 === 0 ? 300_000 : 4000));
    const { body, bytes } = listBody(scope, metadata, objects);
    const sink = new SlowSink();
    (body as { stream(sink: ResponseSink): void }).stream(sink);
    for (let taken = 1; !sink.ended; taken++) {
      expect(sink.chunks).toHaveLength(taken);
      sink.take();
    }
    const whole = Buffer.concat(sink.chunks);
    expect(whole.length).toBe(bytes);
    const { items } = JSON.parse(whole.toString()) as { items: { metadata: { name: string } }[] };
    expect(items.map((item) => item.metadata.name)).toEqual(objects.map(({ name }) => name));
  });

  it('stops when the client disconnects', () => {
    const objects = Array.from({ length: 200 }, (_, i) => stored(`n${i}`, 4000));
    const sink = new SlowSink();
    (listBody(scope, metadata, objects).body as { stream(sink: ResponseSink): void }).stream(sink);
    sink.leave();
    sink.take();
    expect(sink.chunks).toHaveLength(1);
    expect(sink.ended).toBe(false);
  });
});
