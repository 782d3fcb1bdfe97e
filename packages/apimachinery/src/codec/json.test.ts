import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH } from '../json/depth.ts';
import { stringifyJson, writeJson } from '../json/stringify-json.ts';
import { NumberLiteral } from '../schema/number-literal.ts';
import { completed } from '../steps/index.ts';
import { parseJson, parseJsonInSteps, readJson } from './json.ts';
import { JsonParser } from './json-parser.ts';
import { encodeUtf8 } from './utf8.ts';

describe('parsing', () => {
  it('agrees with JSON.parse, with and without the fast path', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const expected: unknown = JSON.parse(text);
        // JSON.parse reads bigints as numbers.
        expect(JSON.parse(stringifyJson(parseJson(text).value))).toEqual(expected);
        expect(JSON.parse(stringifyJson(completed(new JsonParser(text, false).parse())))).toEqual(expected);
      }),
    );
  });

  it.each([
    ['many items', `[${'{"a":[1,"b"]},'.repeat(10_000)}1]`],
    ['many keys', `{${Array.from({ length: 25_000 }, (_, i) => `"k${i}":null`).join()}}`],
  ])('reads %s in many steps', (_, text) => {
    const steps = parseJsonInSteps(encodeUtf8(text));
    let taken = 1;
    let step = steps.next();
    for (; !step.done; step = steps.next()) taken++;
    expect(step.value.value).toEqual(JSON.parse(text));
    expect(taken).toBeGreaterThan(20);
  });

  it('gives the same result in steps as at once', () => {
    const read = (parse: () => unknown): unknown => {
      try {
        return parse();
      } catch (error) {
        return String(error);
      }
    };
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.boolean(), (text, keepLiterals) => {
        const inSteps = read(() => completed(parseJsonInSteps(encodeUtf8(text), keepLiterals)));
        expect(inSteps).toEqual(read(() => parseJson(encodeUtf8(text), keepLiterals)));
      }),
    );
  });

  it.each<[sentence: string, text: string, expected: unknown]>([
    ['integers beyond 2^53', '[9007199254740993,-9223372036854775808]', [9007199254740993n, -9223372036854775808n]],
    ['integers beyond int64 as doubles', '[9223372036854775808]', [2 ** 63]],
    ['small numbers among large ones', '{"a":1,"b":9007199254740993}', { a: 1, b: 9007199254740993n }],
    ['fractions and exponents', '[1.0,1.5,1e3,-2E-2]', [1, 1.5, 1000, -0.02]],
    ['pairs of surrogates', '"\\ud83d\\ude00"', '😀'],
    ['lone surrogates as U+FFFD', '["\\ud800","\\udc00x","\\ud800\\ud83d\\ude00"]', ['\ufffd', '\ufffdx', '\ufffd😀']],
    ['long digits in strings', '"12345678901234567890"', '12345678901234567890'],
  ])('reads %s', (_, text, expected) => {
    expect(parseJson(text).value).toEqual(expected);
  });

  it.each<[sentence: string, text: string, expected: unknown]>([
    ['what JSON.parse reads', '{"a":[1,1.5,"12345678901234567",null]}', { a: [1, 1.5, '12345678901234567', null] }],
    ['integers beyond 2^53', '{"a":[9007199254740993],"b":1.5}', { a: [9007199254740993n], b: 1.5 }],
    ['no integers beyond int64', '[18446744073709551616]', [2 ** 64]],
    ['long fractions as doubles', '[0.1234567890123456]', [0.1234567890123456]],
  ])('readJson reads %s', (_, text, expected) => {
    expect(readJson(text)).toEqual(expected);
  });

  it('readJson throws for invalid JSON', () => {
    for (const text of ['', '{', '[9007199254740993', '{"a":9007199254740993,}']) {
      expect(() => readJson(text)).toThrow();
    }
  });

  it('keeps the spelling of numbers when asked', () => {
    expect(parseJson('{"a":1.0,"b":2,"c":1e3,"d":9223372036854775808}', true)).toEqual({
      value: {
        a: new NumberLiteral('1.0'),
        b: 2,
        c: new NumberLiteral('1e3'),
        d: new NumberLiteral('9223372036854775808'),
      },
      literals: true,
    });
  });

  it('does not mistake a version in a string for a number', () => {
    expect(parseJson('{"image":"nginx:1.25","b":"1.5"}', true).literals).toBe(false);
  });

  it('replaces broken UTF-8', () => {
    expect(parseJson(new Uint8Array([0x22, 0xff, 0x22])).value).toBe('\ufffd');
  });

  it.each(['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":1.5}}'])(
    'treats __proto__ as a key in %s',
    (text) => {
      const { value } = parseJson(text);
      expect(Object.keys(value as object)).toEqual(['__proto__']);
      expect('polluted' in {}).toBe(false);
    },
  );

  it('refuses a number that is too large for a double', () => {
    expect(() => parseJson('1e999')).toThrow('json: cannot unmarshal number 1e999 into Go value of type float64');
  });

  // The messages of Go's own parser.
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
    ['{"a":nul', "invalid character ' ' in literal null (expecting 'l')"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a":"\u0001"}', "invalid character '\\x01' in string literal"],
    ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
    ['{"a":"\\u12g"}', "invalid character 'g' in \\u hexadecimal character escape"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{,}', "invalid character ',' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a":1}x', "invalid character 'x' after top-level value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['nope', "invalid character 'o' in literal null (expecting 'u')"],
  ])('reports the error in %j', (text, message) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ name: 'JsonSyntaxError', message }));
  });
});

