import { X509Certificate } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import type { Node } from '@coxswain/api/core/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, newTransport, RESTClient, untilWithSync } from '@coxswain/client';
import { type AuthInfo, formatKubeConfig, loadRestConfig, parseKubeConfig } from '@coxswain/client/kubeconfig';
import { issueKeyPair } from '@coxswain/client/x509';
import { allControllers, ControllerManager, chosenControllers } from '@coxswain/controllers';
import { HollowMachine, HollowRuntime } from '@coxswain/kubelet';
import { type KubeletEnvironment, runKubelet } from '@coxswain/kubelet/program';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeBootstrapBindings, nodeBootstrapRoles, nodeTokenGroup } from '../src/nodes/node-bootstrap-rbac.ts';

const token = 'abcdef.0123456789abcdef';
const nodeAddress = '10.9.8.7';

let directory: string;
let server: RunningApiServer;
let admin: ClientSet;
let stop: AbortController;
let running: Promise<unknown>[];
const { logger, lines } = recordLogs();

/** A free port. Another process could take it before it is used, which is unlikely. */
async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('the listener has no address');
  return address.port;
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-join-'));
  server = await startApiServer({
    memory: true,
    bindAddress: '127.0.0.1',
    securePort: 0,
    authorizationMode: ['Node', 'RBAC'],
    enableAdmissionPlugins: ['NodeRestriction'],
    enableBootstrapTokenAuth: true,
  });
  admin = new ClientSet(
    new RESTClient(new InProcessTransport(server.transport({ username: 'admin', groups: ['system:masters'] }))),
  );
  stop = new AbortController();
  const { certificate, key } = server.authority.ca;
  const all = allControllers({ ...(key && { signing: { authorities: () => ({ certificate, key }) } }) });
  const controllers = ['approving', 'signing'].map((name) => `certificatesigningrequest-${name}-controller`);
  const manager = new ControllerManager({
    rest: admin.rest,
    clientBuilder: { clientFor: () => admin.rest },
    controllers: chosenControllers(all, controllers),
    logger,
  });
  running = [manager.run(stop.signal)];
  await allowNodesToJoin();
});

afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await server.stop();
  await rm(directory, { recursive: true });
});

async function allowNodesToJoin(): Promise<void> {
  for (const role of nodeBootstrapRoles) await admin.rbac.v1.clusterRoles().create(role);
  for (const binding of nodeBootstrapBindings) await admin.rbac.v1.clusterRoleBindings().create(binding);
  const [id = '', secret = ''] = token.split('.');
  await admin.core.v1.secrets('kube-system').create({
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': nodeTokenGroup,
    },
  });
}

const path = (name: string): string => join(directory, name);

/** Writes a kubeconfig for the server. */
async function writeKubeconfig(name: string, user: AuthInfo): Promise<void> {
  const config = await parseKubeConfig(server.kubeconfig!);
  config.users.set(config.contexts.get(config.currentContext)?.user ?? '', user);
  await writeFile(path(name), await formatKubeConfig(config));
}

/** The kubeconfig of a node that joins, as kubeadm writes it. */
const writeBootstrapKubeconfig = (): Promise<void> => writeKubeconfig('bootstrap-kubeconfig', { token });

/** A machine with one address, on which nothing runs. */
function environment(): KubeletEnvironment {
  const runtime = new HollowRuntime({ bootId: 'boot', podCIDRs: ['10.1.0.0/24'] });
  return {
    logger,
    connect: async () => runtime.services,
    newMachine: async ({ configuration: { nodeName }, clock, config }) => ({
      machine: new HollowMachine({ nodeName, clock, config, logs: runtime, bootId: 'boot' }),
    }),
    host: {
      hostname: () => 'Joined',
      userId: () => 0,
      isCgroupV2: async () => true,
      isSwapOn: async () => false,
      facts: async () => ({
        machineId: 'm',
        systemUuid: 'u',
        bootId: 'boot',
        kernelVersion: '6.1',
        osImage: 'Linux',
        cpus: 3,
        memoryBytes: 4 * 2 ** 30,
        swapBytes: 0,
        hugePages: [{ sizeBytes: 2 ** 21, count: 2 }],
      }),
      storageBytes: async () => 10 * 2 ** 30,
      setOOMScore: async () => {},
      network: {
        interfaces: () => [{ name: 'eth0', addresses: [nodeAddress], isLoopback: false }],
        defaultInterfaces: async () => ({ IPv4: ['eth0'], IPv6: [] }),
        lookUp: async () => [],
      },
    },
  };
}

interface JoiningKubelet {
  readonly port: number;
  readonly ended: Promise<void>;
}

async function startKubelet(options: Parameters<typeof runKubelet>[0]): Promise<JoiningKubelet> {
  const port = await freePort();
  const common = {
    kubeconfig: path('kubeconfig'),
    bootstrapKubeconfig: path('bootstrap-kubeconfig'),
    certDir: path('pki'),
    rootDir: path('root'),
    address: '127.0.0.1',
    port,
    healthzPort: 0,
    readOnlyPort: 0,
  };
  const ended = runKubelet({ ...common, ...options }, environment(), stop.signal);
  running.push(ended.catch(() => {}));
  return { port, ended };
}

const isReady = (node: Node | undefined): boolean =>
  node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

const untilReady = async (): Promise<Node> =>
  (await untilWithSync(admin.core.v1.nodes(), 'joined', isReady, {
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(20_000)]),
  }))!;

/** Who the node's kubeconfig says it is. */
async function whoIs(kubeconfig: string): Promise<string | undefined> {
  const rest = new RESTClient(newTransport(await loadRestConfig({ path: kubeconfig, env: {} })));
  const review = await new ClientSet(rest).authentication.v1.selfSubjectReviews().create({});
  await rest.close();
  return review.status?.userInfo?.username;
}

