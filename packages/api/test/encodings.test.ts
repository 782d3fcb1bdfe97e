import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GroupVersionKind, type Serializer } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { newCodecFactory } from '../src/codecs.ts';

const codecs = newCodecFactory();

interface Encodings {
  readonly json: Uint8Array;
  readonly yaml: Uint8Array;
  readonly protobuf: Uint8Array;
}

/** Decodes each of the three encodings, and encodes the result in each of them. */
function expectSame(name: string, given: Encodings): void {
  const objects = (['json', 'yaml', 'protobuf'] as const).map((format) => codecs[format].decode(given[format]).object);
  const [fromJson, fromYaml, fromProtobuf] = objects;
  expect(fromYaml, `${name}: YAML against JSON`).toEqual(fromJson);
  expect(fromProtobuf, `${name}: protobuf against JSON`).toEqual(fromJson);
  for (const object of objects) {
    const encode = (serializer: Serializer) => serializer.encode(object!);
    expect(Buffer.from(encode(codecs.protobuf)).toString('hex'), `${name}: protobuf, byte for byte`).toBe(
      Buffer.from(given.protobuf).toString('hex'),
    );
    expect(codecs.json.decode(encode(codecs.json)).object, `${name}: JSON again`).toEqual(fromJson);
    expect(codecs.yaml.decode(encode(codecs.yaml)).object, `${name}: YAML again`).toEqual(fromJson);
    expect(JSON.parse(Buffer.from(encode(codecs.json)).toString()), `${name}: JSON values`).toEqual(
      JSON.parse(Buffer.from(given.json).toString()),
    );
  }
}

describe('objects encoded by a real server', () => {
  const file = join(import.meta.dirname, 'recorded', 'encodings', 'objects.json');
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<keyof Encodings, string>>;

  it.each(Object.entries(recorded))('%s', (name, { json, yaml, protobuf }) => {
    expectSame(name, { json: Buffer.from(json), yaml: Buffer.from(yaml), protobuf: Buffer.from(protobuf, 'base64') });
  });

  it.each(Object.entries(recorded))('%s, with identical YAML text', (_, { json, yaml }) => {
    const { object } = codecs.json.decode(Buffer.from(json));
    expect(Buffer.from(codecs.yaml.encode(object)).toString()).toBe(yaml);
  });
});

const upstream = process.env.COXSWAIN_UPSTREAM ?? join(import.meta.dirname, '../../../../shared/upstream/v1.36.4');
const fixtures = join(upstream, 'api-testdata');

/** The only object whose JSON contains neither apiVersion nor kind. */
const watchEvent = 'core.v1.WatchEvent';

/** Versions that no v1.36 server can serve. */
const removed =
  /^(?:apps\.v1beta[12]|extensions\.v1beta1|batch\.v1beta1|policy\.v1beta1|rbac\.authorization\.k8s\.io\.v1(?:alpha|beta)1|authentication\.k8s\.io\.v1beta1|authorization\.k8s\.io\.v1beta1|discovery\.k8s\.io\.v1beta1|events\.k8s\.io\.v1beta1|flowcontrol\.apiserver\.k8s\.io\.v1beta[123]|node\.k8s\.io\.v1(?:alpha|beta)1|scheduling\.k8s\.io\.v1beta1|storage\.k8s\.io\.v1alpha1|admission\.k8s\.io\.v1beta1|apiextensions\.k8s\.io\.v1beta1)\./;

describe.skipIf(!existsSync(fixtures))('upstream’s own test objects', () => {
  const names = existsSync(fixtures)
    ? readdirSync(fixtures)
        .filter((file) => file.endsWith('.pb'))
        .map((file) => file.slice(0, -3))
        .filter((name) => !removed.test(name) && name !== watchEvent)
    : [];

  it.each(names)('%s', (name) => {
    const read = (extension: string) => readFileSync(join(fixtures, `${name}.${extension}`));
    expectSame(name, { json: read('json'), yaml: read('yaml'), protobuf: read('pb') });
  });

  it('a watch event', () => {
    const read = (extension: string) => readFileSync(join(fixtures, `${watchEvent}.${extension}`));
    const defaultGVK = GroupVersionKind.of('', 'v1', 'WatchEvent');
    const { apiVersion, kind, ...event } = codecs.protobuf.decode(read('pb'), { defaultGVK }).object;
    expect(event).toEqual(JSON.parse(read('json').toString()));
    // The messages differ only in apiVersion and kind of the envelope.
    const message = (envelope: Uint8Array) => Buffer.from(envelope.subarray(6 + envelope[5]!)).toString('hex');
    expect(message(codecs.protobuf.encode({ apiVersion, kind, ...event }))).toBe(message(read('pb')));
  });

  it('exist for every kind of v1.36', () => {
    expect(names.length).toBeGreaterThan(120);
  });
});
