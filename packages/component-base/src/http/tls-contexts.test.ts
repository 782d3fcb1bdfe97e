import { execFile, spawnSync } from 'node:child_process';
import { issueKeyPair } from '@coxswain/client/x509';
import { afterEach, describe, expect, it } from 'vitest';
import { Listener } from './listener.ts';
import type { TlsOptions } from './tls-contexts.ts';

/* Tests a listener with `openssl s_client`. */

const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
const authority = (commonName: string): string => issueKeyPair({ commonName, isCA: true, ...validity }).certificatePem;
const pairFor = (commonName: string) => {
  const { certificatePem: cert, keyPem: key } = issueKeyPair({ commonName, usages: ['serverAuth'], ...validity });
  return { cert, key };
};

let listener: Listener;
let port: number;
afterEach(async () => {
  const closed = listener.close();
  listener.force();
  await closed;
});

async function serve(tls: Partial<TlsOptions> = {}): Promise<void> {
  const handler = async () => ({ status: 200, headers: {} });
  listener = new Listener({ host: '127.0.0.1', port: 0, tls: { ...pairFor('main'), ...tls }, handler });
  port = (await listener.listen()).port;
}

const ask = (...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    const asked = execFile('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...args], (_, out, errors) =>
      resolve(`${out}${errors}`),
    );
    asked.stdin?.end();
  });

const authoritiesIn = (text: string): string[] =>
  /^Acceptable client certificate CA names\n((?:CN = .*\n)*)/m.exec(text)?.[1]?.trim().split('\n') ?? [];
const subjectIn = (text: string): string | undefined => /^subject=(.*)$/m.exec(text)?.[1];

describe.skipIf(spawnSync('openssl', ['version']).error)('a listener', () => {
  it('sends the names of the client CAs, with TLS 1.2 and 1.3', async () => {
    const one = authority('one');
    await serve({ clientCAs: [one + authority('two'), authority('three'), one] });
    for (const version of ['-tls1_2', '-tls1_3'])
      expect(authoritiesIn(await ask(version))).toEqual(['CN = one', 'CN = two', 'CN = three']);
  });

  it('sends the client CAs that were set last, and keeps its certificates', async () => {
    await serve({ clientCAs: [authority('one')], byName: [{ names: ['a.test'], ...pairFor('a') }] });
    listener.setClientCAs([authority('two')]);
    listener.setCertificate(pairFor('renewed'));
    expect(() => listener.setCertificate({ cert: 'no PEM', key: 'no PEM' })).toThrow();
    const main = await ask('-noservername');
    expect([subjectIn(main), authoritiesIn(main)]).toEqual(['CN = renewed', ['CN = two']]);
    const named = await ask('-servername', 'a.test');
    expect([subjectIn(named), authoritiesIn(named)]).toEqual(['CN = a', ['CN = two']]);
  });

  it.each([
    ['a.test', 'CN = first'],
    ['A.Test', 'CN = first'],
    ['b.test', 'CN = wildcard'],
    ['c.b.test', 'CN = main'],
    ['other', 'CN = main'],
  ])('for the server name %s uses the certificate of %s', async (name, subject) => {
    await serve({
      byName: [
        { names: ['a.test'], ...pairFor('first') },
        { names: ['a.test', '*.test'], ...pairFor('wildcard') },
      ],
    });
    expect(subjectIn(await ask('-servername', name))).toBe(subject);
  });

  it.each([
    ['ECDHE-ECDSA-AES128-GCM-SHA256', true],
    ['ECDHE-ECDSA-CHACHA20-POLY1305', true],
    ['ECDHE-ECDSA-AES128-SHA', false],
    ['ECDHE-ECDSA-AES256-SHA384', false],
    ['ECDHE-ECDSA-AES128-CCM', false],
  ])('supports %s by default: %s', async (cipher, isServed) => {
    await serve();
    expect((await ask('-tls1_2', '-cipher', cipher)).includes(`Cipher is ${cipher}`)).toBe(isServed);
  });

  it('uses only the configured ciphers', async () => {
    await serve({ ciphers: 'ECDHE-ECDSA-AES128-SHA' });
    expect(await ask('-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-SHA')).toContain('Cipher is ECDHE-ECDSA-AES128-SHA');
    expect(await ask('-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-GCM-SHA256')).toContain('handshake failure');
  });
});
