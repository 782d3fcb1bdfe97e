import { readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import { type Clock, FakeClock, systemClock } from '@coxswain/apimachinery/clock';
import { isAlreadyExists, isForbidden } from '@coxswain/apimachinery/errors';
import { recordLogs } from '@coxswain/apimachinery/log';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadKubeConfig, restConfigFor } from '../kubeconfig/index.ts';
import { kubeconfigText, tempDir } from '../kubeconfig/temp-dir.test-data.ts';
import { ResourceClient } from '../rest/resource-client.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { InProcessTransport } from '../transport/index.ts';
import type { PemKeyPair } from '../x509/pem-key-pair.ts';
import { bootstrapClientCertificate } from './bootstrap.ts';
import { CertificateFileStore } from './certificate-file-store.ts';
import { CertificateManager, type CertificateManagerOptions } from './certificate-manager.ts';
import { type CertificateTemplate, createCertificateRequest, generateKey } from './certificate-request.ts';
import { requestCertificate, signingRequestClient, waitForCertificate } from './request-certificate.ts';
import { TestAuthority } from './test-authority.test-data.ts';

const authority = new TestAuthority();
const signerName = 'kubernetes.io/kube-apiserver-client-kubelet';
const usages = ['digital signature', 'client auth'] as const;
const node = { commonName: 'system:node:a', organizations: ['system:nodes'] };
const dayMs = 86_400_000;

let server: RunningApiServer;
let requests: ResourceClient<CertificateSigningRequest>;
const clientAs = (username: string, groups: string[]) =>
  new ResourceClient<CertificateSigningRequest>(
    new RESTClient(new InProcessTransport(server.transport({ username, groups }))),
    {
      group: 'certificates.k8s.io',
      version: 'v1',
      resource: 'certificatesigningrequests',
      kind: 'CertificateSigningRequest',
      namespaced: false,
    },
  );
beforeAll(async () => {
  server = await startApiServer({ memory: true });
  requests = clientAs('admin', ['system:masters']);
});
afterAll(() => server.stop());
afterEach(() => requests.deleteCollection());

const condition = (type: string) => ({ type, status: 'True', reason: 'Because', message: 'of the test' });
const approve = (name: string) =>
  requests.patch(name, 'merge', { status: { conditions: [condition('Approved')] } }, { subresource: 'approval' });
const issue = ({ metadata, spec }: CertificateSigningRequest, clock: Clock) => {
  const pem = Buffer.from(spec.request, 'base64').toString();
  const certificate = authority.signRequest(pem, { notBefore: clock.now(), notAfter: clock.now() + 10 * dayMs });
  const status = { certificate: Buffer.from(certificate).toString('base64') };
  return requests.patch(metadata.name!, 'merge', { status }, { subresource: 'status' });
};

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value: T) => resolve(value) };
}

/** Approves and issues every request until `stop` is called. */
async function startSigner(clock: Clock): Promise<{ stop: () => Promise<void> }> {
  const watch = await requests.watch();
  const running = (async () => {
    for await (const { type, object } of watch) {
      if (type !== 'ADDED') continue;
      await approve(object.metadata.name!);
      await issue(object, clock);
    }
  })();
  return {
    async stop() {
      watch.stop();
      await running;
    },
  };
}

