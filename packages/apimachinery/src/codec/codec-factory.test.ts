import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringifyJson } from '../json/stringify-json.ts';
import { GroupVersionKind } from '../meta/group-version.ts';
import { arbitraryFor } from '../schema/arbitrary.test-data.ts';
import { exampleKinds } from '../schema/example-types.test-data.ts';
import { CodecFactory } from './codec-factory.ts';
import { badBodyMessage, DecodeFailure, strictDecodingMessage } from './decode-failure.ts';
import { bytesOf, exampleLookup, textOf } from './example-lookup.test-data.ts';
import type { DecodeOptions, Serializer } from './serializer.ts';

const codecs = new CodecFactory(exampleLookup);
const secret = GroupVersionKind.of('', 'v1', 'Secret');
const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replace(/\s/g, ''), 'hex'));

// Upstream's JSON and protobuf of the same objects.
const objects: [json: string, hex: string][] = [
  [
    '{"kind":"Secret","apiVersion":"v1","metadata":{}}',
    '6b3873000a0c0a027631120653656372657412140a100a0012001a0022002a003200380042001a001a002200',
  ],
  [
    `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","uid":"u","resourceVersion":"7","generation":9223372036854775807,
      "creationTimestamp":"2024-02-29T12:00:00Z","deletionTimestamp":"1969-12-31T23:59:59Z","deletionGracePeriodSeconds":-1,
      "labels":{"a":"1","b":"2","é":"ü"},"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"w",
      "controller":true,"blockOwnerDeletion":false}],"finalizers":["f"],"managedFields":[{"manager":"m",
      "operation":"Update","apiVersion":"v1","time":"2024-02-29T12:00:00Z","fieldsType":"FieldsV1",
      "fieldsV1":{"f:data":{}}}]},"immutable":false,"data":{"e":"","k":"AAEC/w=="},"type":"Opaque"}`,
    `6b3873000a0c0a027631120653656372657412c5010aa6010a017312001a0022002a017532013738ffffffffffffffff7f420808c0e381af
     0610004a0d08ffffffffffffffffff01100050ffffffffffffffffff015a060a01611201315a060a01621201325a080a02c3a91202c3bc6a11
     0a014b1a016e2201772a027631300138007201668a01360a016d12065570646174651a027631220808c0e381af06100032084669656c647356
     313a0f0a0d7b22663a64617461223a7b7d7d420012050a0165120012090a016b1204000102ff1a064f706171756528001a002200`,
  ],
  [
    `{"kind":"ResourceQuota","apiVersion":"v1","metadata":{"name":"q"},"spec":{"hard":{"cpu":"1500m","memory":"512Mi",
      "pods":"10"},"scopes":["Terminating"],"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",
      "operator":"In","values":["high"]}]}},"status":{"used":{"cpu":"0"}}}`,
    `6b3873000a130a027631120d5265736f7572636551756f7461127e0a110a017112001a0022002a00320038004200125b0a0e0a036370751207
     0a05313530306d0a110a066d656d6f727912070a053531324d690a0c0a04706f647312040a023130120b5465726d696e6174696e671a1b0a19
     0a0d5072696f72697479436c6173731202496e1a04686967681a0c120a0a0363707512030a01301a002200`,
  ],
  [
    `{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"p"},"spec":{"minAvailable":"50%",
      "selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"Exists"}]},"maxUnavailable":-1,
      "unhealthyPodEvictionPolicy":""},"status":{"observedGeneration":300,"disruptedPods":{"x":"2024-01-01T00:00:00Z"},
      "disruptionsAllowed":-2147483648,"currentHealthy":2147483647,"desiredHealthy":128,"expectedPods":0,
      "conditions":[{"type":"T","status":"True","lastTransitionTime":null,"reason":"","message":"m"}]}}`,
    `6b3873000a200a09706f6c6963792f76311213506f6444697372757074696f6e4275646765741288010a110a017012001a0022002a00320038
     00420012350a09080110001a0335302512150a060a0161120162120b0a016b12064578697374731a0f080010ffffffffffffffffff011a0022
     001a3c08ac02120d0a01781208088081c8ac0610001880808080f8ffffffff0120ffffffff0728800130003a120a0154120454727565180022
     002a0032016d1a002200`,
  ],
  [
    `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{},"spec":{"holderIdentity":"h",
      "leaseDurationSeconds":0,"acquireTime":"2024-01-01T00:00:00.123456Z","renewTime":"1960-01-01T00:00:00.000001Z"}}`,
    `6b3873000a1f0a16636f6f7264696e6174696f6e2e6b38732e696f2f763112054c6561736512360a100a0012001a0022002a00320038004200
     12220a016810001a0b088081c8ac06108094ef3a220e088091c0e9feffffffff0110e8071a002200`,
  ],
  [
    '{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},"data":{"spec":{"replicas":1}},"revision":5}',
    `6b3873000a1d0a07617070732f76311212436f6e74726f6c6c65725265766973696f6e122f0a100a0012001a0022002a003200380042001219
     0a177b2273706563223a7b227265706c69636173223a317d7d18051a002200`,
  ],
  [
    '{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},"data":null,"revision":0}',
    `6b3873000a1d0a07617070732f76311212436f6e74726f6c6c65725265766973696f6e12160a100a0012001a0022002a003200380042001200
     18001a002200`,
  ],
  [
    `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1","remainingItemCount":3},
      "items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"type":"T"}]}`,
    `6b3873000a100a027631120a5365637265744c697374123a0a090a001201311a00200312150a110a016112001a0022002a003200380042001a
     0012160a110a016212001a0022002a003200380042001a01541a002200`,
  ],
];

