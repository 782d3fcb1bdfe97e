import { createPublicKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import { pemBlocks } from '@coxswain/apimachinery/der';
import { recordLogs } from '@coxswain/apimachinery/log';
import { parseCertificateRequest } from '@coxswain/apimachinery/x509';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet, FakeClock, InProcessTransport, RESTClient } from '@coxswain/client';
import { CertificateFileStore, signingRequestClient } from '@coxswain/client/certificates';
import { issueKeyPair, issueRawCertificate, keyUsageBits } from '@coxswain/client/x509';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ClientCertificate } from './client-certificate.ts';
import { RequestedServingCertificate } from './requested-serving-certificate.ts';

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const hour = 60 * minute;
const authority = issueKeyPair({
  commonName: 'ca',
  isCA: true,
  notBefore: new Date(start - hour),
  notAfter: new Date(start + 1e6 * hour),
});

let server: RunningApiServer;
let clock: FakeClock;
let directory: string;
let stop: AbortController;
let running: Promise<unknown>[];
const { logger, lines } = recordLogs();

beforeEach(async () => {
  server = await startApiServer({ memory: true, authorizationMode: ['RBAC'] });
  clock = new FakeClock(start);
  directory = await mkdtemp(join(tmpdir(), 'kubelet-certificates-'));
  stop = new AbortController();
  running = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await server.stop();
  await rm(directory, { recursive: true });
});

const clientsOf = (username: string, ...groups: string[]): ClientSet =>
  new ClientSet(new RESTClient(new InProcessTransport(server.transport({ username, groups }))));
const admin = (): ClientSet => clientsOf('admin', 'system:masters');
const requests = () => admin().certificates.v1.certificateSigningRequests();

const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'of the test' }];

/** Approves a request, and issues a certificate that is valid for ten hours from now. */
async function sign({ metadata, spec }: CertificateSigningRequest): Promise<void> {
  const name = metadata.name!;
  const [block] = pemBlocks(Buffer.from(spec.request, 'base64').toString());
  const { subject, publicKeyInfo, dnsNames, ipAddresses } = parseCertificateRequest(block!.bytes);
  const key = createPublicKey({ key: Buffer.from(publicKeyInfo), type: 'spki', format: 'der' });
  const template = {
    subject: subject.raw,
    dnsNames,
    ipAddresses,
    keyUsage: keyUsageBits.digitalSignature,
    extendedKeyUsages: [],
    notBefore: new Date(clock.now()),
    notAfter: new Date(clock.now() + 10 * hour),
  };
  const certificate = Buffer.from(issueRawCertificate(template, key, authority).x509.toString()).toString('base64');
  await requests().patch(name, 'merge', { status: { conditions } }, { subresource: 'approval' });
  await requests().patch(name, 'merge', { status: { certificate } }, { subresource: 'status' });
}

/** Signs the only request that is not signed, once there is one, and removes it. */
async function signNext(): Promise<CertificateSigningRequest> {
  const watch = await requests().watch();
  try {
    for await (const { type, object } of watch) {
      if (type !== 'ADDED' || object.status?.certificate) continue;
      await sign(object);
      return object;
    }
  } finally {
    watch.stop();
  }
  throw new Error('the watch has ended');
}

const count = async (): Promise<number> => (await requests().list()).items.length;

async function clientCertificate(clients: ClientSet): Promise<ClientCertificate> {
  const config = { server: 'https://127.0.0.1:1' };
  return await ClientCertificate.create({
    store: new CertificateFileStore({ name: 'kubelet-client', directory, clock }),
    nodeName: 'a',
    bootstrap: undefined,
    requesting: config,
    using: config,
    client: () => signingRequestClient(clients.rest),
    clock,
    random: () => 0.5,
    logger,
  });
}

/** Lets the time pass until the condition holds. */
async function advanceUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await clock.advance(100);
}

it('a client certificate is requested at once, and again after 80% of its life', async () => {
  const certificate = await clientCertificate(admin());
  expect(certificate.current).toBeUndefined();
  await expect(certificate.config.credentials?.current()).rejects.toThrow('there is no valid certificate');
  running.push(certificate.run(stop.signal));
  const { spec } = await signNext();
  expect(spec).toMatchObject({
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'client auth'],
  });
  await advanceUntil(() => certificate.current !== undefined);
  const first = certificate.current!;
  expect(first.x509.subject).toBe('O=system:nodes\nCN=system:node:a');
  const credential = await certificate.config.credentials?.current();
  expect(credential?.clientCertificate?.certificate).toBe(first.certificate);

  await clock.advance(first.notBefore + 8 * hour - minute - clock.now());
  expect(await count()).toBe(1);
  expect(certificate.current).toBe(first);
  await clock.advance(2 * minute);
  await signNext();
  await advanceUntil(() => certificate.current !== first);
  expect(certificate.current?.notBefore).toBeGreaterThan(first.notBefore);
  const next = await certificate.config.credentials?.current();
  expect(next?.clientCertificate?.certificate).toBe(certificate.current?.certificate);
});

it('a stored client certificate is used', async () => {
  const before = await clientCertificate(admin());
  const stopped = new AbortController();
  const ran = before.run(stopped.signal);
  await signNext();
  await advanceUntil(() => before.current !== undefined);
  stopped.abort();
  await ran;
  const after = await clientCertificate(admin());
  expect(after.current?.certificate).toBe(before.current?.certificate);
  running.push(after.run(stop.signal));
  await clock.advance(hour);
  expect(await count()).toBe(1);
});

it('a kubelet that gets no client certificate from a server that answers ends after five minutes', async () => {
  const certificate = await clientCertificate(clientsOf('nobody'));
  const ended = certificate.run(stop.signal).then(
    () => 'ended',
    (error: Error) => error.message,
  );
  let message: string | undefined;
  void ended.then((text) => {
    message = text;
  });
  await clock.advance(4 * minute);
  expect(message).toBeUndefined();
  await clock.advance(2 * minute);
  expect(await ended).toBe('No valid client certificate is found and the server is responsive, exiting.');
  expect(lines.join('\n')).toContain('cannot create certificate signing request');
});

it('a serving certificate is requested for the addresses of the node, and again when they change', async () => {
  let addresses = [{ type: 'Hostname', address: 'a' }];
  const pairs: string[] = [];
  const serving = await RequestedServingCertificate.create({
    nodeName: 'a',
    directory,
    client: requests(),
    addresses: () => addresses,
    allowNamesOnly: false,
    clock,
    random: () => 0.5,
    logger,
  });
  serving.subscribe(({ cert }) => pairs.push(cert));
  running.push(serving.run(stop.signal));
  await clock.advance(minute);
  expect(await count()).toBe(0);

  addresses = [{ type: 'InternalIP', address: '10.0.0.5' }, ...addresses];
  await clock.advance(1000);
  const { spec } = await signNext();
  expect(spec).toMatchObject({
    signerName: 'kubernetes.io/kubelet-serving',
    usages: ['digital signature', 'server auth'],
  });
  await advanceUntil(() => pairs.length === 1);
  expect(serving.current()?.cert).toBe(pairs[0]);

  addresses = [
    { type: 'InternalIP', address: '10.0.0.6' },
    { type: 'InternalDNS', address: 'a.example' },
  ];
  await clock.advance(3000);
  await signNext();
  await advanceUntil(() => pairs.length === 2);
  expect(serving.current()?.cert).toBe(pairs[1]);
});
