import { describe, expect, it } from 'vitest';
import {
  boolean,
  duration,
  float,
  integer,
  integerBetween,
  ip,
  list,
  mapping,
  namedCertificates,
  pair,
  string,
  stringArray,
  strings,
  unsigned,
} from './flag-types.ts';
import { parseFlags } from './parse-flags.ts';

const flags = new Map([
  ['name', { type: string }],
  ['on', { type: boolean }],
  ['count', { type: integer }],
  ['size', { type: unsigned }],
  ['share', { type: float }],
  ['wait', { type: duration }],
  ['address', { type: ip }],
  ['names', { type: strings }],
  ['each', { type: stringArray }],
  ['ranges', { type: list }],
  ['map', { type: mapping }],
  ['pair', { type: pair }],
  ['sni', { type: namedCertificates }],
  ['v', { type: unsigned, shorthand: 'v' }],
  ['help', { type: boolean, shorthand: 'h' }],
  ['label', { type: string, shorthand: 'n' }],
  ['dry-run', { type: string, alone: 'unchanged' }],
  ['replicas', { type: integerBetween(0, 5), shorthand: 'r' }],
]);

const accepted: Record<string, [args: string[], values: Record<string, unknown>, rest?: string[]]> = {
  'a value after an equals sign': [['--name=a'], { name: 'a' }],
  'a value in the next word': [['--name', 'a'], { name: 'a' }],
  'a value that begins with a dash': [['--name', '--on'], { name: '--on' }],
  'an empty value': [['--name='], { name: '' }],
  'a value with an equals sign': [['--name=a=b'], { name: 'a=b' }],
  'the last of several': [['--name=a', '--name=b'], { name: 'b' }],
  'a boolean alone': [['--on'], { on: true }],
  'a boolean with a value': [['--on=false'], { on: false }],
  'a boolean that does not take the next word': [['--on', 'false'], { on: true }, ['false']],
  'booleans as Go writes them': [['--on=T'], { on: true }],
  'a negative number': [['--count', '-5'], { count: -5 }],
  'a fraction': [['--share=.5'], { share: 0.5 }],
  'a duration': [['--wait=1h0m0s'], { wait: '1h0m0s' }],
  'a zero duration': [['--wait=0'], { wait: '0' }],
  'an address': [['--address', '::1'], { address: '::1' }],
  'no address': [['--address='], { address: '' }],
  'a list': [['--names=a,b'], { names: ['a', 'b'] }],
  'a list in several flags': [['--names=a', '--names=b,c'], { names: ['a', 'b', 'c'] }],
  'a list with a quoted comma': [['--names="a,b",c'], { names: ['a,b', 'c'] }],
  'an empty list': [['--names='], { names: [] }],
  'commas in an array': [['--each=a,b', '--each=c'], { each: ['a,b', 'c'] }],
  'the last of several lists that do not append': [['--ranges=a', '--ranges=b,c'], { ranges: ['b', 'c'] }],
  'a map in several flags': [
    ['--map=a=1,b', '--map', 'a=2'],
    {
      map: new Map([
        ['a', '2'],
        ['b', ''],
      ]),
    },
  ],
  'pairs one by one': [
    ['--pair=a=1,b=2', '--pair', 'c=d=e'],
    {
      pair: new Map([
        ['a', '1,b=2'],
        ['c', 'd=e'],
      ]),
    },
  ],
  'a certificate by name': [
    ['--sni=a.crt,a.key:x.example,*.y.example', '--sni=b.crt,b.key'],
    {
      sni: [
        { certificateFile: 'a.crt', keyFile: 'a.key', names: ['x.example', '*.y.example'] },
        { certificateFile: 'b.crt', keyFile: 'b.key', names: [] },
      ],
    },
  ],
  'a letter and its value': [['-v', '4'], { v: 4 }],
  'a letter with its value': [['-v4'], { v: 4 }],
  'a letter with an equals sign': [['-v=4'], { v: 4 }],
  'a letter followed by only an equals sign, which is the value': [['-n='], { label: '=' }],
  'a flag whose value may be left out': [['--dry-run', 'server'], { 'dry-run': 'unchanged' }, ['server']],
  'a given value of such a flag': [['--dry-run=server'], { 'dry-run': 'server' }],
  'a number within its bounds': [['-r5'], { replicas: 5 }],
  'letters together': [['-hv4'], { help: true, v: 4 }],
  'words between flags': [['a', '--on', 'b'], { on: true }, ['a', 'b']],
  'a dash, which is a word': [['-'], {}, ['-']],
  'two dashes, after which all are words': [['--on', '--', '--name'], { on: true }, ['--name']],
  'a map with the key __proto__': [['--map=__proto__=x'], { map: new Map([['__proto__', 'x']]) }],
};

