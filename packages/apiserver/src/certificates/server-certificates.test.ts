import { generateKeyPairSync } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { recordLogs } from '@coxswain/apimachinery/log';
import { issueKeyPair } from '@coxswain/client/x509';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureServerCertificates, type ServerCertificates } from './server-certificates.ts';

const day = 24 * 60 * 60 * 1000;
const names = { dnsNames: ['localhost', 'kubernetes.default.svc'], ipAddresses: ['127.0.0.1', '10.96.0.1'] };
const leaves = ['admin', 'apiserver', 'apiserver-kubelet-client', 'front-proxy-client'];

describe('ensureServerCertificates', () => {
  let root: string;
  let directory: string;
  const { logger, lines: log, clear } = recordLogs();
  const now = new Date();

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'certificates-'));
    directory = join(root, 'pki');
    clear();
  });
  afterEach(() => rm(root, { recursive: true }));

  const ensure = (options: Partial<Parameters<typeof ensureServerCertificates>[0]> = {}): Promise<ServerCertificates> =>
    ensureServerCertificates({ directory, names, now: () => now, logger, ...options });
  const later = (days: number) => ({ now: () => new Date(now.getTime() + days * day) });
  const file = (name: string): string => join(directory, name);
  const contents = async (): Promise<Record<string, string>> => {
    const entries = (await readdir(directory)).sort().map(async (name) => [name, await readFile(file(name), 'utf8')]);
    return Object.fromEntries(await Promise.all(entries));
  };
  /** Names of the files that `start` changes. */
  async function changedBy(start: () => Promise<unknown>): Promise<string[]> {
    const before = await contents();
    await start();
    return Object.entries(await contents()).flatMap(([name, text]) => (before[name] === text ? [] : [name]));
  }

  it('creates all files on the first start, keys with mode 0600', async () => {
    const made = await ensure();
    const files = ['ca', 'front-proxy-ca', ...leaves].flatMap((name) => [`${name}.crt`, `${name}.key`]);
    expect(await readdir(directory)).toEqual([...files, 'sa.key', 'sa.pub'].sort());
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(directory))
      expect([name, (await stat(file(name))).mode & 0o777]).toEqual([name, name.endsWith('.key') ? 0o600 : 0o644]);
    const subjects = [made.admin, made.kubeletClient, made.frontProxyClient, made.serving].map(({ certificate }) => [
      certificate.subject.commonName,
      ...certificate.subject.organizations,
      certificate.extendedKeyUsages,
    ]);
    expect(subjects).toEqual([
      ['kubernetes-admin', 'system:masters', ['1.3.6.1.5.5.7.3.2']],
      ['kube-apiserver-kubelet-client', ['1.3.6.1.5.5.7.3.2']],
      ['front-proxy-client', ['1.3.6.1.5.5.7.3.2']],
      ['kube-apiserver', ['1.3.6.1.5.5.7.3.1']],
    ]);
    expect(made.serviceAccountKey.algorithm).toBe('ES256');
    expect(made.frontProxyClient.certificate.x509.verify(made.frontProxyCA.certificate.x509.publicKey)).toBe(true);
  });

  it('uses the existing files on the next start', async () => {
    const first = await ensure();
    clear();
    expect(await changedBy(() => ensure(later(300)))).toEqual([]);
    expect(log).toEqual([]);
    expect((await ensure()).serviceAccountKey.keyId).toBe(first.serviceAccountKey.keyId);
  });

  it('reissues a certificate for another user or other groups', async () => {
    const { ca } = await ensure();
    const year = { notBefore: now, notAfter: new Date(now.getTime() + 365 * day) };
    const old = issueKeyPair(
      {
        commonName: 'kube-apiserver-kubelet-client',
        organizations: ['system:masters'],
        usages: ['clientAuth'],
        ...year,
      },
      { certificate: ca.certificate, key: ca.key! },
    );
    await writeFile(file('apiserver-kubelet-client.crt'), old.certificatePem);
    await writeFile(file('apiserver-kubelet-client.key'), old.keyPem);
    clear();
    expect(await changedBy(() => ensure())).toContain('apiserver-kubelet-client.crt');
    expect(log).toEqual([
      `info "Issued certificate" file="${file('apiserver-kubelet-client.crt')}" reason="it was for another subject"`,
    ]);
  });

  it('reissues a certificate that expires soon', async () => {
    await ensure();
    const changed = await changedBy(() => ensure(later(340)));
    expect(changed).toEqual(leaves.flatMap((name) => [`${name}.crt`, `${name}.key`]).sort());
  });

  it('reissues a certificate that lacks a name', async () => {
    await ensure();
    const more = { names: { ...names, ipAddresses: [...names.ipAddresses, '192.0.2.9'] } };
    expect(await changedBy(() => ensure(more))).toEqual(['apiserver.crt', 'apiserver.key']);
    expect(log.at(-1)).toBe(
      `info "Issued certificate" file="${file('apiserver.crt')}" reason="it lacked the name 192.0.2.9"`,
    );
    expect(await changedBy(() => ensure())).toEqual([]);
  });

  it('reissues a certificate with a wrong or missing key, or from an earlier CA', async () => {
    await ensure();
    await copyFile(file('admin.key'), file('apiserver.key'));
    expect(await changedBy(() => ensure())).toEqual(['apiserver.crt', 'apiserver.key']);
    await rm(file('admin.key'));
    expect(await changedBy(() => ensure())).toEqual(['admin.crt', 'admin.key']);
    await rm(file('admin.crt'));
    expect(await changedBy(() => ensure())).toEqual(['admin.crt']);
    await Promise.all([rm(file('front-proxy-ca.crt')), rm(file('front-proxy-ca.key'))]);
    const changed = await changedBy(() => ensure());
    expect(changed).toEqual([
      'front-proxy-ca.crt',
      'front-proxy-ca.key',
      'front-proxy-client.crt',
      'front-proxy-client.key',
    ]);
  });

  it('writes the public key of service accounts from the private key', async () => {
    await ensure();
    await writeFile(file('sa.pub'), 'something else');
    expect(await changedBy(() => ensure())).toEqual(['sa.pub']);
  });

  it('throws with a remedy when a certificate or key is damaged', async () => {
    await ensure();
    const remedy = `remove ${file('admin.crt')} and ${file('admin.key')} to issue a new certificate`;
    for (const [name, problem] of [
      ['admin.key', 'there is no private key in it that can be read'],
      ['admin.crt', 'there is no certificate in it'],
    ] as const) {
      const { [name]: before = '' } = await contents();
      await writeFile(file(name), '');
      await expect(ensure()).rejects.toThrow(new Error(`${file(name)}: ${problem}; ${remedy}`));
      await writeFile(file(name), before);
    }
    await writeFile(file('admin.key'), '');
    await rm(file('admin.crt'));
    await rm(file('admin.key'));
    expect(await changedBy(() => ensure())).toEqual(['admin.crt', 'admin.key']);
  });

  it('never replaces a CA or the key of service accounts', async () => {
    await ensure();
    const remedy = `remove ${file('ca.crt')} and ${file('ca.key')} to create a new CA`;
    const before = await contents();
    await expect(ensure(later(3651))).rejects.toThrow(/ca\.crt: the certificate has expired at .*; remove /);
    await copyFile(file('front-proxy-ca.key'), file('ca.key'));
    await expect(ensure()).rejects.toThrow(
      new Error(`${file('ca.crt')}: ${file('ca.key')} is the key of another certificate; ${remedy}`),
    );
    await copyFile(file('admin.crt'), file('ca.crt'));
    await copyFile(file('admin.key'), file('ca.key'));
    await expect(ensure()).rejects.toThrow(
      new Error(`${file('ca.crt')}: the certificate is not a CA certificate; ${remedy}`),
    );
    await writeFile(file('ca.crt'), before['ca.crt']!);
    await writeFile(file('ca.key'), 'not a key');
    await expect(ensure()).rejects.toThrow(
      `${file('ca.key')}: there is no private key in it that can be read; ${remedy}`,
    );
    await writeFile(file('ca.key'), before['ca.key']!);
    await writeFile(file('sa.key'), 'not a key');
    await expect(ensure()).rejects.toThrow(
      `${file('sa.key')}: data does not contain a valid RSA or ECDSA private key; remove it to have another made, with which all tokens end`,
    );
    await rm(file('sa.key'));
    await expect(ensure()).rejects.toThrow(`${file('sa.pub')}: its private key ${file('sa.key')} is missing`);
  });

  it('creates the certificate of a CA whose key exists, as after an interrupted start', async () => {
    const { admin } = await ensure();
    await rm(file('ca.crt'));
    expect(await changedBy(() => ensure())).toEqual(['ca.crt']);
    expect(admin.certificate.x509.verify((await ensure()).ca.certificate.x509.publicKey)).toBe(true);
  });

  it('works without the key of a CA until a certificate must be issued', async () => {
    await ensure();
    await rm(file('ca.key'));
    const more = { names: { ...names, dnsNames: ['other.example'] } };
    expect(await changedBy(() => ensure({ ...more, ...later(340) }))).toEqual([
      'front-proxy-client.crt',
      'front-proxy-client.key',
    ]);
    await expect(ensure(later(366))).rejects.toThrow(/: the certificate has expired at /);
    await rm(file('admin.crt'));
    await expect(ensure()).rejects.toThrow(
      `${file('admin.crt')} cannot be issued (it was missing): the authority's key ${file('ca.key')} is missing`,
    );
  });

  describe('with a certificate of another CA', () => {
    const theirs = issueKeyPair({
      commonName: 'theirs',
      dnsNames: ['their.example'],
      notBefore: new Date(now.getTime() - day),
      notAfter: new Date(now.getTime() + day),
    });

    it('in the directory: uses it unchanged, or throws when it is invalid', async () => {
      await ensure();
      await writeFile(file('apiserver.crt'), theirs.certificatePem);
      await writeFile(file('apiserver.key'), theirs.keyPem);
      const { serving, servingTrust } = await ensure();
      expect(serving.certificatePem).toBe(theirs.certificatePem);
      expect(servingTrust).toBe(theirs.certificatePem);
      await expect(ensure(later(2))).rejects.toThrow(/apiserver\.crt: the certificate has expired at /);
      await copyFile(file('admin.key'), file('apiserver.key'));
      await expect(ensure()).rejects.toThrow(`${file('apiserver.crt')}: the private key is for another certificate`);
      await rm(file('apiserver.key'));
      await expect(ensure()).rejects.toThrow(
        `${file('apiserver.crt')}: its private key ${file('apiserver.key')} is missing`,
      );
    });

    it('named by flags: uses it, or throws when it is invalid', async () => {
      const servingFiles = { certificateFile: join(root, 'tls.crt'), keyFile: join(root, 'tls.key') };
      await writeFile(servingFiles.certificateFile, theirs.certificatePem);
      await writeFile(servingFiles.keyFile, theirs.keyPem);
      expect((await ensure({ servingFiles })).serving.certificatePem).toBe(theirs.certificatePem);
      expect(await readdir(directory)).not.toContain('apiserver.crt');
      await expect(ensure({ servingFiles, ...later(2) })).rejects.toThrow(/tls\.crt: the certificate has expired at /);
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      await writeFile(servingFiles.keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
      await expect(ensure({ servingFiles })).rejects.toThrow(/tls\.crt: the private key is for another certificate/);
      await writeFile(servingFiles.certificateFile, theirs.keyPem);
      await expect(ensure({ servingFiles })).rejects.toThrow(/tls\.crt: there is no certificate in it/);
      await rm(servingFiles.certificateFile);
      await expect(ensure({ servingFiles })).rejects.toThrow(/ENOENT.*tls\.crt/);
    });
  });

  it('creates certificates that a TLS server and a client with a certificate accept', async () => {
    const { ca, serving, servingTrust, admin } = await ensure();
    const server = createServer(
      {
        cert: serving.certificatePem,
        key: serving.keyPem,
        ca: ca.certificatePem,
        requestCert: true,
        rejectUnauthorized: false,
      },
      (incoming, response) => {
        const { authorized } = incoming.socket as TLSSocket;
        response.end(String(authorized));
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const get = (options: object): Promise<string> =>
        new Promise((resolve, reject) => {
          const call = request({ host: '127.0.0.1', port, agent: false, ...options }, async (response) => {
            response.setEncoding('utf8');
            let text = '';
            for await (const chunk of response) text += chunk;
            resolve(text);
          });
          call.on('error', reject).end();
        });
      const client = { cert: admin.certificatePem, key: admin.keyPem };
      expect(await get({ ca: servingTrust, ...client })).toBe('true');
      expect(await get({ ca: servingTrust, servername: 'kubernetes.default.svc' })).toBe('false');
      await expect(get({})).rejects.toThrow(/self-signed certificate|unable to/);
      await expect(get({ ca: servingTrust, servername: 'elsewhere.example' })).rejects.toThrow(/does not match/);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
