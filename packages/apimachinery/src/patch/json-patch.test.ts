import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDepthError, jsonEquals } from '../json/index.ts';
import { pollutingKeys } from '../json/json.test-data.ts';
import { createJsonPatch } from './create-json-patch.ts';
import { applyJsonPatch } from './json-patch.ts';
import { expectOutcome, loadCases, type Outcome } from './patch.test-data.ts';
import { PatchError } from './patch-error.ts';

/** The appendix of RFC 6902 and more, with the results and errors of upstream's library. */
const cases = loadCases<{ document: unknown; patch: unknown } & Outcome>('json-patch');

it.each(cases)('%s', (_, { document, patch, ...outcome }) => {
  expectOutcome([document, patch], () => applyJsonPatch(document, patch), outcome);
});

describe('codes', () => {
  const codeOf = (patch: unknown, limits = {}): number | undefined => {
    try {
      applyJsonPatch({ a: [1] }, patch, limits);
      return undefined;
    } catch (error) {
      return error instanceof PatchError ? error.code : undefined;
    }
  };

  it('are 400 for malformed patches', () => {
    expect(codeOf({})).toBe(400);
    expect(codeOf([1])).toBe(400);
  });

  it('are 422 for patches that do not apply', () => {
    expect(codeOf([{ op: 'zap' }])).toBe(422);
    expect(codeOf([{ op: 'add', path: '/a/9', value: 1 }])).toBe(422);
    expect(codeOf([{ op: 'remove', path: '/a/x' }])).toBe(422);
  });

  it('are 413 for patches that are too long', () => {
    expect(codeOf([{ op: 'test', path: '/x' }], { maxOperations: 0 })).toBe(413);
  });
});

describe('limits', () => {
  const tests = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }));

  it('allow 10000 operations', () => {
    expect(applyJsonPatch({ a: 1 }, tests(10_000))).toEqual({ a: 1 });
    expect(() => applyJsonPatch({ a: 1 }, tests(10_001))).toThrow(
      new PatchError('The allowed maximum operations in a JSON patch is 10000, got 10001', 413),
    );
  });

  it('count the bytes that copies add', () => {
    const document = { a: { b: 'é<', c: [1, 2] } };
    const copies = ['/x', '/y', '/z'].map((path) => ({ op: 'copy', from: '/a', path }));
    const size = '{"b":"é\\u003c","c":[1,2]}'.length + 1;
    expect(applyJsonPatch(document, copies, { maxCopyBytes: 3 * size })).toHaveProperty('z', document.a);
    expect(() => applyJsonPatch(document, copies, { maxCopyBytes: 3 * size - 1 })).toThrow(
      `Unable to complete the copy, the accumulated size increase of copy is ${3 * size}, exceeding the limit ${3 * size - 1}`,
    );
  });

  it('allow 3 MiB of copies', () => {
    const document = { a: 'x'.repeat(1024 * 1024) };
    const copies = ['/b', '/c', '/d'].map((path) => ({ op: 'copy', from: '/a', path }));
    expect(() => applyJsonPatch(document, copies)).toThrow('exceeding the limit 3145728');
    expect(applyJsonPatch(document, copies.slice(1))).toHaveProperty('d');
  });
});

it('requires a document that is an object or a list', () => {
  expect(() => applyJsonPatch('x', [])).toThrow(
    'json: cannot unmarshal string into Go value of type jsonpatch.partialDoc',
  );
});

it('keeps big integers', () => {
  expect(applyJsonPatch({ a: 2n ** 60n }, [{ op: 'copy', from: '/a', path: '/b' }])).toEqual({
    a: 2n ** 60n,
    b: 2n ** 60n,
  });
});