describe('a command line is parsed as by pflag', () => {
  it.each(Object.entries(accepted))('%s', (_, [args, values, rest = []]) => {
    const parsed = parseFlags(args, flags);
    expect(Object.fromEntries(parsed.values)).toEqual(values);
    expect(parsed.rest).toEqual(rest);
  });

  it('takes underscores for dashes', () => {
    const known = new Map([['two-words', { type: string }]]);
    expect(parseFlags(['--two_words=a'], known).values.get('two-words')).toBe('a');
  });

  it('counts the words before two dashes', () => {
    expect(parseFlags(['pod', '--on', '--', 'ls', '-l'], flags)).toMatchObject({
      rest: ['pod', 'ls', '-l'],
      argsBeforeDash: 1,
    });
    expect(parseFlags(['pod'], flags).argsBeforeDash).toBeUndefined();
  });

  it('stops at the first word when interspersed is false', () => {
    const { values, rest } = parseFlags(['--on', 'a', '--name=b', '--', 'c'], flags, { interspersed: false });
    expect([...values]).toEqual([['on', true]]);
    expect(rest).toEqual(['a', '--name=b', '--', 'c']);
  });
});

const refused: Record<string, [args: string[], message: string]> = {
  'an unknown flag': [['--foo=1', '--bar'], 'unknown flag: --foo'],
  'an unknown letter': [['-x'], "unknown shorthand flag: 'x' in -x"],
  'an empty name': [['--=a'], 'bad flag syntax: --=a'],
  'three dashes': [['---name'], 'bad flag syntax: ---name'],
  'a flag without its value': [['--count'], 'flag needs an argument: --count'],
  'a letter without its value': [['-v'], "flag needs an argument: 'v' in -v"],
  'a value that is not a number': [
    ['--count=abc'],
    'invalid argument "abc" for "--count" flag: strconv.ParseInt: parsing "abc": invalid syntax',
  ],
  'a number that is too large': [
    ['--count=99999999999999999999'],
    'invalid argument "99999999999999999999" for "--count" flag: strconv.ParseInt: parsing "99999999999999999999": value out of range',
  ],
  'a number beyond its bounds': [
    ['--replicas=6'],
    'invalid argument "6" for "-r, --replicas" flag: must be between 0 and 5, inclusive',
  ],
  'a level that is not a number': [
    ['--v=x'],
    'invalid argument "x" for "-v, --v" flag: strconv.ParseUint: parsing "x": invalid syntax',
  ],
  'a fraction that is not a number': [
    ['--share=x'],
    'invalid argument "x" for "--share" flag: strconv.ParseFloat: parsing "x": invalid syntax',
  ],
  'a boolean that is neither true nor false': [
    ['--on=maybe'],
    'invalid argument "maybe" for "--on" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
  'a duration without a unit': [
    ['--wait=5'],
    'invalid argument "5" for "--wait" flag: time: missing unit in duration "5"',
  ],
  'a pair without an equals sign': [
    ['--pair=a'],
    'invalid argument "a" for "--pair" flag: malformed pair, expect string=string',
  ],
  'an invalid address': [
    ['--address=nope'],
    'invalid argument "nope" for "--address" flag: failed to parse IP: "nope"',
  ],
  'a certificate without a key': [
    ['--sni=a'],
    'invalid argument "a" for "--sni" flag: expected comma separated certificate and key file paths',
  ],
};

describe('a command line is refused with the message of pflag', () => {
  it.each(Object.entries(refused))('%s', (_, [args, message]) => {
    expect(() => parseFlags(args, flags)).toThrow(expect.objectContaining({ name: 'FlagError', message }));
  });
});
