import { describe, expect, it } from 'vitest';
import { CorefileError } from './corefile-error.ts';
import { parseCorefile } from './parse-corefile.ts';
import { zoneKeys, zonesOf } from './server-keys.ts';

const place = { file: 'Corefile', line: 1 };

describe('a Corefile', () => {
  it('has server blocks with keys, directives and their blocks', () => {
    const text = `
# comment
a.example:53, b.example {
  one x "y z" "a \\"b\\""  # comment
  two {
    three 4
    five { six
    }
  }
}
c.example {
}
`;
    const plain = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, part) => (key === 'file' || key === 'line' ? undefined : part)));
    expect(plain(parseCorefile(text))).toEqual([
      {
        keys: ['a.example:53', 'b.example'],
        directives: [
          { name: 'one', args: ['x', 'y z', 'a "b"'] },
          {
            name: 'two',
            args: [],
            block: [
              { name: 'three', args: ['4'] },
              { name: 'five', args: [], block: [{ name: 'six', args: [] }] },
            ],
          },
        ],
      },
      { keys: ['c.example'], directives: [] },
    ]);
  });

  it('needs no braces for a single block', () => {
    expect(parseCorefile('.:53\nwhoami\nlog')).toMatchObject([
      { keys: ['.:53'], directives: [{ name: 'whoami' }, { name: 'log', line: 3 }] },
    ]);
  });

  it('may have snippets, imports of files, and environment variables', () => {
    const files = {
      matching: (pattern: string) =>
        pattern === '/etc/*.server' ? [{ path: '/etc/a.server', text: 'b.example {\n import common\n}\n' }] : [],
    };
    const text =
      '(common) {\n errors {$WHERE}\n log\n}\na.example {\n import common\n import /none/*.override\n}\nimport /etc/*.server\n';
    expect(parseCorefile(text, { files, env: { WHERE: 'stdout' } })).toMatchObject([
      {
        keys: ['a.example'],
        directives: [
          { name: 'errors', args: ['stdout'] },
          { name: 'log', file: 'Corefile', line: 3 },
        ],
      },
      { keys: ['b.example'], directives: [{ name: 'errors' }, { name: 'log' }] },
    ]);
  });

  it.each([
    ['', 'Corefile has no server blocks'],
    ['. {\n log\n', 'Corefile:2 - Error during parsing: Unexpected EOF'],
    ['. {\n log {\n}\n', 'Corefile:3 - Error during parsing: Unexpected EOF'],
    ['. {\n}\n}\n', `Corefile:3 - Error during parsing: Syntax error - Unexpected token '}', expecting '{'`],
    ['a, {\n}\n', `Corefile:1 - Error during parsing: Expected another address but had '{' - check for extra comma`],
    ['. {\n import nothing\n}\n', 'Corefile:2 - Error during parsing: File to import not found: nothing'],
    [
      '. {\n import\n}\n',
      `Corefile:2 - Error during parsing: Wrong argument count or unexpected line ending after 'import'`,
    ],
    ['(a) {\n log\n}\n(a) {\n}\n', 'Corefile:4 - Error during parsing: redeclaration of previously declared snippet a'],
    ['(a) {\n import b\n}\n(b) {\n import a\n}\n. {\n import a\n}\n', 'maximum snippet import depth (10000) exceeded'],
  ])('%j is refused', (text, problem) => {
    expect(() => parseCorefile(text)).toThrow(problem);
    expect(() => parseCorefile(text)).toThrow(CorefileError);
  });

  it('of any depth is parsed or refused', () => {
    expect(() => parseCorefile(`. {\n${'a {\n'.repeat(100_000)}`)).toThrow(/nested more than|exceeded/);
  });
});

describe('the keys of a server block', () => {
  it('are zones and ports', () => {
    const block = {
      ...place,
      keys: ['.', 'Example.ORG:5353', 'dns://a.example.', ':1053', '10.1.2.0/24:54'],
      directives: [],
    };
    expect(zoneKeys(block, 53)).toEqual([
      { zone: '.', port: 53 },
      { zone: 'example.org.', port: 5353 },
      { zone: 'a.example.', port: 53 },
      { zone: '.', port: 1053 },
      { zone: '2.1.10.in-addr.arpa.', port: 54 },
    ]);
  });

  it.each(['tls://.', 'a..b', '.:70000', 'foo://x'])('%s is refused', (key) => {
    expect(() => zoneKeys({ ...place, keys: [key], directives: [] }, 53)).toThrow(CorefileError);
  });

  it.each([
    ['10.0.0.0/8', ['10.in-addr.arpa.']],
    ['10.96.0.0/15', ['96.10.in-addr.arpa.', '97.10.in-addr.arpa.']],
    ['10.97.0.0/15', ['96.10.in-addr.arpa.', '97.10.in-addr.arpa.']],
    ['2001:db8::/32', ['8.b.d.0.1.0.0.2.ip6.arpa.']],
    ['2001:db8::/31', ['8.b.d.0.1.0.0.2.ip6.arpa.', '9.b.d.0.1.0.0.2.ip6.arpa.']],
  ])('of the network %s are reverse zones', (network, zones) => {
    expect(zonesOf(network, place)).toEqual(zones);
  });
});
