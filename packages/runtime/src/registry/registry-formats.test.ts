import { describe, expect, it } from 'vitest';
import { parseChallenges } from './challenge.ts';
import { credentialsFor } from './credentials.ts';
import { parseHostsFile } from './hosts-file.ts';

describe('challenges', () => {
  it.each([
    ['Basic realm="r"', [{ scheme: 'basic', parameters: { realm: 'r' } }]],
    [
      'Bearer realm="https://auth.example/token?a=b,c",service="s",scope="repository:a/b:pull,push"',
      [
        {
          scheme: 'bearer',
          parameters: { realm: 'https://auth.example/token?a=b,c', service: 's', scope: 'repository:a/b:pull,push' },
        },
      ],
    ],
    [
      'Basic realm="a \\"b\\"", Bearer realm=x, error="insufficient_scope"',
      [
        { scheme: 'basic', parameters: { realm: 'a "b"' } },
        { scheme: 'bearer', parameters: { realm: 'x', error: 'insufficient_scope' } },
      ],
    ],
    ['Negotiate', [{ scheme: 'negotiate', parameters: {} }]],
    ['', []],
    ['realm="lost"', []],
    [`Basic realm="${'\\'.repeat(100_000)}`, [{ scheme: 'basic', parameters: {} }]],
  ])('%.60s', (header, challenges) => {
    expect(parseChallenges(header).slice(0, 2)).toMatchObject(challenges);
  });
});

describe('credentials', () => {
  const auth = Buffer.from('me:a:b\0').toString('base64');
  it.each([
    [{ username: 'me', password: 'p' }, 'any', { username: 'me', secret: 'p' }],
    [{ auth }, 'any', { username: 'me', secret: 'a:b' }],
    [{ identityToken: 't' }, 'any', { username: '', secret: 't' }],
    [
      { username: 'me', password: 'p', serverAddress: 'https://r.example/v1/' },
      'r.example',
      { username: 'me', secret: 'p' },
    ],
    [{ username: 'me', password: 'p', serverAddress: 'r.example' }, 'mirror.example', undefined],
    [
      { username: 'me', password: 'p', serverAddress: 'https://index.docker.io/v1/' },
      'registry-1.docker.io',
      { username: 'me', secret: 'p' },
    ],
    [undefined, 'any', undefined],
    [{ username: '', password: '' }, 'any', undefined],
  ])('%j for %s', (given, server, expected) => {
    expect(credentialsFor(given, server)).toEqual(expected);
  });

  it('that are incomplete are refused', () => {
    expect(() => credentialsFor({ auth: Buffer.from('me').toString('base64') }, 'any')).toThrow('invalid decoded auth');
  });
});

describe('hosts.toml', () => {
  it('is read as containerd reads it', () => {
    const text = `
server = "https://registry-1.docker.io"
[host."https://mirror.example:5000"]
  capabilities = ["pull"]
  ca = ["certs/a.crt", "/b.crt"]
  client = [["c.pem", "c.key"], "d.pem"]
  skip_verify = true
  override_path = true
  [host."https://mirror.example:5000".header]
    x-one = "1"
    x-two = ["2", "3"]
[host."plain.example"]
`;
    const { hosts, server } = parseHostsFile(text, '/certs.d/docker.io');
    expect(server?.url).toBe('https://registry-1.docker.io');
    expect(hosts).toEqual([
      {
        url: 'https://mirror.example:5000',
        capabilities: ['pull'],
        ca: ['/certs.d/docker.io/certs/a.crt', '/b.crt'],
        client: [
          ['/certs.d/docker.io/c.pem', '/certs.d/docker.io/c.key'],
          ['/certs.d/docker.io/d.pem', ''],
        ],
        skipVerify: true,
        headers: { 'x-one': '1', 'x-two': '2, 3' },
        overridePath: true,
      },
      {
        url: 'https://plain.example',
        capabilities: ['pull', 'resolve', 'push'],
        ca: [],
        client: [],
        skipVerify: false,
        headers: {},
        overridePath: false,
      },
    ]);
  });

  it.each([
    ['host = 1', 'host must be a table'],
    ['[host."x"]\nskip_verify = "yes"', 'skip_verify must be a boolean'],
    ['[host."x"]\nca = [1]', 'ca must be a string'],
    ['server = [', 'Invalid TOML'],
  ])('%j is refused: %s', (text, message) => {
    expect(() => parseHostsFile(text, '/')).toThrow(message);
  });
});