describe('a kubelet with a bootstrap token', () => {
  it.each([
    ['before it works', false],
    ['while it works', true],
  ])('gets its client certificate %s, and joins', async (_, rotateCertificates) => {
    await writeBootstrapKubeconfig();
    await startKubelet({ rotateCertificates, nodeLabels: new Map([['a', 'b']]), systemReserved: { cpu: '500m' } });
    const node = await untilReady();
    expect(node.metadata.labels).toMatchObject({ a: 'b', 'kubernetes.io/hostname': 'joined' });
    expect(node.status).toMatchObject({
      addresses: [
        { type: 'InternalIP', address: nodeAddress },
        { type: 'Hostname', address: 'joined' },
      ],
      capacity: { cpu: '3', memory: '4Gi', 'ephemeral-storage': '10Gi', 'hugepages-2Mi': '4Mi', pods: '110' },
      allocatable: { cpu: '2500m', memory: '4092Mi', 'hugepages-2Mi': '4Mi', pods: '110' },
    });
    expect(await whoIs(path('kubeconfig'))).toBe('system:node:joined');
    expect((await lstat(path('pki/kubelet-client-current.pem'))).isSymbolicLink()).toBe(true);
    expect(await readFile(path('kubeconfig'), 'utf8')).not.toContain(token);
    const { items } = await admin.certificates.v1.certificateSigningRequests().list();
    expect(items.map(({ spec }) => [spec.username, spec.signerName])).toEqual([
      ['system:bootstrap:abcdef', 'kubernetes.io/kube-apiserver-client-kubelet'],
    ]);
  });

  it.each([
    ['before it works', false],
    ['while it works', true],
  ])('gets another client certificate %s, if that of its kubeconfig has expired', async (_, rotateCertificates) => {
    await writeBootstrapKubeconfig();
    const day = 86_400_000;
    const validity = { notBefore: new Date(Date.now() - 2 * day), notAfter: new Date(Date.now() - day) };
    const subject = { commonName: 'system:node:joined', organizations: ['system:nodes'] };
    const { certificate, key } = server.authority.ca;
    const { certificatePem, keyPem } = issueKeyPair({ ...subject, ...validity }, key && { certificate, key });
    await mkdir(path('pki'));
    await writeFile(path('pki/kubelet-client-1.pem'), certificatePem + keyPem);
    await symlink(path('pki/kubelet-client-1.pem'), path('pki/kubelet-client-current.pem'));
    const user = {
      'client-certificate': path('pki/kubelet-client-current.pem'),
      'client-key': path('pki/kubelet-client-current.pem'),
    };
    await writeKubeconfig('kubeconfig', user);
    await startKubelet({ rotateCertificates });
    await untilReady();
    expect(await whoIs(path('kubeconfig'))).toBe('system:node:joined');
  });

  it('serves with the certificate that somebody approved', async () => {
    await writeBootstrapKubeconfig();
    const { port } = await startKubelet({ rotateCertificates: true, rotateServerCertificates: true });
    await untilReady();
    const requests = admin.certificates.v1.certificateSigningRequests();
    const name = await servingRequest();
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'by hand' }];
    await requests.updateApproval(name, { ...(await requests.get(name)), status: { conditions } });
    await untilWithSync(requests, name, (request) => request?.status?.certificate !== undefined, {
      signal: stop.signal,
    });
    expect(await servedCertificate(port)).toMatchObject({
      subject: { CN: 'system:node:joined' },
      subjectaltname: `DNS:joined, IP Address:${nodeAddress}`,
    });
  });

  it('replaces a certificate that is written in its kubeconfig, as kubeadm does it for control planes', async () => {
    await writeBootstrapKubeconfig();
    await writeFile(path('kubeconfig'), server.kubeconfig!);
    await startKubelet({ rotateCertificates: true });
    await untilReady();
    const requests = admin.certificates.v1.certificateSigningRequests();
    const [{ metadata, spec } = { metadata: {}, spec: undefined }] = (await requests.list()).items;
    expect(spec?.username).toBe(await whoIs(path('kubeconfig')));
    // Nobody approves what an administrator requests for a node, until somebody does.
    const name = metadata.name!;
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'by hand' }];
    await requests.updateApproval(name, { ...(await requests.get(name)), status: { conditions } });
    const current = async () => new X509Certificate(await readFile(path('pki/kubelet-client-current.pem'), 'utf8'));
    while (!(await current()).subject.includes('CN=system:node:joined'))
      await new Promise((resolve) => setImmediate(resolve));
  });

  it('is told what is wrong with the token', async () => {
    await writeBootstrapKubeconfig();
    await admin.core.v1.secrets('kube-system').delete('bootstrap-token-abcdef');
    const { ended } = await startKubelet({ rotateCertificates: false });
    await expect(ended).rejects.toThrow('cannot create certificate signing request: Unauthorized');
  });
});

/** The name of the node's request for a serving certificate, once there is one. */
async function servingRequest(): Promise<string> {
  const watch = await admin.certificates.v1.certificateSigningRequests().watch();
  try {
    for await (const { type, object } of watch) {
      if (type === 'ADDED' && object.spec.signerName === 'kubernetes.io/kubelet-serving') return object.metadata.name!;
    }
  } finally {
    watch.stop();
  }
  throw new Error(`there is no request: ${lines.join('\n')}`);
}

/** Resolves with the certificate of a port, as soon as it is open. */
async function servedCertificate(port: number): Promise<PeerCertificate> {
  for (;;) {
    const certificate = await new Promise<PeerCertificate | undefined>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate());
        socket.destroy();
      });
      socket.on('error', () => resolve(undefined));
    });
    if (certificate) return certificate;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
