import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryFor } from '../../schema/arbitrary.test-data.ts';
import { exampleKinds, exampleType } from '../../schema/example-types.test-data.ts';
import { compileNormalizer } from '../../schema/normalizer.ts';
import { parseJson } from '../json.ts';
import { decodeProtobufMessage, encodeProtobufMessage } from './message.ts';
import { ProtoWriter } from './writer.ts';

type JsonObject = Record<string, unknown>;

const encode = (type: string, object: JsonObject): Uint8Array => encodeProtobufMessage(exampleType(type), object);
const decode = (type: string, bytes: Uint8Array): JsonObject => decodeProtobufMessage(exampleType(type), bytes);

const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

// Objects as upstream prints them in JSON, with the bytes that upstream encodes them to.
const vectors: [type: string, json: string, hex: string][] = [
  ['core.v1.SecretKeySelector', '{"name":"db","key":"password"}', '0a040a026462120870617373776f7264'],
  ['core.v1.SecretKeySelector', '{"key":"","optional":false}', '0a020a0012001800'],
  [
    'authentication.v1.UserInfo',
    '{"username":"a","groups":["g","h"],"extra":{"a":[],"b":["x","y"]}}',
    '0a016112001a01671a016822050a01611200220b0a016212060a01780a0179',
  ],
  [
    'meta.v1.APIResource',
    '{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get"],"shortNames":["po"]}',
    '0a04706f647310011a03506f6422050a036765742a02706f3203706f6442004a005200',
  ],
  [
    'meta.v1.APIResource',
    '{"name":"x","singularName":"","namespaced":false,"kind":"X","verbs":null}',
    '0a017810001a0158320042004a005200',
  ],
  [
    'metrics.v1beta1.NodeMetrics',
    '{"metadata":{"name":"n"},"timestamp":"2024-01-02T03:04:05Z","window":"1m30s","usage":{"cpu":"250m","memory":"1Gi"}}',
    `0a110a016e12001a0022002a00320038004200 120808a5facdac061000 1a07088088aca3cf02 220d0a0363707512060a043235306d
     220f0a066d656d6f727912050a03314769`,
  ],
  [
    'apiextensions.v1.JSONSchemaProps',
    `{"type":"object","default":{"a":1},"maximum":1.5,"enum":["a",1,null],"items":{"type":"string"},"not":{},
      "properties":{"a":{"items":[{"type":"x"}],"additionalProperties":{"nullable":true}},
      "b":{"type":"integer","minLength":9007199254740993}},"additionalProperties":false,
      "dependencies":{"o":{"id":"i"},"p":["q"]},"x-kubernetes-list-type":"map"}`,
    `0a00120022002a066f626a65637432003a0042090a077b2261223a317d49000000000000f83f500060007a00900100a201050a03226122
     a201030a0131a20100c201260a240a00120022002a06737472696e6732003a00500060007a00900100a80200b80200c00200e2011e0a00
     120022002a0032003a00500060007a00900100a80200b80200c00200ea016c0a016112670a00120022002a0032003a00500060007a0090
     0100c20121121f0a00120022002a017832003a00500060007a00900100a80200b80200c00200f201220801121e0a00120022002a003200
     3a00500060007a00900100a80201b80200c00200a80200b80200c00200ea01330a0162122e0a00120022002a07696e746567657232003a
     00500060007081808080808080107a00900100a80200b80200c00200f2010208008202260a016f12210a1f0a0169120022002a0032003a
     00500060007a00900100a80200b80200c002008202080a01701203120171a80200b80200c00200d202036d6170`,
  ],
];