describe('all formats encode the same data of', () => {
  it.each(objects)('%s', (json, hex) => {
    const { object, gvk } = codecs.json.decode(bytesOf(json));
    expect(gvk.kind).toBe(object.kind);
    expect(Buffer.from(codecs.protobuf.encode(object)).toString('hex')).toBe(hex.replace(/\s/g, ''));
    expect(codecs.protobuf.decode(fromHex(hex)).object).toEqual(object);
    expect(codecs.yaml.decode(codecs.yaml.encode(object)).object).toEqual(object);
    expect(codecs.json.decode(codecs.json.encode(object)).object).toEqual(object);
  });

  it.each([...exampleKinds].filter(([kind]) => !kind.endsWith('Table')))('any %s', (name, schema) => {
    const [apiVersion = '', kind = ''] = name.split(' ');
    fc.assert(
      fc.property(arbitraryFor(schema), (random) => {
        const object = { ...random, apiVersion, kind };
        for (const codec of codecs.supported) expect(codecs.decode(codec.encode(object)).object).toEqual(object);
      }),
      { numRuns: 10 },
    );
  });
});

describe('printing', () => {
  it('ends JSON with a line break, unless it is indented', () => {
    expect(textOf(codecs.json.encode({ a: '<' }))).toBe('{"a":"\\u003c"}\n');
    expect(textOf(codecs.json.encode({ a: [] }, { pretty: true }))).toBe('{\n  "a": []\n}');
  });

  it('refuses kinds without protobuf', () => {
    expect(() => codecs.protobuf.encode({ apiVersion: 'meta.k8s.io/v1', kind: 'Table' })).toThrow(
      'object *v1.Table does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message',
    );
    expect(() => codecs.protobuf.encode({ kind: 'Secret' })).toThrow("Object 'apiVersion' is missing");
  });
});

describe('recognising', () => {
  it.each<[string, Uint8Array, Serializer]>([
    ['JSON', bytesOf(' \n{"kind"'), codecs.json],
    ['YAML', bytesOf('kind: Secret'), codecs.yaml],
    ['a YAML list', bytesOf('[]'), codecs.yaml],
    ['empty data', bytesOf(''), codecs.yaml],
    ['protobuf', fromHex('6b38730000'), codecs.protobuf],
  ])('%s', (_, data, codec) => {
    expect(codecs.recognize(data)).toBe(codec);
  });
});

