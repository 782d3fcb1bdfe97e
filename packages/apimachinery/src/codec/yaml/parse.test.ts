import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH } from '../../json/depth.ts';
import { NumberLiteral } from '../../schema/number-literal.ts';
import { splitYamlDocuments } from './documents.ts';
import { stringifyYaml } from './emitter.ts';
import { parseYaml, parseYamlInSteps } from './parse.ts';
import { YamlError } from './yaml-error.ts';

const read = (text: string): unknown => parseYaml(text).value;

// The expectations are the results of sigs.k8s.io/yaml.
describe('scalars', () => {
  it.each<[text: string, expected: unknown]>([
    ['yes', true],
    ['On', true],
    ['y', true],
    ['off', false],
    ['N', false],
    ['yEs', 'yEs'],
    ['~', null],
    ['Null', null],
    ['nULL', 'nULL'],
    ['0777', 511],
    ['0o17', 15],
    ['08', 8],
    ['0o8', '0o8'],
    ['-0x1f', -31],
    ['0b101', 5],
    ['1_000', 1000],
    ['_1', '_1'],
    ['+1', 1],
    ['1.0', 1],
    ['1.', 1],
    ['.5', 0.5],
    ['.', '.'],
    ['1e3', 1000],
    ['-2E+05', -200_000],
    ['1e400', '1e400'],
    ['685.230_15e+03', 685_230.15],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', new NumberLiteral('18446744073709551615')],
    ['99999999999999999999', 1e20],
    ['2001-01-01', '2001-01-01'],
    ['2001-12-14T21:59:43Z', '2001-12-14T21:59:43Z'],
    ['12:30:45', '12:30:45'],
    ['"1"', '1'],
    ["'yes'", 'yes'],
    ["'it''s'", "it's"],
    ['"a\\x41\\u00e9\\n"', 'aAé\n'],
    ['! 12', '12'],
    ['!!str 3', '3'],
    ['!!int "3"', 3],
    ['!!float 3', 3],
    ['!!bool yes', true],
    ['!!binary aGk=', 'hi'],
    ['!foo bar', 'bar'],
    ['x#y', 'x#y'],
    ['x #y', 'x'],
    ['x\n  y\n\n  z', 'x y\nz'],
    ['|\n  x\n  y\n', 'x\ny\n'],
    ['|\n  x', 'x'],
    ['|-\n  x\n\n', 'x'],
    ['|+\n  x\n\n', 'x\n\n'],
    ['>\n  x\n  y\n\n  z\n', 'x y\nz\n'],
  ])('a: %s', (text, expected) => {
    expect(read(`a: ${text}`)).toEqual({ a: expected });
  });
});