/** The tests that every way of encoding and decoding messages must pass. */
export function protobufContract(): void {
  describe('encoding and decoding as upstream', () => {
    it.each(vectors.map(([type, json, hex]) => [type, json, hex.replace(/\s/g, '')] as const))(
      '%s %s',
      (type, json, hex) => {
        const { object } = compileNormalizer(exampleType(type))(parseJson(json).value);
        expect(toHex(encode(type, object))).toBe(hex);
        expect(decode(type, fromHex(hex))).toEqual(object);
      },
    );
  });

  describe('integers', () => {
    const field = (value: unknown): JsonObject => ({ generation: value });

    it.each([
      [1, '3801'],
      [127, '387f'],
      [128, '388001'],
      [16_383, '38ff7f'],
      [16_384, '38808001'],
      [2 ** 31, '388080808008'],
      [Number.MAX_SAFE_INTEGER, '38ffffffffffffff0f'],
      [2n ** 53n, '388080808080808010'],
      [2n ** 63n - 1n, '38ffffffffffffffff7f'],
      [-1, '38ffffffffffffffffff01'],
      [-(2n ** 63n), '3880808080808080808001'],
    ])('%d', (value, hex) => {
      const bytes = encode('meta.v1.ObjectMeta', field(value));
      expect(toHex(bytes)).toContain(hex);
      expect(decode('meta.v1.ObjectMeta', bytes).generation).toBe(value);
    });
  });

  it('sorts keys by code points', () => {
    const bytes = encode('meta.v1.LabelSelector', { matchLabels: { '😀': '3', '\uffee': '2', b: '1', a: '0' } });
    expect(Object.values(decode('meta.v1.LabelSelector', bytes).matchLabels as object)).toEqual(['0', '1', '2', '3']);
  });

  it('treats __proto__ as an ordinary key', () => {
    const labels: unknown = JSON.parse('{"matchLabels":{"__proto__":"x","constructor":"y"}}');
    const bytes = encode('meta.v1.LabelSelector', labels as JsonObject);
    expect(JSON.stringify(decode('meta.v1.LabelSelector', bytes))).toBe(JSON.stringify(labels));
  });

  it('encodes strings of any length and script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(decode('meta.v1.ShardInfo', encode('meta.v1.ShardInfo', { selector: text }))).toEqual({
          selector: text,
        });
      }),
    );
    const long = 'x'.repeat(10_000_000);
    expect(decode('meta.v1.ShardInfo', encode('meta.v1.ShardInfo', { selector: long })).selector).toBe(long);
  });

  describe.each([...exampleKinds].filter(([kind]) => !kind.endsWith('Table')))('any %s', (_, schema) => {
    it('is the same after encoding and decoding', () => {
      fc.assert(
        fc.property(arbitraryFor(schema), (object) => {
          expect(decode(schema.fullName, encode(schema.fullName, object))).toEqual(object);
        }),
        { numRuns: 25 },
      );
    });
  });

  it('decodes a schema of schemas to the same as was encoded', () => {
    const type = 'apiextensions.v1.JSONSchemaProps';
    fc.assert(
      fc.property(arbitraryFor(exampleType(type)), (object) => {
        expect(decode(type, encode(type, object))).toEqual(object);
      }),
      { numRuns: 25 },
    );
  });

  describe('valid messages that this encoder does not write', () => {
    it.each<[sentence: string, type: string, hex: string, expected: JsonObject]>([
      [
        'skips unknown fields of every wire type',
        'meta.v1.ShardInfo',
        '1001 190102030405060708 1a021234 25aabbccdd 2b300132017833342c 0a0161',
        { selector: 'a' },
      ],
      ['takes the last of several values', 'meta.v1.ShardInfo', '0a0161 0a0162', { selector: 'b' }],
      [
        'merges a message that occurs twice',
        'coordination.v1.Lease',
        '12030a0168 12021005',
        { metadata: {}, spec: { holderIdentity: 'h', leaseDurationSeconds: 5 } },
      ],
      [
        'fills in missing fields that are required',
        'meta.v1.Condition',
        '',
        { type: '', status: '', lastTransitionTime: null, reason: '', message: '' },
      ],
      ['drops empty values', 'core.v1.LocalObjectReference', '0a00', {}],
      ['decodes an empty time as null', 'meta.v1.ManagedFieldsEntry', '2200', { time: null }],
      ['reads an entry without a value', 'core.v1.Secret', '12030a0161', { metadata: {}, data: { a: '' } }],
      ['replaces invalid UTF-8', 'meta.v1.ShardInfo', '0a02c328', { selector: '\ufffd(' }],
    ])('%s', (_, type, hex, expected) => {
      expect(decode(type, fromHex(hex))).toEqual(expected);
    });

    it('reads packed numbers', () => {
      const numbers = { ...exampleType('meta.v1.ShardInfo'), fullName: 'x', declared: [] as const };
      const schema = {
        ...numbers,
        declared: [
          {
            ...exampleType('meta.v1.ShardInfo').declared[0]!,
            name: 'n',
            schema: { kind: 'list', items: { kind: 'int64' }, listType: 'atomic', mapKeys: [] } as const,
          },
        ],
      };
      expect(decodeProtobufMessage(schema, fromHex('0a03 01ac02 0805')).n).toEqual([1, 300, 5]);
    });
  });

  describe('invalid messages', () => {
    it.each([
      ['a length beyond the end', '0a0561', 'unexpected EOF'],
      ['a tag without a value', '0a', 'unexpected EOF'],
      ['a number without an end', '1080', 'unexpected EOF'],
      ['a number of more than ten bytes', `10${'ff'.repeat(10)}01`, 'proto: integer overflow'],
      ['a negative length', `0a${'ff'.repeat(9)}01`, 'proto: negative length found during unmarshaling'],
      ['a length of gigabytes', '0affffffff07', 'unexpected EOF'],
      ['another wire type', '0801', 'proto: wrong wireType = 0 for field Selector'],
      ['a wire type that does not exist', '17', 'proto: illegal wireType 7'],
      ['a field without a number', '0001', 'proto: ShardInfo: illegal tag 0 (wire type 0)'],
      ['the end of a group', '14', 'proto: ShardInfo: wiretype end group for non-group'],
      ['a group without an end', '13', 'unexpected EOF'],
      ['a fixed value cut off', '1101', 'unexpected EOF'],
    ])('%s', (_, hex, message) => {
      expect(() => decode('meta.v1.ShardInfo', fromHex(hex))).toThrow(
        expect.objectContaining({ name: 'DecodeError', message }),
      );
    });

    it.each([
      [
        'core.v1.ResourceQuotaStatus',
        '12090a016112040a0261 78',
        "unable to parse quantity's suffix|quantities must match",
      ],
      ['meta.v1.ManagedFieldsEntry', '220c08ffffffffffffffff7f1000', 'proto: Timestamp: time out of range'],
      ['apps.v1.ControllerRevision', '12030a017b', 'unexpected end of JSON input'],
    ])('%s %s', (type, hex, message) => {
      expect(() => decode(type, fromHex(hex))).toThrow(new RegExp(message));
    });

    it('messages nested too deeply', () => {
      let bytes: Uint8Array = new Uint8Array();
      for (let i = 0; i < 2000; i++) {
        const writer = new ProtoWriter(bytes.length + 10);
        writer.raw(bytes);
        writer.varint(bytes.length);
        writer.varint(28 * 8 + 2);
        bytes = writer.take();
      }
      expect(() => decode('apiextensions.v1.JSONSchemaProps', bytes)).toThrow('proto: exceeded max depth');
    });

    it('a message cut off at any byte', () => {
      for (const [type, , hex] of vectors) {
        const bytes = fromHex(hex.replace(/\s/g, ''));
        for (let end = 0; end < bytes.length; end++) {
          try {
            decode(type, bytes.slice(0, end));
          } catch (error) {
            expect(error).toMatchObject({ name: expect.stringMatching(/^(?:Decode|JsonSyntax)Error$/) });
          }
        }
      }
    });

    it('a message with any bytes changed', () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...vectors),
          fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
          ([type, , hex], changes) => {
            const bytes = fromHex(hex.replace(/\s/g, ''));
            for (const [position, value] of changes) bytes[position % bytes.length] = value;
            try {
              decode(type, bytes);
            } catch (error) {
              expect(error).toMatchObject({ name: expect.stringMatching(/^(?:Decode|JsonSyntax)Error$/) });
            }
          },
        ),
        { numRuns: 1000 },
      );
    });
  });

  it('refuses to encode an object that is not normalised', () => {
    expect(() => encode('meta.v1.ShardInfo', { selector: 5 })).toThrow('cannot encode number as string');
  });
}
