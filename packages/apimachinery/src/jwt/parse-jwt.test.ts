import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerProblem, parseJwt, unverifiedClaims } from './index.ts';

const encode = (text: string | Uint8Array): string => Buffer.from(text).toString('base64url');
const header = encode('{"alg":"ES256"}');
const claims = encode('{"sub":"ü"}');
const token = `${header}.${claims}.AAAA`;

describe('a token', () => {
  it('is parsed', () => {
    const { signature, ...rest } = parseJwt(token)!;
    expect(rest).toEqual({ header: { alg: 'ES256' }, claims: { sub: 'ü' }, input: `${header}.${claims}` });
    expect([...signature]).toEqual([0, 0, 0]);
  });

  it('may have an empty signature, which the verifier must refuse', () => {
    expect(parseJwt(`${header}.${claims}.`)?.signature).toHaveLength(0);
  });

  it.each<[sentence: string, text: string]>([
    ['empty', ''],
    ['of two parts', `${header}.${claims}`],
    ['of four parts', `${token}.AAAA`],
    ['of very many parts', '.'.repeat(100_000)],
    ['with padding', `${header}=.${claims}.AAAA`],
    ['in standard base64', `${header}.${claims}.++//`],
    ['with white space around it', ` ${token}\n`],
    ['with a line break in it', `${header}.${claims}.AA\nAA`],
    ['of half a byte', `${header}.${claims}.AAAAA`],
    ['with bits beyond the end of its signature', `${header}.${claims}.AB`],
    ['with bits beyond the end of its header', `${encode('{}').slice(0, -1)}1.${claims}.AAAA`],
    ['whose header is not JSON', `${encode('{')}.${claims}.AAAA`],
    ['whose header is a list', `${encode('[]')}.${claims}.AAAA`],
    ['whose header is null', `${encode('null')}.${claims}.AAAA`],
    ['whose claims are a string', `${header}.${encode('"x"')}.AAAA`],
    ['whose header has a duplicate key', `${encode('{"alg":"ES256","alg":"none"}')}.${claims}.AAAA`],
    [
      'whose header has a duplicate key with an escape',
      `${encode('{"alg":"ES256","\\u0061lg":"none"}')}.${claims}.AAAA`,
    ],
    ['whose claims have a duplicate key', `${header}.${encode('{"a":{"sub":"x","sub":"y"}}')}.AAAA`],
    [
      'of claims that are nested too deeply',
      `${header}.${encode(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`)}.AAAA`,
    ],
    ['that is too long', `${header}.${encode(`{"a":"${'x'.repeat(128 * 1024)}"}`)}.AAAA`],
    ['with full-width letters', `${header}.${claims}.ＡＡＡＡ`],
  ])('is refused when it is one %s', (_, text) => {
    expect(parseJwt(text)).toBeUndefined();
  });

  it('has claims of any name', () => {
    const text = '{"__proto__":{"admin":true},"constructor":1,"toString":null}';
    const found = parseJwt(`${header}.${encode(text)}.AAAA`)!.claims;
    expect(Object.keys(found)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  });

  it('may contain invalid UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"sub":"'), Uint8Array.of(0xff), Buffer.from('"}')]);
    expect(parseJwt(`${header}.${encode(bytes)}.AAAA`)?.claims).toEqual({ sub: '\ufffd' });
  });

  it('never throws, and is undefined or contains what was encoded', () => {
    const part = fc.oneof(
      fc.string().map(encode),
      fc.json().map(encode),
      fc.uint8Array({ maxLength: 40 }).map(encode),
      fc.string(),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const text = parts.join('.');
        const parsed = parseJwt(text);
        unverifiedClaims(text);
        headerProblem(text);
        if (!parsed) return;
        expect(parsed.header).toEqual(JSON.parse(Buffer.from(parts[0]!, 'base64url').toString()));
        expect(parsed.claims).toEqual(JSON.parse(Buffer.from(parts[1]!, 'base64url').toString()));
        expect(Buffer.from(parsed.signature).toString('base64url')).toBe(parts[2]);
        expect(parsed.input).toBe(`${parts[0]}.${parts[1]}`);
      }),
      { numRuns: 1000 },
    );
  });

  it('is different when any of its characters is different', () => {
    const characters = fc.constantFrom(...'ABCwxyz0189-_.=+/ \n{"é');
    fc.assert(
      fc.property(fc.nat(token.length - 1), characters, (at, character) => {
        fc.pre(token[at] !== character);
        expect(parseJwt(token.slice(0, at) + character + token.slice(at + 1))).not.toEqual(parseJwt(token));
      }),
    );
  });
});

it.each([
  [`x.${claims}.s`, { sub: 'ü' }],
  [`${header}.${encode('[]')}.s`, undefined],
  [`${header}.${encode('{"a":1,"a":2}')}.s`, undefined],
  ['opaque', undefined],
])('the claims of %j, whatever its header, are %j', (text, expected) => {
  expect(unverifiedClaims(text)).toEqual(expected);
});

it.each([
  [`${encode('no')}.${claims}.s`, "invalid character 'o' in literal null (expecting 'u')"],
  [`${header}.x.s`, undefined],
  ['?.x.s', undefined],
])('the header of %j has the problem %j', (text, problem) => {
  expect(headerProblem(text)).toBe(problem);
});
