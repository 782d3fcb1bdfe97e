import { describe, expect, it } from 'vitest';
import { compileJsonPath, printJsonPathResult } from './json-path.ts';

const object = {
  metadata: { labels: { 'a.b': 'c' } },
  spec: {
    replicas: 3,
    hosts: [{ name: 'a' }, { name: 'b', port: 80 }, { name: 'c', port: 443 }],
    flags: { on: true, off: null },
    numbers: [0, 1, 2, 3, 4],
  },
};

describe('a path finds', () => {
  // As client-go's jsonpath with AllowMissingKeys.
  it.each<[path: string, found: unknown[]]>([
    ['.spec.replicas', [3]],
    ['$.spec.replicas', [3]],
    ['.spec.none.deeper', []],
    ['.spec.replicas.deeper', []],
    ['.metadata.labels.a\\.b', ['c']],
    [".metadata.labels['a\\.b']", ['c']],
    ['.spec.hosts[0].name', ['a']],
    ['.spec.hosts[-1].name', ['c']],
    ['.spec.hosts[*].name', ['a', 'b', 'c']],
    ['.spec.hosts[1:].name', ['b', 'c']],
    ['.spec.hosts[:2].name', ['a', 'b']],
    ['.spec.numbers[0:5:2]', [0, 2, 4]],
    ['.spec.numbers[1,3]', [1, 3]],
    ['.spec.numbers[2:2]', []],
    ['.spec.hosts[?(@.name=="b")].port', [80]],
    [".spec.hosts[?(@.name=='b')].port", [80]],
    ['.spec.hosts[?(@.port>100)].name', ['c']],
    ['.spec.hosts[?(@.port>=80)].name', ['b', 'c']],
    ['.spec.hosts[?(@.port)].name', ['b', 'c']],
    ['.spec.hosts[?(@.name!="b")].name', ['a', 'c']],
    ['.spec.flags.*', [true, null]],
    ['..port', [80, 443]],
    ['.spec.flags.off', [null]],
  ])('%s', (path, found) => {
    expect(compileJsonPath(path)(object)).toEqual(found);
  });

  it('no inherited properties', () => {
    expect(compileJsonPath('.constructor')(object)).toEqual([]);
    expect(compileJsonPath('.__proto__')(object)).toEqual([]);
  });
});

describe('a path fails', () => {
  it.each<[path: string, message: string]>([
    ['.spec.hosts[9].name', 'array index out of bounds: index 9, length 3'],
    ['.spec.replicas[0]', 'value is not array or slice'],
    ['.spec.hosts[?(@.name>1)]', 'incompatible types for comparison'],
    ['.spec.numbers[3:1]', 'starting index 3 is greater than ending index 1'],
  ])('%s', (path, message) => {
    expect(() => compileJsonPath(path)(object)).toThrow(message);
  });
});

describe('an invalid path', () => {
  it.each<[path: string, message: string]>([
    ['.spec.hosts[', 'unterminated array'],
    ['.spec.hosts[x]', 'invalid array index x'],
    ['.spec.hosts[?(@.a', 'unterminated filter'],
    ['.....a', 'invalid multiple recursive descent'],
    ['%', 'unrecognized character in action'],
    [`${'.a[?('.repeat(40)}`, 'unterminated filter'],
  ])('%s', (path, message) => {
    expect(() => compileJsonPath(path)).toThrow(message);
  });
});

describe('printJsonPathResult', () => {
  it.each<[value: unknown, text: string]>([
    ['x', 'x'],
    [3, '3'],
    [1.5, '1.5'],
    [true, 'true'],
    [null, '<no value>'],
    [{ b: 1, a: ['<'] }, '{"a":["\\u003c"],"b":1}'],
  ])('%j', (value, text) => {
    expect(printJsonPathResult(value)).toBe(text);
  });
});