describe('depth', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const tooDeep = "invalid character '[' exceeded max depth";

  it('reads as deep as allowed', () => {
    expect(stringifyJson(parseJson(nested(MAX_JSON_DEPTH)).value)).toBe(nested(MAX_JSON_DEPTH));
  });

  it.each([
    ['one level too many', nested(MAX_JSON_DEPTH + 1)],
    ['one level too many, for the exact parser', nested(MAX_JSON_DEPTH + 1).replace('[]', '[1.5]')],
    ['a million levels', nested(1_000_000)],
    ['a million levels without an end', '['.repeat(1_000_000)],
  ])('refuses %s', (_, text) => {
    expect(() => parseJson(text)).toThrow(tooDeep);
  });

  it('refuses objects as deep', () => {
    expect(() => parseJson(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)).toThrow(
      "invalid character '{' exceeded max depth",
    );
  });
});

it('reads and prints a string of ten megabytes', () => {
  const text = JSON.stringify({ a: 'x'.repeat(10_000_000) });
  expect(stringifyJson(parseJson(text).value)).toBe(text);
});

describe('printing', () => {
  it('prints values next to bigints as JSON.stringify does', () => {
    const rest = {
      when: new Date(0),
      nothing: undefined,
      call: () => 1,
      list: [undefined, () => 1],
      html: '<&>',
      n: Number.NaN,
    };
    expect(writeJson({ ...rest, last: 2n ** 62n })).toBe(
      `${JSON.stringify(rest).slice(0, -1)},"last":4611686018427387904}`,
    );
    expect(writeJson(rest)).toBe(JSON.stringify(rest));
  });

  it('prints JSON that parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, pretty) => {
        expect(JSON.parse(stringifyJson(value, { pretty }))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each<[sentence: string, value: unknown, compact: string, pretty: string]>([
    [
      'bigints as numbers',
      { a: [2n ** 53n], b: {} },
      '{"a":[9007199254740992],"b":{}}',
      '{\n  "a": [\n    9007199254740992\n  ],\n  "b": {}\n}',
    ],
    ['HTML characters as escapes', '<&>\u2028', '"\\u003c\\u0026\\u003e\\u2028"', '"\\u003c\\u0026\\u003e\\u2028"'],
    ['nothing for undefined', { a: undefined, b: 1n }, '{"b":1}', '{\n  "b": 1\n}'],
  ])('prints %s', (_, value, compact, pretty) => {
    expect(stringifyJson(value)).toBe(compact);
    expect(stringifyJson(value, { pretty: true })).toBe(pretty);
  });

  it('indents alike with and without bigints', () => {
    const value = { a: [1, { b: [] }], c: 'x' };
    expect(stringifyJson({ ...value, d: 5n }, { pretty: true })).toBe(JSON.stringify({ ...value, d: 5 }, null, 2));
  });

  it('refuses circular values', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(() => stringifyJson(cycle)).toThrow('exceeded max depth');
  });
});
