import { lstat, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { expect, it } from 'vitest';
import { tempDir } from '../kubeconfig/temp-dir.test-data.ts';
import { CertificateFileStore } from './certificate-file-store.ts';
import { TestAuthority } from './test-authority.test-data.ts';

const authority = new TestAuthority();
const [one, two] = [authority.issue({ commonName: 'one' }), authority.issue({ commonName: 'two' })];

it('writes each pair to its own file and links the latest', async () => {
  const directory = join(await tempDir(), 'pki');
  const clock = new FakeClock(Date.UTC(2026, 0, 2, 3, 4, 5));
  const store = new CertificateFileStore({ name: 'kubelet-client', directory, clock });
  expect(await store.current()).toBeUndefined();
  const chain = `${one.certificate}junk\n${authority.certificate}`;
  expect((await store.update(chain, one.key)).x509.subject).toBe('CN=one');
  const file = join(directory, 'kubelet-client-2026-01-02-03-04-05.pem');
  expect(await readlink(store.currentPath)).toBe(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toBe(one.certificate + authority.certificate + one.key);
  await clock.advance(1000);
  await store.update(two.certificate, two.key);
  expect((await store.current())?.x509.subject).toBe('CN=two');
  expect(await readdir(directory)).toEqual([
    'kubelet-client-2026-01-02-03-04-05.pem',
    'kubelet-client-2026-01-02-03-04-06.pem',
    'kubelet-client-current.pem',
  ]);
});

it('reads an initial pair from `<name>.crt` and `.key`, or from the given files', async () => {
  const directory = await tempDir({ 'a.crt': one.certificate, 'a.key': one.key });
  const store = new CertificateFileStore({ name: 'a', directory });
  expect((await store.current())?.x509.subject).toBe('CN=one');
  const files = await tempDir({ c: two.certificate, k: two.key });
  const named = new CertificateFileStore({
    name: 'a',
    directory,
    certificateFile: join(files, 'c'),
    keyFile: join(files, 'k'),
  });
  expect((await named.current())?.x509.subject).toBe('CN=two');
});

it('completes an interrupted update', async () => {
  const directory = await tempDir({ 'a-1.pem': one.certificate + one.key });
  await symlink(join(directory, 'a-1.pem'), join(directory, 'a-updated.pem'));
  const store = new CertificateFileStore({ name: 'a', directory });
  expect((await store.current())?.x509.subject).toBe('CN=one');
  expect((await lstat(store.currentPath)).isSymbolicLink()).toBe(true);
});

it('refuses a mismatched pair, and to replace a regular file', async () => {
  const directory = await tempDir({ 'a-current.pem': one.certificate + two.key });
  const store = new CertificateFileStore({ name: 'a', directory });
  await expect(store.current()).rejects.toThrow(
    `could not convert data from "${store.currentPath}" into cert/key pair: tls: private key does not match public key`,
  );
  await expect(store.update(one.certificate, one.key)).rejects.toThrow('to be a symlink but it is a file');
  await expect(store.update(one.certificate, two.key)).rejects.toThrow('private key does not match');
  await rm(store.currentPath);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'a-updated.pem'), '');
  await expect(store.current()).rejects.toThrow('to be a symlink but it is a file');
});

it('does not print keys', () => {
  expect(inspect(one, { depth: 5, showHidden: true })).not.toContain('PRIVATE');
  expect(JSON.stringify(one)).not.toContain('PRIVATE');
});