describe('documents', () => {
  it.each<[sentence: string, text: string, expected: unknown]>([
    ['an empty text is null', '', null],
    ['a comment is null', '# c', null],
    ['only the first document is read', 'a: 1\n---\nb: {', { a: 1 }],
    ['a byte order mark is skipped', '\ufeffa: 1', { a: 1 }],
    ['lines may end in CRLF', 'a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['JSON is YAML', '{"a":1,"b":[1,"x"]}', { a: 1, b: [1, 'x'] }],
    ['pairs in a list are maps', '[a: 1, b]', [{ a: 1 }, 'b']],
    ['keys become strings', 'y: 1\n2: 3\n1.5: 4\n0x10: 5', { true: 1, 2: 3, 1.5: 4, 16: 5 }],
    ['sets become maps', '!!set {a, b}', { a: null, b: null }],
    ['anchors are resolved', 'a: &x {b: 1}\nc: *x\n&y d: *y', { a: { b: 1 }, c: { b: 1 }, d: 'd' }],
    ['an anchor can be redefined', 'a: &x 1\nb: &x 2\nc: *x', { a: 1, b: 2, c: 2 }],
    ['maps are merged', 'a: &a {x: 1, z: 2}\nb:\n  <<: *a\n  z: 3', { a: { x: 1, z: 2 }, b: { x: 1, z: 3 } }],
    ['merging overwrites earlier keys', 'z: 3\n<<: {z: 2}', { z: 2 }],
    ['of merged maps the first wins', '<<: [{a: 1}, {a: 2, b: 3}]', { a: 1, b: 3 }],
    ['a quoted << is no merge', '"<<": {a: 1}', { '<<': { a: 1 } }],
    ['the last of two equal keys wins', 'a: 1\na: 2', { a: 2 }],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('treat __proto__ as an ordinary key', () => {
    expect(JSON.stringify(read('__proto__: {polluted: 1}\na:\n  <<: {__proto__: 2}'))).toBe(
      '{"__proto__":{"polluted":1},"a":{"__proto__":2}}',
    );
    expect('polluted' in {}).toBe(false);
  });
});

it.each([
  ['a: 1\nb:\n  c: 1\n  c: 2\na: 3', ['line 4: key "c" already set in map', 'line 5: key "a" already set in map']],
  ['{a: 1, a: 2}', ['line 1: key "a" already set in map']],
  ['<<: {a: 1}\na: 2', ['line 2: key "a" already set in map']],
  ['1: a\n"1": b\n1: c', ['line 3: key 1 already set in map']],
  ['a: 1', []],
])('finds duplicate keys in %j', (text, expected) => {
  expect(parseYaml(text).duplicateKeys).toEqual(expected);
});

describe('errors', () => {
  it.each([
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['a: 1\n b: 2', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a:\n\tb: 1', 'yaml: line 2: found character that cannot start any token'],
    ['@a', 'yaml: found character that cannot start any token'],
    ['"abc', 'yaml: found unexpected end of stream'],
    ['a: "\\q"', 'yaml: found unknown escape character'],
    ['a: "\\ud800"', 'yaml: found invalid Unicode character escape code'],
    ['key: |\n  a\n b', 'yaml: line 2: did not find expected key'],
    ['- - a\n - b', "yaml: line 1: did not find expected '-' indicator"],
    ['a: [', 'yaml: line 1: did not find expected node content'],
    ['a: [1,\n  2', "yaml: line 2: did not find expected ',' or ']'"],
    ['a: {b\n', "yaml: line 1: did not find expected ',' or '}'"],
    ['{', 'yaml: line 1: did not find expected node content'],
    ['a: *x', "yaml: unknown anchor 'x' referenced"],
    ['a: &a [1, *a]', "yaml: anchor 'a' value contains itself"],
    ['a: &a {<<: *a}', "yaml: anchor 'a' value contains itself"],
    ['<<: x', 'yaml: map merge requires map or sequence of maps as the value'],
    ['!!int foo', 'yaml: cannot decode !!str `foo` as a !!int'],
    ['!!binary "!!"', 'yaml: !!binary value contains invalid base64 data'],
    ['a: .nan', 'json: unsupported value: NaN'],
    ['a: -.inf', 'json: unsupported value: -Inf'],
    ['a: \u0001', 'yaml: control characters are not allowed'],
  ])('%j', (text, message) => {
    expect(() => parseYaml(text)).toThrow(expect.objectContaining({ name: 'YamlError', message }));
  });

  it.each(['~: 1', '[a]: 1', '? {a: 1}\n: 2'])('refuses %j as a key', (text) => {
    expect(() => parseYaml(text)).toThrow(/map key/);
  });

  it('refuses invalid UTF-8', () => {
    expect(() => parseYaml(new Uint8Array([0x61, 0x3a, 0x20, 0xff]))).toThrow('yaml: invalid leading UTF-8 octet');
  });
});

describe('hostile documents', () => {
  const million = 1_000_000;

  it.each([
    ['flow lists', '['.repeat(million)],
    ['flow maps', '{a: '.repeat(million)],
    ['block lists', '- '.repeat(million)],
    ['complex keys', '? '.repeat(million)],
  ])('a million %s', (_, text) => {
    expect(() => parseYaml(text)).toThrow(`yaml: exceeded max depth of ${MAX_JSON_DEPTH}`);
  });

  it('aliases that nest beyond the limit', () => {
    const lines = Array.from(
      { length: 12 },
      (_, i) => `a${i}: &a${i} ${'['.repeat(90)}${i ? `*a${i - 1}` : 'x'}${']'.repeat(90)}`,
    );
    expect(() => parseYaml(lines.join('\n'))).toThrow(`yaml: exceeded max depth of ${MAX_JSON_DEPTH}`);
  });

  it('a billion laughs', () => {
    const laughs = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (const [name, last] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih']) {
      laughs.push(`${name}: &${name} [${Array(10).fill(`*${last}`).join(',')}]`);
    }
    expect(() => parseYaml(laughs.join('\n'))).toThrow('yaml: document contains excessive aliasing');
  });

  it('any text', () => {
    const piece = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&x ',
      '*x',
      '"',
      "'",
      '|',
      '>',
      '!',
      '#',
      '%',
      '<<',
      '?',
      ',',
      '\t',
      '1',
      '---',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        try {
          parseYaml(pieces.join(''));
        } catch (error) {
          expect(error).toMatchObject({ name: 'YamlError' });
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('texts that would take long to parse', () => {
  it.each([
    ['pairs', 'a:\n'],
    ['items', '- a\n'],
    ['quotes', '"'],
    ['anchors', '&a '],
    ['directives', '%x\n'],
    ['lines of one scalar', '|\n'],
  ])('are refused: too many %s', (_, piece) => {
    const text = piece.repeat(3_000_000 / piece.length);
    expect(() => parseYaml(text)).toThrow('yaml: the document has too many parts');
  });

  it('report only their first hundred duplicate keys', () => {
    const { value, duplicateKeys } = parseYaml('a: b\n'.repeat(20_000));
    expect(value).toEqual({ a: 'b' });
    expect(duplicateKeys).toHaveLength(100);
    expect(duplicateKeys[0]).toBe('line 2: key "a" already set in map');
  });
});

it('parses what the emitter writes', () => {
  const key = fc.oneof(
    fc.string(),
    fc.constantFrom('yes', '1', 'a: b', '- x', '__proto__', '<', '~', '0x1', ' ', 'a\nb'),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      key,
      fc.integer(),
      // Without whole numbers from 2^53 to 1e21: they are parsed to bigints, which do not equal the doubles.
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((number) => Math.abs(number) <= Number.MAX_SAFE_INTEGER || Math.abs(number) >= 1e21)
        .map((number) => number + 0),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        key.filter((text) => text !== '<<'),
        tie('value'),
        { maxKeys: 3, noNullPrototype: true },
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (original) => {
      expect(read(stringifyYaml(original))).toEqual(original);
    }),
    { numRuns: 100 },
  );
});

describe('a stream of documents', () => {
  it('is split at separators, without empty documents', () => {
    expect([...splitYamlDocuments('a: 1\n---\nb: 2\n--- # c\n\nc: 3')]).toEqual([
      'a: 1\n',
      '---\nb: 2\n',
      '--- # c\n\nc: 3',
    ]);
    expect([...splitYamlDocuments('')]).toEqual([]);
  });

  it('may have only a comment after a separator', () => {
    expect(() => [...splitYamlDocuments('a: 1\n---b')]).toThrow('invalid Yaml document separator: b');
  });
});

describe('large documents', () => {
  const lines = (count: number, line: (index: number) => string): string =>
    Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('');
  const large: Record<string, [text: string, value: unknown]> = {
    'a mapping': [
      lines(5_000, (i) => `k${i}: ${i}`),
      Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i])),
    ],
    'a flow list with a comma at its end': [
      `a: [${'1, '.repeat(9_000)}]\n`,
      { a: Array.from({ length: 9_000 }, () => 1) },
    ],
    'a flow mapping over many lines': [
      `{\n${Array.from({ length: 5_000 }, (_, i) => `  "k${i}": {a: [${i}]}`).join(',\n')}\n}\n`,
      Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, { a: [i] }])),
    ],
    'lists in lists with anchors': [
      `p: &p\n${lines(3_000, (i) => `- &a${i} {i: ${i}}`)}q:\n${lines(3_000, (i) => `- - *a${i}`)}`,
      {
        p: Array.from({ length: 3_000 }, (_, i) => ({ i })),
        q: Array.from({ length: 3_000 }, (_, i) => [{ i }]),
      },
    ],
    'a list with a tag of a declared prefix': [
      `%TAG !k! tag:yaml.org,2002:\n---\n${lines(5_000, () => '- !k!str 1')}`,
      Array.from({ length: 5_000 }, () => '1'),
    ],
  };

  it.each(Object.entries(large))('are parsed completely, in many steps: %s', (_, [text, value]) => {
    const steps = parseYamlInSteps(text);
    let turns = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) turns++;
    expect(step.value).toEqual({ value, duplicateKeys: [] });
    expect(turns).toBeGreaterThan(10);
  });

  it('are refused for an error in a later part', () => {
    expect(() => parseYaml(`${lines(5_000, (i) => `k${i}: 1`)}  x: 1\n`)).toThrow(YamlError);
    expect(() => parseYaml(`[${'1, '.repeat(5_000)} "1" "2", ${'1, '.repeat(5_000)}]`)).toThrow(YamlError);
    expect(() => parseYaml(`[${'1, '.repeat(5_000)},, 1]`)).toThrow(YamlError);
  });

  it('are not parsed after the first document', () => {
    expect(parseYaml(`a: 1\n---\n[${'1, '.repeat(50_000)}]\n`).value).toEqual({ a: 1 });
  });

  it('are refused when aliases make them larger than an object can be', () => {
    const chain = lines(3_000, (i) => `a${i}: &a${i} {${i > 0 ? `<<: *a${i - 1}, ` : ''}k${i}: v}`);
    expect(() => parseYaml(chain)).toThrow('yaml: document contains excessive aliasing');
  });

  it('report duplicate keys with their lines', () => {
    const { duplicateKeys } = parseYaml(`${lines(5_000, (i) => `k${i}: 1`)}k7: 2\n`);
    expect(duplicateKeys).toEqual(['line 5001: key "k7" already set in map']);
  });

  it('are refused for too many escapes', () => {
    expect(() => parseYaml(`a: "${'\\n'.repeat(300_000)}"`)).toThrow('yaml: the document has too many parts');
  });
});
