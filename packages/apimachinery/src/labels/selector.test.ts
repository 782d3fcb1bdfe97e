import { describe, expect, it } from 'vitest';
import { parse } from './parse.ts';
import { Requirement } from './requirement.ts';
import { Selector } from './selector.ts';

describe('Selector', () => {
  it.each<[selector: string, labels: Record<string, string>, matches: boolean]>([
    ['', {}, true],
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a=', {}, false],
    ['a=', { a: '' }, true],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a in (x,y)', { a: 'y' }, true],
    ['a in (x,y)', { a: 'z' }, false],
    ['a notin (x,y)', {}, true],
    ['a notin (x,y)', { a: 'x' }, false],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['!a', { a: '' }, false],
    ['a>5', { a: '6' }, true],
    ['a>5', { a: '5' }, false],
    ['a<5', { a: '-6' }, true],
    ['a>5', { a: 'six' }, false],
    ['a>5', {}, false],
    ['a>9223372036854775806', { a: '9223372036854775807' }, true],
    ['a=b,c', { a: 'b', c: '' }, true],
    ['a=b,c', { a: 'b' }, false],
    ['constructor', {}, false],
    ['!constructor', {}, true],
    ['toString!=x', {}, true],
  ])('%s on %j: %s', (selector, labels, matches) => {
    expect(parse(selector).matches(labels)).toBe(matches);
  });

  it('treats absent labels as an empty set', () => {
    expect(parse('!a').matches(undefined)).toBe(true);
    expect(parse('a').matches(undefined)).toBe(false);
  });

  it('selects everything or nothing', () => {
    expect(Selector.everything.matches({})).toBe(true);
    expect(Selector.everything.isEmpty()).toBe(true);
    expect(Selector.everything.requirements()).toEqual([]);
    expect(Selector.nothing.matches({ a: 'b' })).toBe(false);
    expect(Selector.nothing.isEmpty()).toBe(false);
    expect(Selector.nothing.requirements()).toBeUndefined();
    expect(Selector.nothing.add(Requirement.of('a', 'exists', []))).toBe(Selector.nothing);
    expect([String(Selector.everything), String(Selector.nothing)]).toEqual(['', '']);
  });

  it('adds requirements without changing itself', () => {
    const selector = parse('b=1');
    const more = selector.add(Requirement.of('a', '!', []), Requirement.of('c', 'in', ['y', 'x']));
    expect(more.toString()).toBe('!a,b=1,c in (x,y)');
    expect(selector.toString()).toBe('b=1');
  });

  it.each<[selector: string, exact: string | undefined]>([
    ['a=b', 'b'],
    ['a==b', 'b'],
    ['a in (b)', 'b'],
    ['a in (b,c)', undefined],
    ['a!=b', undefined],
    ['a', undefined],
    ['c=d', undefined],
    ['a,a=b', undefined],
  ])('returns the value of a that %s requires', (selector, exact) => {
    expect(parse(selector).requiresExactMatch('a')).toBe(exact);
  });

  it('can be created from a set of labels, with or without validation', () => {
    expect(Selector.fromSet({ b: '1', a: '2' }).toString()).toBe('a=2,b=1');
    expect(Selector.fromSet(undefined).isEmpty()).toBe(true);
    expect(Selector.fromSet({ 'not a key': '!' }).matches({ 'not a key': '!' })).toBe(true);
    expect(() => Selector.validatedFromSet({ 'not a key': 'x' })).toThrow('key: Invalid value: "not a key": name part');
    expect(Selector.validatedFromSet({ a: 'b' }).toString()).toBe('a=b');
  });
});

describe('Requirement', () => {
  it.each<[key: string, operator: string, values: string[] | undefined, message: string]>([
    ['a', 'in', [], "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"],
    ['a', 'notin', undefined, "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"],
    ['a', '=', ['x', 'y'], 'values: Invalid value: ["x","y"]: exact-match compatibility requires one single value'],
    ['a', '!', ['x'], 'values: Invalid value: ["x"]: values set must be empty for exists and does not exist'],
    [
      'a',
      'gt',
      ['1', '2'],
      'values: Invalid value: ["1","2"]: for \'Gt\', \'Lt\' operators, exactly one value is required',
    ],
    [
      'a',
      'lt',
      ['9223372036854775808'],
      "values[0]: Invalid value: \"9223372036854775808\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    [
      'a',
      'zz',
      [],
      'operator: Unsupported value: "zz": supported values: "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"',
    ],
  ])('refuses %s %s %j', (key, operator, values, message) => {
    expect(() => Requirement.of(key, operator, values)).toThrow(new Error(message));
  });

  it('reports all problems at once', () => {
    expect(() => Requirement.of('-a', '=', ['-x'])).toThrow(
      /^\[key: Invalid value: "-a": .*, values\[0\]\[-a\]: Invalid value: "-x": .*\]$/,
    );
  });

  it('keeps its values as given', () => {
    const requirement = Requirement.of('a', 'in', ['y', 'x']);
    expect(requirement.values).toEqual(['y', 'x']);
    expect(requirement.toString()).toBe('a in (x,y)');
    expect(requirement.equals(Requirement.of('a', 'in', ['y', 'x']))).toBe(true);
    expect(requirement.equals(Requirement.of('a', 'in', ['x', 'y']))).toBe(false);
    expect(requirement.equals(Requirement.of('a', 'notin', ['y', 'x']))).toBe(false);
  });
});