it('refuses a result that is nested too deeply', () => {
  let value = {};
  for (let i = 1; i < 600; i++) value = { a: value };
  const nest = (levels: number) => ({ op: 'add', path: '/a'.repeat(levels), value });
  expect(() => applyJsonPatch({}, [nest(1), nest(600)])).toThrow(JsonDepthError);
  expect(() => applyJsonPatch({}, [nest(1), nest(600), { op: 'copy', from: '/a', path: '/b' }])).toThrow(
    JsonDepthError,
  );
});

it('shares nothing with the patch', () => {
  const value = { b: [1] };
  const patch = [
    { op: 'add', path: '/x', value },
    { op: 'add', path: '/x/b/-', value: 2 },
  ];
  expect(applyJsonPatch({}, patch)).toEqual({ x: { b: [1, 2] } });
  expect(value).toEqual({ b: [1] });
});

it('treats __proto__ and constructor as ordinary keys', () => {
  const document: unknown = applyJsonPatch({}, [
    { op: 'add', path: '/__proto__', value: { polluted: true } },
    { op: 'add', path: '/__proto__/more', value: 1 },
  ]);
  expect(JSON.stringify(document)).toBe('{"__proto__":{"polluted":true,"more":1}}');
  expect({}).not.toHaveProperty('polluted');
  expect(() => applyJsonPatch({}, [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }])).toThrow(
    'doc is missing path',
  );
  expect(() => applyJsonPatch({}, [{ op: 'remove', path: '/toString' }])).toThrow('nonexistent key');
  expect(applyJsonPatch(pollutingKeys(), [{ op: 'remove', path: '/__proto__' }])).not.toHaveProperty('polluted');
});

describe('createJsonPatch', () => {
  const container = fc.oneof(
    fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 })),
    fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }),
  );

  it('creates patches that turn one document into the other', () => {
    fc.assert(
      fc.property(container, container, (from, to) => {
        const patched = applyJsonPatch(from, createJsonPatch(from, to));
        expect(jsonEquals(patched, to)).toBe(true);
      }),
    );
  });

  it('creates patches that turn a list into one with partly the same items', () => {
    const item = fc.constantFrom(1, 2, 3, { a: 1 }, { a: 2 });
    fc.assert(
      fc.property(fc.array(item), fc.array(item), fc.array(item), fc.array(item), (start, old, young, end) => {
        const [from, to] = [old, young].map((middle) => ({ l: [...start, ...middle, ...end] }));
        expect(applyJsonPatch(from, createJsonPatch(from, to))).toEqual(to);
      }),
    );
  });

  it.each([
    ['nothing for equal documents', { a: [1] }, { a: [1] }, []],
    ['one removal at the front of a list', { a: [1, 2, 3] }, { a: [2, 3] }, [{ op: 'remove', path: '/a/0' }]],
    ['one addition at the front of a list', { a: [2, 3] }, { a: [1, 2, 3] }, [{ op: 'add', path: '/a/0', value: 1 }]],
    ['escaped keys', { 'a/b~': 1 }, { 'a/b~': 2 }, [{ op: 'replace', path: '/a~1b~0', value: 2 }]],
    ['a replacement of the whole document', [], {}, [{ op: 'replace', path: '', value: {} }]],
  ])('gives %s', (_, from, to, patch) => {
    expect(createJsonPatch(from, to)).toEqual(patch);
  });
});

describe('a patch that shifts a large list many times', () => {
  const items = Array.from({ length: 1_000_000 }, () => 0);

  it.each([
    ['adds', { op: 'add', path: '/x/0', value: 1 }],
    ['removes', { op: 'remove', path: '/x/0' }],
    ['moves', { op: 'move', from: '/x/0', path: '/x/1' }],
    ['copies', { op: 'copy', from: '/x/1', path: '/x/0' }],
  ])('is refused: it %s', (_, operation) => {
    const patch = [{ op: 'add', path: '/x', value: items }, ...Array.from({ length: 9_000 }, () => operation)];
    const refused = expect.objectContaining({ name: 'PatchError', code: 413 });
    expect(() => applyJsonPatch({}, patch)).toThrow(refused);
  });
});
