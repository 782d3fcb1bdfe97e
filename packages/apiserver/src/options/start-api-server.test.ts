import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { issueKeyPair, type KeyPair } from '@coxswain/client/x509';
import { openEtcdStore } from '@coxswain/storage';
import { findProgram, startEtcd } from '@coxswain/storage/testing/etcd';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiServerOptions } from './api-server-flags.ts';
import { fetchOnce, readKubeconfig } from './https-client.test-data.ts';
import { parseOptions } from './parse-options.ts';
import { type RunningApiServer, startApiServer } from './start-api-server.ts';

let folder: string;
let running: RunningApiServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apiserver-'));
});
afterEach(async () => {
  await Promise.all(running.map(({ stop }) => stop()));
  running = [];
  await rm(folder, { recursive: true });
});

const { logger, lines: logged, clear } = recordLogs();

async function start(options: ApiServerOptions): Promise<RunningApiServer> {
  clear();
  const started = await startApiServer({ securePort: 0, bindAddress: '127.0.0.1', ...options }, { logger });
  running.push(started);
  return started;
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const year = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 365 * 86_400_000) };
const newAuthority = (): KeyPair => issueKeyPair({ commonName: 'authority', isCA: true, ...year });
const newServing = (ca: KeyPair, ...dnsNames: string[]): KeyPair =>
  issueKeyPair({ commonName: 'serving', dnsNames, ipAddresses: ['127.0.0.1'], usages: ['serverAuth'], ...year }, ca);

describe('a server in memory', () => {
  it('authenticates its administrator by the kubeconfig, and authorizes others', async () => {
    const { kubeconfig, url } = await start({ memory: true });
    const access = readKubeconfig(kubeconfig!);
    expect(access.server).toBe(url);
    expect(await fetchOnce(access, '/api/v1/namespaces/kube-system')).toMatchObject({ status: 200 });
    const nobody = { server: access.server, ca: access.ca };
    expect(await fetchOnce(nobody, '/readyz')).toMatchObject({ status: 200, text: 'ok' });
    expect(await fetchOnce(nobody, '/api/v1/namespaces')).toMatchObject({ status: 403 });
  });

  it('needs no port', async () => {
    const { transport, url, kubeconfig, stop } = await startApiServer({ memory: true });
    const ask = transport({ username: 'me', groups: ['system:masters'] });
    expect(await ask({ method: 'GET', url: '/api/v1/namespaces/default' })).toMatchObject({ status: 200 });
    expect([url, kubeconfig]).toEqual([undefined, undefined]);
    await stop();
  });

  it('accepts no connections after it has stopped', async () => {
    const { kubeconfig, stop } = await start({ memory: true });
    await stop();
    await expect(fetchOnce(readKubeconfig(kubeconfig!), '/readyz')).rejects.toThrow('ECONNREFUSED');
  });

  it('serves the resources that runtimeConfig and featureGates enable', async () => {
    const { server } = await start({
      memory: true,
      runtimeConfig: new Map([['batch/v1', 'false']]),
      disableAdmissionPlugins: ['NamespaceLifecycle'],
    });
    const transport = server.transport({ username: 'me', groups: ['system:masters'] });
    expect(await transport({ method: 'GET', url: '/apis/batch/v1' })).toMatchObject({ status: 404 });
  });
});

describe('a server in a directory', () => {
  it('keeps objects, certificates and the kubeconfig there', async () => {
    const first = await start({ dataDir: folder });
    expect(first.kubeconfigPath).toBe(join(folder, 'admin.kubeconfig'));
    expect((await stat(first.kubeconfigPath!)).mode & 0o777).toBe(0o600);
    const uid = async ({ server }: RunningApiServer): Promise<string> => {
      const access = readKubeconfig(await readFile(join(folder, 'admin.kubeconfig'), 'utf8'));
      expect(server.address?.port).toBe(Number(new URL(access.server).port));
      return JSON.parse((await fetchOnce(access, '/api/v1/namespaces/default')).text).metadata.uid;
    };
    const before = await uid(first);
    await first.stop();
    expect(await uid(await start({ dataDir: folder }))).toBe(before);
  });

  it('fails while another server uses it', async () => {
    await start({ dataDir: folder });
    await expect(start({ dataDir: folder })).rejects.toMatchObject({
      name: 'DataDirectoryError',
      message: `data directory ${join(folder, 'store')} is in use by this process`,
    });
  });

  it.runIf(process.platform === 'linux')('fails when the directory cannot be created', async () => {
    await expect(start({ dataDir: '/proc/none' })).rejects.toThrow("mkdir '/proc/none'");
  });
});

