import { describe, expect, it } from 'vitest';
import { CelCompileError } from '../syntax/source.ts';
import { EntryMap } from '../values/collections.ts';
import { type CelType, INT, listOf, objectType, STRING } from '../values/types.ts';
import { CelEnvironment } from './environment.ts';

const spec: CelType = objectType('Object.spec', {
  field: (name) => ({ replicas: INT, names: listOf(STRING) })[name],
  construct: (fields) => new EntryMap(fields),
});
const object: CelType = objectType('Object', {
  field: (name) => (name === 'spec' ? spec : undefined),
  construct: (fields) => new EntryMap(fields),
});
const environment = new CelEnvironment({
  variables: { self: object },
  resolveType: (name) => ({ Object: object, 'Object.spec': spec })[name],
});

describe('object types', () => {
  it('give types to their fields', () => {
    expect(environment.compile('self.spec.replicas').type).toBe(INT);
    expect(environment.compile('self.spec.names.map(n, n.size())').type.toString()).toBe('list(int)');
  });

  it('can be constructed', () => {
    const compiled = environment.compile('Object{spec: Object.spec{replicas: 1 + 2}}.spec.replicas');
    // A struct costs 40, the sum 1, two field selections on a value 1 + 2.
    expect(compiled.program().evaluate(new Map())).toEqual({ value: 3n, cost: 84 });
  });

  it.each([
    ['self.spec.size', "ERROR: <input>:1:10: undefined field 'size'\n | self.spec.size\n | .........^"],
    ['self.spec.replicas.x', "ERROR: <input>:1:19: type 'int' does not support field selection"],
    ['Object.spec{replica: 1}', "ERROR: <input>:1:20: undefined field 'replica'"],
    [
      "Object.spec{replicas: 'a'}",
      "ERROR: <input>:1:21: expected type of field 'replicas' is 'int' but provided type is 'string'",
    ],
    ['Object.status{}', "ERROR: <input>:1:14: undeclared reference to 'Object.status' (in container '')"],
    ['self == 1', "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(Object, int)'"],
  ])('%s is refused', (text, message) => {
    expect(() => environment.compile(text)).toThrow(message);
  });
});

describe('environments', () => {
  it('are not changed by extending them', () => {
    const extended = environment.extend({ variables: { x: INT } });
    expect(extended.compile('x + self.spec.replicas').type).toBe(INT);
    expect(() => environment.compile('x')).toThrow(CelCompileError);
  });

  it('look names up in their container first', () => {
    const contained = new CelEnvironment({ container: 'a.b', variables: { 'a.b.x': INT, x: STRING, 'a.y': INT } });
    expect(contained.compile('x').type).toBe(INT);
    expect(contained.compile('.x').type).toBe(STRING);
    expect(contained.compile('y').type).toBe(INT);
    expect(() => contained.compile('z')).toThrow("undeclared reference to 'z' (in container 'a.b')");
  });

  it('return the variables that an expression uses', () => {
    const compiled = environment
      .extend({ variables: { x: INT } })
      .compile('self.spec.names.all(n, n != string(x)) || type(x) == int');
    expect(compiled.variables).toEqual(new Set(['self', 'x']));
  });

  it('report all issues in the order of their positions', () => {
    expect(() => environment.compile('b +\n  a')).toThrow(
      [
        "ERROR: <input>:1:1: undeclared reference to 'b' (in container '')",
        ' | b +',
        ' | ^',
        "ERROR: <input>:2:3: undeclared reference to 'a' (in container '')",
        ' |   a',
        ' | ..^',
      ].join('\n'),
    );
  });
});