describe('the kind', () => {
  const decodeJson = (json: string, options?: DecodeOptions): GroupVersionKind =>
    codecs.json.decode(bytesOf(json), options).gvk;
  const lease = GroupVersionKind.of('coordination.k8s.io', 'v1', 'Lease');

  it.each<[sentence: string, json: string, defaultGVK: GroupVersionKind, expected: GroupVersionKind]>([
    ['is the default when the object has none', '{}', lease, lease],
    ['is the default for null', 'null', lease, lease],
    ['takes the version of the default', '{"kind":"Lease"}', lease, lease],
    ['takes the kind of the default', '{"apiVersion":"coordination.k8s.io/v1"}', lease, lease],
    ['is that of the object', '{"apiVersion":"v1","kind":"Secret"}', lease, secret],
  ])('%s', (_, json, defaultGVK, expected) => {
    expect(decodeJson(json, { defaultGVK })).toBe(expected);
  });

  it('is set in the object', () => {
    expect(codecs.json.decode(bytesOf('{}'), { defaultGVK: secret }).object).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {},
    });
  });

  it('need not be known for an unstructured object', () => {
    const data = bytesOf('{"apiVersion":"x/v1","kind":"Foo","n":1.0,"big":9007199254740993,"z":null}');
    expect(codecs.json.decode(data, { unstructured: true }).object).toEqual({
      apiVersion: 'x/v1',
      kind: 'Foo',
      n: 1,
      big: 9007199254740993n,
      z: null,
    });
    expect(
      codecs.yaml.decode(bytesOf('kind: Foo\napiVersion: x/v1\na: 18446744073709551615'), { unstructured: true }).object
        .a,
    ).toBe(2 ** 64);
  });
});