describe('a server with configured certificates', () => {
  it('serves the given certificate, and another one by SNI', async () => {
    const ca = newAuthority();
    const [serving, named] = [newServing(ca, 'localhost'), newServing(ca, 'other.example')];
    const { url } = await start({
      memory: true,
      tlsCertFile: await file('a.crt', serving.certificatePem),
      tlsPrivateKeyFile: await file('a.key', serving.keyPem),
      tlsSniCertKey: [
        {
          certificateFile: await file('b.crt', named.certificatePem),
          keyFile: await file('b.key', named.keyPem),
          names: [],
        },
      ],
      tlsMinVersion: 'VersionTLS13',
    });
    const access = { server: url!, ca: ca.certificatePem };
    expect(await fetchOnce(access, '/livez')).toMatchObject({
      fingerprint: serving.certificate.x509.fingerprint256,
      protocol: 'TLSv1.3',
    });
    expect(await fetchOnce({ ...access, servername: 'other.example' }, '/livez')).toMatchObject({
      fingerprint: named.certificate.x509.fingerprint256,
    });
  });

  it('accepts only the tokens of the file and clients of the CA', async () => {
    const ca = newAuthority();
    const client = issueKeyPair(
      { commonName: 'carol', organizations: ['system:masters'], usages: ['clientAuth'], ...year },
      ca,
    );
    const own = await start({
      dataDir: folder,
      clientCaFile: await file('clients.crt', ca.certificatePem),
      tokenAuthFile: await file('tokens.csv', 'secret,admin,1,"system:masters"\n'),
      anonymousAuth: false,
    });
    expect(own.kubeconfig).toBeUndefined();
    expect(logged.join('\n')).toContain('No admin kubeconfig is written');
    const access = { server: own.url!, ca: await readFile(join(folder, 'pki', 'ca.crt'), 'utf8') };
    const path = '/api/v1/namespaces';
    const withCertificate = { ...access, cert: client.certificatePem, key: client.keyPem };
    expect(await fetchOnce(withCertificate, path)).toMatchObject({ status: 200 });
    expect(await fetchOnce({ ...access, token: 'secret' }, path)).toMatchObject({ status: 200 });
    expect(await fetchOnce({ ...access, token: 'other' }, path)).toMatchObject({ status: 401 });
    expect(await fetchOnce(access, path)).toMatchObject({ status: 401 });
  });
});

describe('a failing start throws an error', () => {
  it('with the problems of all files', async () => {
    const broken = await file('broken', 'nothing');
    const options = {
      clientCaFile: join(folder, 'missing'),
      tokenAuthFile: broken,
      serviceAccountSigningKeyFile: broken,
    };
    await expect(start({ memory: true, ...options })).rejects.toMatchObject({
      problems: [
        expect.stringMatching(/^--client-ca-file: ENOENT: no such file or directory/),
        expect.stringMatching(/^--token-auth-file: token file '.*' must have at least 3 columns/),
        expect.stringMatching(/^--service-account-signing-key-file: error reading private key file .*broken/),
      ],
    });
  });

  it('for a key of another certificate', async () => {
    const ca = newAuthority();
    const tlsCertFile = await file('a.crt', newServing(ca).certificatePem);
    const tlsPrivateKeyFile = await file('a.key', newServing(ca).keyPem);
    await expect(start({ memory: true, tlsCertFile, tlsPrivateKeyFile })).rejects.toThrow(
      `--tls-cert-file: ${tlsCertFile}: the private key is for another certificate`,
    );
  });

  it('for an invalid audit policy, and releases the directory', async () => {
    const options = { dataDir: folder, auditLogPath: join(folder, 'audit.log') };
    const auditPolicyFile = await file('policy.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []\n');
    await expect(start({ ...options, auditPolicyFile })).rejects.toThrow(
      `loading audit policy file: loaded illegal policy with 0 rules: from file ${auditPolicyFile}`,
    );
    await start(options);
    expect(logged.join('\n')).toContain('there is no --audit-policy-file');
  });

  it('for a port in use, and releases the directory', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const securePort = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(start({ dataDir: folder, securePort })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await new Promise((resolve) => other.close(resolve));
    await start({ dataDir: folder, securePort });
  });
});

