import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Path } from '../field/index.ts';
import { parse, parseToRequirements } from './parse.ts';

describe('parse', () => {
  it.each<[text: string, canonical: string]>([
    ['', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a==b'],
    ['a!=b', 'a!=b'],
    ['a', 'a'],
    ['!a', '!a'],
    ['a>1', 'a>1'],
    ['a<1', 'a<1'],
    ['a in (y,x,y)', 'a in (x,y)'],
    ['a notin (x)', 'a notin (x)'],
    [' a = b ,\tc\n', 'a=b,c'],
    ['b=1,a=2', 'a=2,b=1'],
    ['a in ()', 'a in ()'],
    ['a in (,)', 'a in ()'],
    ['a in (x,)', 'a in (,x)'],
    ['a in (,x,,y)', 'a in (,x,y)'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['a=in', 'a=in'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['a!=', 'a!='],
    ['example.com/y=z', 'example.com/y=z'],
  ])('%j', (text, canonical) => {
    expect(parse(text).toString()).toBe(canonical);
    expect(parse(canonical).toString()).toBe(canonical);
  });

  const name =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const integer = "for 'Gt', 'Lt' operators, the value must be an integer";

  it.each<[text: string, message: string]>([
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a=b!', "found '!', expected: ',' or 'end of string'"],
    ['a in (x))', "found ')', expected: ',' or 'end of string'"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    ['(', "found '(', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['a=!b', "unable to parse requirement: found '!', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a!b', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['a\0b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (x y)', "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ['a in (x,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a>b', `unable to parse requirement: values[0]: Invalid value: "b": ${integer}`],
    ['a>', `unable to parse requirement: values[0]: Invalid value: "": ${integer}`],
    ['-a=b', `unable to parse requirement: <nil>: Invalid value: "-a": name part ${name}`],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    [
      'a/b/c',
      `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key ${name} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    ['a=-b', `unable to parse requirement: values[0][a]: Invalid value: "-b": ${value}`],
  ])('refuses %j', (text, message) => {
    expect(() => parse(text)).toThrow(new Error(message));
  });

  it('names the field that the text is from', () => {
    const path = Path.of('spec');
    expect(() => parse('-a', path)).toThrow('unable to parse requirement: spec: Invalid value: "-a": name part');
    expect(() => parse('a=-b', path)).toThrow('unable to parse requirement: spec.values[0][a]: Invalid value: "-b"');
  });

  it('parses what it prints, for any requirements', () => {
    const key = fc
      .stringMatching(/^([a-z][a-z0-9.]{0,5}[a-z]\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,8}[A-Za-z0-9])?$/)
      .filter((text) => !text.includes('..'));
    const word = fc.stringMatching(/^([A-Za-z0-9]([A-Za-z0-9._-]{0,8}[A-Za-z0-9])?)?$/);
    const number = fc.integer().map(String);
    const term = fc.oneof(
      fc.tuple(key, fc.constantFrom('=', '==', '!='), word).map((parts) => parts.join('')),
      fc.tuple(key, fc.constantFrom('>', '<'), fc.nat().map(String)).map((parts) => parts.join('')),
      fc
        .tuple(
          key,
          fc.constantFrom('in', 'notin'),
          fc.array(
            fc.oneof(
              word,
              number.filter((n) => !n.startsWith('-')),
            ),
          ),
        )
        .map(([k, operator, values]) => `${k} ${operator} (${values.join(', ')})`),
      key,
      key.map((k) => `! ${k}`),
    );
    fc.assert(
      fc.property(fc.array(term), (terms) => {
        const printed = parse(terms.join(' , ')).toString();
        expect(parse(printed).toString()).toBe(printed);
        expect(parseToRequirements(printed)).toHaveLength(terms.length);
      }),
    );
  });
});