describe('requestCertificate and waitForCertificate', () => {
  const submit = (name?: string, template: CertificateTemplate = node, key = generateKey()) => {
    const request = createCertificateRequest(template, key);
    return requestCertificate(requests, { request, key, signerName, usages, ...(name && { name }) });
  };

  it('return the certificate once it is approved and issued', async () => {
    const key = generateKey();
    const template = { ...node, dnsNames: ['a.example'], ipAddresses: ['10.0.0.1'] };
    const request = createCertificateRequest(template, key);
    const submitted = await requestCertificate(requests, { request, key, signerName, usages, expirationSeconds: 3600 });
    const stored = await requests.get(submitted.name);
    expect(stored.spec).toMatchObject({ signerName, usages, expirationSeconds: 3600, username: 'admin' });
    const waiting = waitForCertificate(requests, submitted);
    await approve(submitted.name);
    await issue(stored, systemClock);
    expect(await waiting).toContain('-----BEGIN CERTIFICATE-----');
    expect(await waitForCertificate(requests, submitted)).toBe(await waiting);
  });

  it('reject with the reason when the request is denied, failed or replaced', async () => {
    const denied = await submit();
    const waiting = waitForCertificate(requests, denied).catch((error: Error) => error.message);
    await requests.patch(
      denied.name,
      'merge',
      { status: { conditions: [condition('Denied')] } },
      { subresource: 'approval' },
    );
    const cannot = 'cannot watch on the certificate signing request:';
    const why = 'reason: Because, message: of the test';
    expect(await waiting).toBe(`${cannot} certificate signing request is denied, ${why}`);

    const failed = await submit();
    await requests.patch(
      failed.name,
      'merge',
      { status: { conditions: [condition('Failed')] } },
      { subresource: 'status' },
    );
    await expect(waitForCertificate(requests, failed)).rejects.toThrow(
      `${cannot} certificate signing request failed, ${why}`,
    );

    const replaced = await submit('x');
    await requests.delete('x');
    await submit('x');
    await expect(waitForCertificate(requests, replaced)).rejects.toThrow(`${cannot} csr "x" changed UIDs`);
  });

  it('reject when the signal is aborted', async () => {
    const abort = new AbortController();
    const waiting = waitForCertificate(requests, await submit(), { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('reuse a request of the same name if it is for the same key and subject', async () => {
    const key = generateKey();
    const first = await submit('mine', node, key);
    expect(await submit('mine', node, key)).toEqual(first);
    await expect(submit('mine', node)).rejects.toThrow('retrieved csr is not compatible: error validating signature');
    const other = { commonName: 'system:node:b', organizations: ['system:nodes'] };
    await expect(submit('mine', other, key)).rejects.toThrow('retrieved csr is not compatible: csr subjects differ');
    await approve('mine');
    await issue(await requests.get('mine'), new FakeClock(Date.UTC(2020, 0, 1)));
    await expect(submit('mine', node, key)).rejects.toThrow(
      'one of the certificates for the CSR has expired: 2020-01-11T00:00:00.000Z',
    );
  });

  it('keep the message of the server when it rejects the request', async () => {
    const key = generateKey();
    const options = { request: 'x', key, signerName, usages };
    const refused = requestCertificate(requests, options);
    await expect(refused).rejects.toThrow('cannot create certificate signing request: ');
    await expect(refused).rejects.toThrow('PEM block type must be CERTIFICATE REQUEST');
    await refused.catch((error: unknown) => expect(isAlreadyExists(error) || isForbidden(error)).toBe(false));
  });
});

describe('CertificateManager', () => {
  let clock: FakeClock;
  let signer: Awaited<ReturnType<typeof startSigner>>;
  let stop: AbortController;
  let running: Promise<void>;
  beforeEach(async () => {
    clock = new FakeClock(Date.UTC(2026, 0, 1));
    signer = await startSigner(clock);
    stop = new AbortController();
    running = Promise.resolve();
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await signer.stop();
    expect(clock.pending).toBe(0);
  });

  /** A manager, and a function that resolves with each certificate that it gets, in order. */
  async function manage(directory: string, options: Partial<CertificateManagerOptions> = {}) {
    const arrived: PemKeyPair[] = [];
    const waiting: ((pair: PemKeyPair) => void)[] = [];
    const manager = await CertificateManager.create({
      store: new CertificateFileStore({ name: 'kubelet-client', directory, clock }),
      template: node,
      client: () => requests,
      signerName,
      usages,
      clock,
      random: () => 0,
      onRotated: (pair) => {
        const resolve = waiting.shift();
        if (resolve) resolve(pair);
        else arrived.push(pair);
      },
      ...options,
    });
    const next = (): Promise<PemKeyPair> => {
      const pair = arrived.shift();
      return pair ? Promise.resolve(pair) : new Promise((resolve) => waiting.push(resolve));
    };
    return { manager, next };
  }

  it('gets a certificate, and another when 70% of its lifetime has passed', async () => {
    const { manager, next } = await manage(await tempDir());
    expect(manager.current).toBeUndefined();
    await expect(manager.credentials.current()).rejects.toThrow(`there is no valid certificate of ${signerName}`);
    running = manager.run(stop.signal);
    const first = await next();
    expect(first.x509.subject).toBe('O=system:nodes\nCN=system:node:a');
    expect(manager.current).toBe(first);
    expect(manager.serverHealthy).toBe(true);
    const credential = await manager.credentials.current();
    expect(credential.clientCertificate).toEqual({ certificate: first.certificate, key: first.key });
    await clock.advance(7 * dayMs - 1000);
    expect(await manager.credentials.current()).toBe(credential);
    const second = next();
    await clock.advance(1000);
    expect((await second).key).not.toBe(first.key);
    expect((await manager.credentials.current()).clientCertificate?.key).toBe((await second).key);
  });

  it('starts with the stored certificate unless that has expired', async () => {
    const directory = await tempDir();
    const before = await manage(directory);
    running = before.manager.run(stop.signal);
    const first = await before.next();
    stop.abort();
    await running;
    const after = await manage(directory);
    expect(after.manager.current?.certificate.trim()).toContain(first.certificate.trim());
    await clock.advance(10 * dayMs + 1000);
    expect(after.manager.current).toBeUndefined();
    expect((await manage(directory)).manager.current).toBeUndefined();
  });

  it('replaces a bootstrap certificate at once', async () => {
    const bootstrap = authority.issue(node);
    const { manager, next } = await manage(await tempDir(), { bootstrap });
    expect(manager.current?.certificate).toBe(bootstrap.certificate);
    running = manager.run(stop.signal);
    expect((await next()).certificate).not.toBe(bootstrap.certificate);
  });

  it('requests a new certificate when the template changes', async () => {
    let template: CertificateTemplate | undefined;
    const { next } = await manage(await tempDir(), { template: () => template }).then((made) => {
      running = made.manager.run(stop.signal);
      return made;
    });
    await clock.whenWaiting();
    expect((await requests.list()).items).toEqual([]);
    template = node;
    await clock.advance(1000);
    expect((await next()).x509.subject).toContain('system:node:a');
    template = { ...node, commonName: 'system:node:b' };
    const second = next();
    await clock.advance(2000);
    expect((await second).x509.subject).toContain('system:node:b');
  });

  it('retries with exponential backoff, without end', async () => {
    const errors: unknown[] = [];
    let isDown = true;
    const { manager, next } = await manage(await tempDir(), {
      client: () => {
        if (isDown) throw new Error('no way');
        return requests;
      },
      onFailure: (error) => errors.push(error),
    });
    running = manager.run(stop.signal);
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 7; i++) {
      await clock.whenWaiting();
      waits.push(clock.nextInMs);
      await clock.advance(clock.nextInMs ?? 0);
    }
    expect(waits).toEqual([2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000]);
    expect(errors).toHaveLength(8);
    expect(manager.serverHealthy).toBe(false);
    isDown = false;
    await clock.advance(32_000);
    await next();
    expect(manager.serverHealthy).toBe(true);
  });

  it('does not retry at once when the signer leaves out requested names', async () => {
    const said = deferred<string>();
    const { logger } = recordLogs({ onLine: said.resolve });
    const { manager, next } = await manage(await tempDir(), { template: { ...node, dnsNames: ['a.example'] }, logger });
    running = manager.run(stop.signal);
    const first = await next();
    expect(await said.promise).toBe(
      `warning "Issued certificate does not satisfy the template" signerName="${signerName}"`,
    );
    await clock.whenWaiting();
    expect(clock.nextInMs).toBe(32_000);
    const second = next();
    await clock.advance(33_000);
    expect((await second).certificate).not.toBe(first.certificate);
  });

  it('counts a server that answers 403 as healthy', async () => {
    const { promise, resolve } = deferred<unknown>();
    const { manager } = await manage(await tempDir(), { client: () => clientAs('nobody', []), onFailure: resolve });
    running = manager.run(stop.signal);
    expect(isForbidden(await promise)).toBe(true);
    expect(manager.serverHealthy).toBe(true);
  });
});

describe('bootstrapClientCertificate', () => {
  async function files() {
    const dir = await tempDir({ bootstrap: kubeconfigText('tls-server-name: x', 'token: t') });
    const kubeconfigPath = join(dir, 'etc/kubeconfig');
    const certificateDirectory = join(dir, 'pki');
    const options = {
      kubeconfigPath,
      bootstrapPath: join(dir, 'bootstrap'),
      certificateDirectory,
      nodeName: 'a',
      client: () => requests,
    };
    return { dir, options };
  }

  it('writes a kubeconfig with a certificate, and does not replace it while that is valid', async () => {
    const { options } = await files();
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const signer = await startSigner(clock);
    await bootstrapClientCertificate({ ...options, clock });
    const { kubeconfigPath: path, certificateDirectory } = options;
    const config = await loadKubeConfig({ path });
    const pem = join(certificateDirectory, 'kubelet-client-current.pem');
    expect(config.users).toEqual(new Map([['default-auth', { 'client-certificate': pem, 'client-key': pem }]]));
    const rest = await restConfigFor(config);
    expect(rest).toMatchObject({ server: 'https://a:6443', namespace: 'default', tls: { serverName: 'x' } });
    expect((await rest.credentials?.current())?.clientCertificate?.certificate).toContain('BEGIN CERTIFICATE');
    expect(await readdir(certificateDirectory)).toEqual([
      'kubelet-client-2026-01-01-00-00-00.pem',
      'kubelet-client-current.pem',
    ]);
    const target = await readlink(pem);
    await clock.advance(dayMs);
    await bootstrapClientCertificate({ ...options, clock });
    expect(await readlink(pem)).toBe(target);
    await requests.deleteCollection();
    await clock.advance(10 * dayMs);
    await bootstrapClientCertificate({ ...options, clock });
    expect(await readlink(pem)).not.toBe(target);
    await signer.stop();
  });

  it('reuses its request after it was aborted', async () => {
    const { options } = await files();
    const abort = new AbortController();
    const watch = await requests.watch();
    const ended = bootstrapClientCertificate({ ...options, signal: abort.signal });
    for await (const _ of watch) break;
    abort.abort(new Error('ended'));
    await expect(ended).rejects.toThrow('ended');
    const signer = await startSigner(systemClock);
    await bootstrapClientCertificate(options);
    expect((await requests.list()).items).toHaveLength(1);
    expect(await readdir(options.certificateDirectory)).not.toContain('kubelet-client.key.tmp');
    await signer.stop();
  });

  it('connects to the server of the bootstrap kubeconfig', async () => {
    const { dir, options: given } = await files();
    const { client: _, ...options } = given;
    const certDir = join(dir, 'server');
    const real = await startApiServer({ memory: true, securePort: 0, bindAddress: '127.0.0.1', certDir });
    await writeFile(options.bootstrapPath, real.kubeconfig!);
    const abort = new AbortController();
    const ended = bootstrapClientCertificate({ ...options, signal: abort.signal });
    const there = signingRequestClient(
      new RESTClient(new InProcessTransport(real.transport({ username: 'me', groups: ['system:masters'] }))),
    );
    for await (const { object } of await there.watch()) {
      expect(object).toMatchObject({ spec: { signerName, usages, username: 'kubernetes-admin' } });
      break;
    }
    abort.abort(new Error('ended'));
    await expect(ended).rejects.toThrow('ended');
    await real.stop();
  });

  it('rejects when there is no bootstrap kubeconfig', async () => {
    const { dir, options } = await files();
    const bootstrapPath = join(dir, 'no');
    await expect(bootstrapClientCertificate({ ...options, bootstrapPath })).rejects.toThrow(
      `unable to load bootstrap kubeconfig: stat ${bootstrapPath}: no such file or directory`,
    );
  });
});
