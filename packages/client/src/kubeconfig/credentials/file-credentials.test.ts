import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { describe, expect, it } from 'vitest';
import { TestAuthority } from '../../certificates/test-authority.test-data.ts';
import { tempDir } from '../temp-dir.test-data.ts';
import { CertificateFileCredentials } from './certificate-file-credentials.ts';
import { TokenFileCredentials } from './token-file-credentials.ts';

describe('TokenFileCredentials', () => {
  it('reads the file again within a minute, and keeps the token when the file is deleted', async () => {
    const path = join(await tempDir({ t: 'one\n' }), 't');
    const clock = new FakeClock();
    const credentials = new TokenFileCredentials(path, { clock, token: 'fallback' });
    const first = await credentials.current();
    expect(first.token).toBe('one');
    await writeFile(path, 'two');
    expect(await credentials.current()).toBe(first);
    await clock.advance(60_000);
    expect((await credentials.current()).token).toBe('two');
    await rm(path);
    await clock.advance(60_000);
    expect((await credentials.current()).token).toBe('two');
  });

  it('reads the file at once when the server has rejected the token', async () => {
    const path = join(await tempDir({ t: 'one' }), 't');
    const clock = new FakeClock();
    const credentials = new TokenFileCredentials(path, { clock });
    const first = await credentials.current();
    await writeFile(path, 'two');
    expect(credentials.refused(first)).toBe(true);
    const second = await credentials.current();
    expect(second.token).toBe('two');
    await writeFile(path, 'three');
    credentials.refused(first);
    expect(await credentials.current()).toBe(second);
  });

  it('rejects when the file is missing or empty, unless there is a fallback token', async () => {
    const dir = await tempDir({ empty: '\n' });
    const missing = join(dir, 'x');
    const empty = join(dir, 'empty');
    await expect(new TokenFileCredentials(missing).current()).rejects.toThrow(
      `failed to read token file "${missing}": open ${missing}: no such file or directory`,
    );
    await expect(new TokenFileCredentials(empty).current()).rejects.toThrow(`read empty token from file "${empty}"`);
    for (const path of [missing, empty])
      expect((await new TokenFileCredentials(path, { token: 's' }).current()).token).toBe('s');
  });
});

describe('CertificateFileCredentials', () => {
  const authority = new TestAuthority();
  const [one, two] = [authority.issue({ commonName: 'one' }), authority.issue({ commonName: 'two' })];

  it('switches to a new pair once both files have it', async () => {
    const dir = await tempDir({ crt: one.certificate, key: one.key });
    const clock = new FakeClock();
    const { logger, lines } = recordLogs();
    const credentials = new CertificateFileCredentials(join(dir, 'crt'), join(dir, 'key'), { clock, logger });
    const first = await credentials.current();
    expect(first.clientCertificate).toEqual({ certificate: one.certificate, key: one.key });
    await writeFile(join(dir, 'crt'), two.certificate);
    await clock.advance(2000);
    expect(await credentials.current()).toBe(first);
    expect(lines).toEqual([
      `warning "Unable to load client certificate" path="${join(dir, 'crt')}" err="tls: private key does not match public key"`,
    ]);
    await writeFile(join(dir, 'key'), two.key);
    credentials.refused();
    expect((await credentials.current()).clientCertificate?.certificate).toBe(two.certificate);
  });

  it('reads both from one file', async () => {
    const text = one.key + one.certificate;
    const path = join(await tempDir({ pem: text }), 'pem');
    const credential = await new CertificateFileCredentials(path, path).current();
    expect(credential.clientCertificate).toEqual({ certificate: text, key: text });
  });

  it.each<[sentence: string, certificate: string, key: string, message: string]>([
    ['no certificate', 'x', one.key, 'tls: failed to find any PEM data in certificate input'],
    ['no key', one.certificate, 'x', 'tls: failed to find any PEM data in key input'],
    ['a broken key', one.certificate, one.key.replace(/\n..../, '\n'), 'tls: failed to parse private key'],
    ["another's key", one.certificate, two.key, 'tls: private key does not match public key'],
  ])('rejects when there is %s', async (_, certificate, key, message) => {
    const dir = await tempDir({ crt: certificate, key });
    const credentials = new CertificateFileCredentials(join(dir, 'crt'), join(dir, 'key'));
    await expect(credentials.current()).rejects.toThrow(new Error(message));
  });
});