describe.skipIf(spawnSync('openssl', ['version']).error)('client CAs', () => {
  const named = (port: number): Promise<string[]> =>
    new Promise((resolve) => {
      const asked = execFile('openssl', ['s_client', '-connect', `127.0.0.1:${port}`], (_, text) =>
        resolve(/^Acceptable client certificate CA names\n((?:CN = .*\n)*)/m.exec(text)?.[1]?.trim().split('\n') ?? []),
      );
      asked.stdin?.end();
    });
  const authority = (commonName: string): string => issueKeyPair({ commonName, isCA: true, ...year }).certificatePem;

  it('are named in the TLS handshake, and updated when their files change', async () => {
    const { server } = await start({
      memory: true,
      clientCaFile: await file('clients.crt', authority('one') + authority('two')),
      requestheaderClientCaFile: await file('proxies.crt', authority('proxies')),
    });
    const { port } = server.address!;
    expect(await named(port)).toEqual(['CN = one', 'CN = two', 'CN = proxies']);
    await file('clients.crt', authority('three'));
    await expect.poll(() => named(port)).toEqual(['CN = three', 'CN = proxies']);
    await file('proxies.crt', authority('others'));
    await expect.poll(() => named(port)).toEqual(['CN = three', 'CN = others']);
  });
});

describe('the CA of front proxies', () => {
  it('must not be the CA of ordinary clients unless allowed names are configured', async () => {
    const authority = await file('ca.crt', newAuthority().certificatePem);
    const options = { memory: true, clientCaFile: authority, requestheaderClientCaFile: authority };
    await expect(start(options)).rejects.toThrow('contain overlapping certificates; --requestheader-allowed-names');
    await start({ ...options, requestheaderAllowedNames: ['proxy'] });
  });
});

describe('the command line of a test environment', () => {
  it.skipIf(findProgram('etcd') === undefined)('starts a server over real etcd', async () => {
    const etcd = await startEtcd();
    try {
      const ca = newAuthority();
      const serving = newServing(ca, 'localhost');
      const signer = newAuthority();
      const clients = newAuthority();
      const certDir = join(folder, 'certs');
      await mkdir(certDir);
      // As the test environment writes them: the server uses the certificate of this name.
      await file('certs/apiserver.crt', serving.certificatePem);
      await file('certs/apiserver.key', serving.keyPem);
      const parsed = parseOptions([
        '--advertise-address=127.0.0.1',
        '--allow-privileged=true',
        '--authorization-mode=RBAC',
        '--bind-address=127.0.0.1',
        `--cert-dir=${certDir}`,
        `--client-ca-file=${await file('certs/client-cert-auth-ca.crt', clients.certificatePem)}`,
        '--disable-admission-plugins=ServiceAccount',
        `--etcd-servers=${etcd.endpoint}`,
        '--secure-port=0',
        '--service-account-issuer=https://127.0.0.1:6443/',
        `--service-account-key-file=${await file('certs/sa-signer.crt', signer.certificatePem)}`,
        `--service-account-signing-key-file=${await file('certs/sa-signer.key', signer.keyPem)}`,
        '--service-cluster-ip-range=10.0.0.0/24',
      ]);
      if (parsed.wanted !== 'run') throw new Error('the command line does not start a server');
      const started = await startApiServer(parsed.options, { logger });
      try {
        const client = issueKeyPair(
          { commonName: 'admin', organizations: ['system:masters'], usages: ['clientAuth'], ...year },
          clients,
        );
        const access = { server: started.url!, ca: ca.certificatePem };
        expect(await fetchOnce(access, '/readyz')).toMatchObject({ status: 200 });
        const admin = { ...access, cert: client.certificatePem, key: client.keyPem };
        const service = await fetchOnce(admin, '/api/v1/namespaces/default/services/kubernetes');
        expect(JSON.parse(service.text).spec.clusterIP).toBe('10.0.0.1');
        const store = await openEtcdStore({ endpoints: [etcd.endpoint] });
        expect((await store.get('/registry/namespaces/default')).entry).toBeDefined();
        await store.close();
      } finally {
        await started.stop();
      }
      // With a loopback address, no endpoints are written.
      expect(logged.filter((line) => line.includes('endpoints'))).toEqual([]);
    } finally {
      await etcd.dispose();
    }
  });
});
