import { describe, expect, it } from 'vitest';
import {
  comparePathElements,
  fieldElement,
  fieldPath,
  indexElement,
  keyElement,
  parsePathElement,
  printPath,
  printPathElement,
  valueElement,
} from './path-element.ts';

describe('a path element is decoded to its canonical form', () => {
  const cases: Record<string, [text: string, element: string | undefined]> = {
    'a field': ['f:a"b', 'f:a"b'],
    'a value': ['v: "a" ', 'v:"a"'],
    'a number': ['v:1.0', 'v:1'],
    'an integer beyond 2^53': ['v:9007199254740993', 'v:9007199254740993'],
    'a key beyond 2^53': ['k:{"a":-9223372036854775808}', 'k:{"a":-9223372036854775808}'],
    'a small number, with two digits of exponent': ['v:1e-7', 'v:1e-07'],
    'HTML characters, escaped': ['v:"<&>"', 'v:"\\u003c\\u0026\\u003e"'],
    'control characters, escaped in full': ['v:"\\b\\n"', 'v:"\\u0008\\n"'],
    'keys, sorted': ['k:{ "b":1, "a":"x" }', 'k:{"a":"x","b":1}'],
    'an index': ['i:+7', 'i:7'],
    'an unknown kind, ignored': ['x:y', undefined],
  };
  it.each(Object.entries(cases))('%s', (_, [text, element]) => {
    expect(parsePathElement(text)).toBe(element);
  });

  it.each(['f', 'name', 'i:x', 'v:{', 'k:1'])('%s throws', (text) => {
    expect(() => parsePathElement(text)).toThrow();
  });
});

it('is made from names and values', () => {
  expect([fieldElement('a'), valueElement(false), indexElement(3)]).toEqual(['f:a', 'v:false', 'i:3']);
  expect(
    keyElement([
      ['containerPort', 80],
      ['protocol', 'TCP'],
    ]),
  ).toBe('k:{"containerPort":80,"protocol":"TCP"}');
  expect(keyElement([['id', 9007199254740993n]])).toBe('k:{"id":9007199254740993}');
});

describe('a path is printed as in conflict messages', () => {
  const cases: Record<string, [path: string[], text: string]> = {
    fields: [['f:spec', 'f:replicas'], '.spec.replicas'],
    'an item by key': [['f:containers', 'k:{"name":"a"}', 'f:image'], '.containers[name="a"].image'],
    'an item by keys': [['k:{"containerPort":80,"protocol":"TCP"}'], '[containerPort=80,protocol="TCP"]'],
    'an item of a set': [['f:finalizers', 'v:"a\\u003cb"'], '.finalizers[="a<b"]'],
    'an index': [['f:x', 'i:2'], '.x[2]'],
    'numbers as floats': [['k:{"id":1234567}', 'v:0.00001', 'v:65535'], '[id=1.234567e+06][=1e-05][=65535]'],
    'other scalars': [['v:null', 'v:true'], '[=null][=true]'],
  };
  it.each(Object.entries(cases))('%s', (_, [path, text]) => {
    expect(printPath(path)).toBe(text);
  });

  it('printPathElement prints whole numbers as integers', () => {
    expect(printPathElement('k:{"id":1234567}')).toBe('[id=1234567]');
  });
});

it('orders fields before keys before values before indexes, and each by content', () => {
  const ordered = [
    ...fieldPath('', 'B', 'a', '\uffee', '😀'),
    'k:{"a":"x"}',
    'k:{"a":"x","b":1}',
    'k:{"a":"x-y"}',
    'k:{"id":2}',
    'k:{"id":10}',
    'k:{"id":"1"}',
    'v:1.5',
    'v:10',
    'v:"10"',
    'v:"9"',
    'v:false',
    'v:true',
    'v:null',
    'i:2',
    'i:10',
  ];
  expect([...ordered].reverse().sort(comparePathElements)).toEqual(ordered);
});