describe('errors', () => {
  const parseError = "couldn't get version/kind; json parse error: ";

  it.each<[format: 'json' | 'yaml' | 'protobuf', data: string, message: string]>([
    ['json', '{', `${parseError}unexpected end of JSON input`],
    ['json', '{"kind":5}', `${parseError}json: cannot unmarshal number into Go struct field .kind of type string`],
    [
      'json',
      '5',
      `${parseError}json: cannot unmarshal number into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
    [
      'json',
      '1.5',
      `${parseError}json: cannot unmarshal number into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
    ['json', '{}', "Object 'Kind' is missing in '{}'"],
    ['json', 'null', "Object 'Kind' is missing in 'null'"],
    ['json', '{"kind":"Secret"}', `Object 'apiVersion' is missing in '{"kind":"Secret"}'`],
    ['json', '{"apiVersion":"a/b/c","kind":"Secret"}', 'unexpected GroupVersion string: a/b/c'],
    [
      'json',
      '{"apiVersion":"x.io/v1","kind":"Foo"}',
      'no kind "Foo" is registered for version "x.io/v1" in scheme "test"',
    ],
    [
      'json',
      '{"apiVersion":"v1","kind":"Secret","type":1.0}',
      'json: cannot unmarshal number into Go struct field Secret.type of type v1.SecretType',
    ],
    ['yaml', 'a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['yaml', 'a: 1', "Object 'Kind' is missing in 'a: 1'"],
    [
      'yaml',
      'apiVersion: v1\nkind: Secret\ntype: 1\nimmutable: 5',
      'json: cannot unmarshal number into Go struct field Secret.immutable of type bool',
    ],
    ['protobuf', '', 'empty data'],
    ['protobuf', 'xx', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    ['protobuf', 'k8s\0', 'empty body'],
    ['protobuf', 'k8s\0\n', 'unexpected EOF'],
    ['protobuf', 'k8s\0\n\0', `Object 'Kind' is missing in 'runtime.TypeMeta{APIVersion:"", Kind:""}'`],
  ])('%s %j', (format, data, message) => {
    expect(() => codecs[format].decode(bytesOf(data))).toThrow(
      expect.objectContaining({ name: 'DecodeFailure', message }),
    );
  });

  it.each<[body: string, expected: string]>([
    [
      '{"spec":1,"type":2}',
      'Secret in version "v1" cannot be handled as a Secret: json: cannot unmarshal number into Go struct field Secret.type of type v1.SecretType',
    ],
    [
      '{"apiVersion":"v1","kind":"Foo"}',
      'Foo in version "v1" cannot be handled as a Secret: no kind "Foo" is registered for version "v1" in scheme "test"',
    ],
    [
      '{',
      `the object provided is unrecognized (must be of type Secret): ${parseError}unexpected end of JSON input ({)`,
    ],
    [
      '',
      `the object provided is unrecognized (must be of type Secret): ${parseError}unexpected end of JSON input (<empty>)`,
    ],
    [
      `["${'x'.repeat(40)}`,
      `the object provided is unrecognized (must be of type Secret): ${parseError}unexpected end of JSON input (5b22${'78'.repeat(28)} ...)`,
    ],
  ])('are the message of the response to a request with body %s', (body, expected) => {
    const data = bytesOf(body);
    const decode = (): unknown => codecs.json.decode(data, { defaultGVK: secret });
    expect(decode).toThrow(DecodeFailure);
    try {
      decode();
    } catch (error) {
      expect(badBodyMessage(error as DecodeFailure, 'Secret', data)).toBe(expected);
    }
  });
});

describe('strict decoding', () => {
  const strictErrors = (format: 'json' | 'yaml', text: string): readonly string[] =>
    codecs[format].decode(bytesOf(text), { strict: true }).strictErrors;

  it('lists unknown and duplicate fields, and decodes the object nevertheless', () => {
    const json = '{"apiVersion":"v1","kind":"Secret","foo":1,"metadata":{"name":"a","name":"b"}}';
    const decoded = codecs.json.decode(bytesOf(json), { strict: true });
    expect(decoded.object.metadata).toEqual({ name: 'b' });
    expect(strictDecodingMessage(decoded.strictErrors)).toBe(
      'strict decoding error: unknown field "foo", duplicate field "metadata.name"',
    );
    expect(codecs.json.decode(bytesOf(json)).strictErrors).toEqual([]);
  });

  it('finds no errors in a valid object', () => {
    expect(strictErrors('json', '{"apiVersion":"v1","kind":"Secret","metadata":{"labels":{"a":":"}}}')).toEqual([]);
    expect(strictErrors('yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {labels: {a: b}}')).toEqual([]);
  });

  it('reports duplicate keys with their lines in a YAML document', () => {
    const yaml = 'apiVersion: v1\nkind: Secret\nkind: Secret\nmetadata: {name: a, name: b, bar: 1}\nabc: 1';
    expect(strictErrors('yaml', yaml)).toEqual([
      'yaml: unmarshal errors:\n  line 3: key "kind" already set in map\n  line 4: key "name" already set in map',
      'unknown field "abc"',
      'unknown field "metadata.bar"',
    ]);
  });

  it('finds duplicates in an unstructured object', () => {
    const data = bytesOf('{"kind":"Foo","a":{"b":1,"b":2}}');
    expect(codecs.json.decode(data, { strict: true, unstructured: true }).strictErrors).toEqual([
      'duplicate field "a.b"',
    ]);
  });
});

describe('a watch', () => {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'é' } };

  it.each([codecs.json, codecs.protobuf])('in $mediaType', (codec) => {
    const frames = ['ADDED', 'DELETED'].map((type) => codec.framer.frame(codec.wrapEvent(type, codec.encode(object))));
    const reader = codec.framer.reader();
    const events = frames.flatMap((frame) => reader.push(frame)).map((frame) => codec.decodeEvent(frame));
    expect(events).toMatchObject([
      { type: 'ADDED', object, gvk: secret },
      { type: 'DELETED', object },
    ]);
  });

  it('is encoded as upstream does', () => {
    const json = codecs.json.wrapEvent('ADDED', codecs.json.encode(object));
    expect(textOf(json)).toBe(`{"type":"ADDED","object":${stringifyJson(object)}}\n`);
    const event = codecs.protobuf.wrapEvent('ADDED', fromHex('6b387300'));
    expect(Buffer.from(event).toString('hex')).toBe('0a0541444445441206' + '0a04' + '6b387300');
  });

  it.each([
    [codecs.json, '{"object":{}}', 'unable to decode watch event: it has no type'],
    [codecs.json, '{"type":"ADDED","object":{"kind":"Foo","apiVersion":"v1"}}', 'no kind "Foo" is registered'],
    [codecs.json, '{', 'unexpected end of JSON input'],
    [codecs.protobuf, '\n\u0005AB', 'unexpected EOF'],
  ])('fails in $mediaType on %s', (codec, frame, message) => {
    expect(() => codec.decodeEvent(bytesOf(frame))).toThrow(message);
  });
});

describe('choosing a format', () => {
  it('depends on the headers', () => {
    expect(codecs.forOutput('application/yaml').accepted).toBe(codecs.yaml);
    expect(codecs.forInput('application/vnd.kubernetes.protobuf').accepted).toBe(codecs.protobuf);
    expect(codecs.forStream('application/json;stream=watch').accepted).toBe(codecs.json);
  });

  it('leaves protobuf out for custom resources', () => {
    const custom = new CodecFactory(exampleLookup, { protobuf: false });
    expect(custom.forInput('application/vnd.kubernetes.protobuf')).toEqual({
      accepted: undefined,
      supported: ['application/json', 'application/yaml'],
    });
  });
});
