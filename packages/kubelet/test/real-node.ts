import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Event, Node, Pod, PodSpec } from '@coxswain/api/core/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { systemRandom } from '@coxswain/apimachinery/random';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import {
  ClientSet,
  CoreEventRecorder,
  InProcessTransport,
  RESTClient,
  systemClock,
  type Transport,
} from '@coxswain/client';
import { type ContainerRuntime, connectRuntime } from '@coxswain/cri';
import { busyboxImage, type Containerd, startContainerd } from '@coxswain/cri/testing';
import { type CgroupManager, type CgroupName, findCgroups, newCgroupName } from '@coxswain/linux';
import { Kubelet } from '../src/kubelet.ts';
import { LinuxNode, type LinuxNodeOptions } from '../src/linux-node/linux-node.ts';
import type { Machine } from '../src/machine/machine.ts';
import { inProcessDialer } from '../src/server/in-process-dialer.ts';
import { CachedConfigSource } from '../src/volumes/config-source.ts';

const nodeName = 'real';
const run = promisify(execFile);

/** Functions that wrap dependencies of the kubelet under test. */
export interface KubeletParts {
  /** Wraps the transport to the API server. */
  transport?(transport: Transport): Transport;
  runtime?(runtime: ContainerRuntime): ContainerRuntime;
  machine?(machine: Machine): Machine;
}

export interface RealNodeOptions {
  /** Changes the configuration of the node's kubelets. */
  configure?(configuration: LinuxNodeOptions['configuration']): LinuxNodeOptions['configuration'];
  /** Called with the node's empty directory, before anything is started. */
  prepare?(directory: string): Promise<void>;
  /** The API server listens on a port, for kubelets in other processes, and no kubelet is started. */
  readonly kubeletElsewhere?: boolean;
}

/** An API server in this process, a containerd, and a kubelet that runs pods on this machine. */
export class RealNode {
  readonly clients: ClientSet;
  readonly containerd: Containerd;
  /** The directory of all files of this node. */
  readonly directory: string;
  readonly cgroups: CgroupManager;
  readonly cgroupRoot: CgroupName;
  readonly #rest: RESTClient;
  readonly #server: RunningApiServer;
  readonly #options: RealNodeOptions;
  readonly #logs = recordLogs();
  #kubelet: Kubelet | undefined;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  private constructor(
    server: RunningApiServer,
    containerd: Containerd,
    directory: string,
    cgroups: CgroupManager,
    options: RealNodeOptions,
  ) {
    this.#options = options;
    this.cgroups = cgroups;
    this.cgroupRoot = newCgroupName([], basename(directory));
    this.#server = server;
    this.containerd = containerd;
    this.directory = directory;
    this.#rest = new RESTClient(this.#newTransport());
    this.clients = new ClientSet(this.#rest);
  }

  static async start(podCIDR: string, options: RealNodeOptions = {}): Promise<RealNode> {
    const directory = await mkdtemp(join(tmpdir(), 'cox-node-'));
    await options.prepare?.(directory);
    const containerd = await startContainerd({ directory: join(directory, 'containerd'), podCIDR });
    const server = await startApiServer({
      memory: true,
      ...(options.kubeletElsewhere && { securePort: 0, bindAddress: '127.0.0.1' }),
      disableAdmissionPlugins: ['ServiceAccount', 'TaintNodesByCondition'],
    });
    const node = new RealNode(server, containerd, directory, await findCgroups({ driver: 'cgroupfs' }), options);
    await node.#prepare();
    if (!options.kubeletElsewhere) await node.startKubelet();
    return node;
  }

  /** Makes what a kubelet expects to be there. */
  async #prepare(): Promise<void> {
    await mkdir(join(this.directory, 'etc'), { recursive: true });
    await mkdir(this.manifests, { recursive: true });
    await writeFile(this.resolvConf, 'nameserver 192.0.2.1\nsearch example.com\n');
    await this.cgroups.create(this.cgroupRoot, {});
  }

  /** The kubelet's log. */
  get log(): readonly string[] {
    return this.#logs.lines;
  }

  get kubelet(): Kubelet {
    return this.#kubelet!;
  }

  /** The directory of the static pods' manifests. */
  get manifests(): string {
    return join(this.directory, 'manifests');
  }

  get resolvConf(): string {
    return join(this.directory, 'etc', 'resolv.conf');
  }

  /** The access of an administrator, for kubelets in other processes. */
  get kubeconfig(): string {
    return this.#server.kubeconfig!;
  }

  async startKubelet(parts: KubeletParts = {}): Promise<void> {
    const { directory, containerd } = this;
    const transport = this.#newTransport();
    const rest = new RESTClient(parts.transport?.(transport) ?? transport);
    const clients = new ClientSet(rest);
    const connection = await connectRuntime(containerd.endpoint);
    const runtime = parts.runtime?.(connection) ?? connection;
    const { logger } = this.#logs;
    const common = { clients, clock: systemClock, logger };
    const config = new CachedConfigSource(clients, systemClock);
    const recorder = new CoreEventRecorder({
      ...common,
      events: clients.core.v1.events,
      source: { component: 'kubelet', host: nodeName },
    });
    const linux = await LinuxNode.start({
      ...common,
      configuration: this.#options.configure?.(this.#configuration()) ?? this.#configuration(),
      runtime,
      config,
      recorder,
      allocatable: { milliCpu: 2000, memoryBytes: 2 ** 32 },
      nodeIPs: () => ['127.0.0.1'],
      random: systemRandom,
      containerLogsDirectory: join(directory, 'container-logs'),
    });
    const kubelet = new Kubelet({
      ...common,
      node: { name: nodeName, reporting: { updateEveryMs: 1000 } },
      runtime,
      machine: parts.machine?.(linux.machine) ?? linux.machine,
      settings: linux.settings,
      services: linux.services,
      config,
      recorder,
      manifests: { path: this.manifests, intervalMs: 500 },
    });
    linux.attach(kubelet);
    this.#kubelet = kubelet;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#running = Promise.all([kubelet.run(signal), linux.run(signal)]).then(async () => {
      await linux.close();
      await recorder.stop();
      connection.close();
      await rest.close();
    });
  }

  #newTransport(): Transport {
    const user = { username: 'admin', groups: ['system:masters'] };
    return new InProcessTransport(this.#server.transport(user), { fair: false });
  }

  #configuration(): LinuxNodeOptions['configuration'] {
    const { directory } = this;
    return {
      nodeName,
      directories: {
        root: join(directory, 'kubelet'),
        podLogs: join(directory, 'logs'),
        certificates: join(directory, 'certificates'),
        seccompProfiles: join(directory, 'kubelet', 'seccomp'),
      },
      dns: { servers: ['10.96.0.10'], domain: 'cluster.local', resolvConf: this.resolvConf },
      cgroups: {
        perQOS: true,
        driver: 'cgroupfs',
        root: this.cgroups.path(this.cgroupRoot),
        enforcePods: true,
        podPidsLimit: -1,
        cpuCFSQuota: true,
        cpuCFSQuotaPeriodMicroseconds: 100_000,
        singleProcessOOMKill: undefined,
        oomScoreAdj: 0,
        protectKernelDefaults: false,
      },
      security: { seccompDefault: false, allowedUnsafeSysctls: [], makeIPTablesUtilChains: false },
      images: {
        serializePulls: true,
        maxParallelPulls: 1,
        pullQps: 5,
        pullBurst: 10,
        gc: {
          highThresholdPercent: 100,
          lowThresholdPercent: 80,
          minimumAgeMs: 120_000,
          maximumAgeMs: Number.POSITIVE_INFINITY,
        },
      },
      containers: {
        limitsStorage: true,
        maxRestartPeriodMs: undefined,
        gc: { minimumAgeMs: 0, maxPerContainer: 1, maxContainers: -1 },
        logs: { maxSizeBytes: 10 * 2 ** 20, maxFiles: 5, maxWorkers: 1, checkEveryMs: 10_000 },
      },
    };
  }

  /** Stops the kubelet. Containers keep running. */
  async stopKubelet(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async create(name: string, spec: Partial<PodSpec>): Promise<Pod> {
    const containers = spec.containers ?? [];
    const whole = { nodeName, terminationGracePeriodSeconds: 1, ...spec, containers };
    return await this.clients.core.v1.pods('default').create({ metadata: { name }, spec: whole });
  }

  /** Resolves with the pod once the condition is true for it; undefined is a deleted pod. Rejects with the pod's state when the time is over. */
  async until(name: string, condition: (pod: Pod | undefined) => boolean, timeMs = 40_000): Promise<Pod | undefined> {
    const deadline = systemClock.now() + timeMs;
    for (;;) {
      const pod = await this.clients.core.v1
        .pods('default')
        .get(name)
        .catch(() => undefined);
      if (condition(pod)) return pod;
      if (systemClock.now() > deadline) {
        const events = (await this.events(name)).join('\n');
        throw new Error(`${JSON.stringify(pod?.status, undefined, 1)}\n${events}\n${this.log.join('\n')}`);
      }
      await delay(20);
    }
  }

  /** Resolves with the Node once the condition is true. Rejects with its status after 60 seconds. */
  async untilNode(condition: (node: Node) => boolean): Promise<Node> {
    const deadline = systemClock.now() + 60_000;
    for (;;) {
      const node = await this.clients.core.v1
        .nodes()
        .get(nodeName)
        .catch(() => undefined);
      if (node && condition(node)) return node;
      if (systemClock.now() > deadline) throw new Error(`${JSON.stringify(node?.status)}\n${this.log.join('\n')}`);
      await delay(50);
    }
  }

  /** Resolves when the runtime has no sandboxes. */
  async untilNothingIsLeft(): Promise<void> {
    const deadline = systemClock.now() + 40_000;
    for (;;) {
      const { items } = await this.kubelet.runtime.service.listPodSandbox({});
      if (items.length === 0) return;
      if (systemClock.now() > deadline) throw new Error(`still there: ${items.map(({ id }) => id).join()}`);
      await delay(20);
    }
  }

  /** Resolves when the kubelet has logged the text. */
  async untilLogged(text: string): Promise<void> {
    const deadline = systemClock.now() + 20_000;
    while (!this.log.some((line) => line.includes(text))) {
      if (systemClock.now() > deadline) throw new Error(`not logged: ${text}\n${this.log.join('\n')}`);
      await delay(20);
    }
  }

  /** Returns the log of the pod's container. Waits a moment for it: the runtime may write it after it has reported the container's end. */
  async logs(name: string, container = 'main'): Promise<string> {
    let text = await this.#log(name, container);
    for (let tries = 0; text === '' && tries < 50; tries++) {
      await delay(20);
      text = await this.#log(name, container);
    }
    return text;
  }

  async #log(name: string, container: string): Promise<string> {
    const pod = await this.clients.core.v1.pods('default').get(name);
    const path = `/containerLogs/default/${name}/${container}`;
    const { body, status } = await inProcessDialer(this.kubelet.handler).dial(pod, {
      method: 'GET',
      path,
      headers: {},
      signal: new AbortController().signal,
    });
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (status !== 200) throw new Error(text);
    return text;
  }

  /** Returns the events of an object, such as `Normal Started: Container started`. */
  async events(name: string): Promise<string[]> {
    const { items } = await this.clients.core.v1.events('').list();
    const version = ({ metadata }: Event): number => Number(metadata.resourceVersion);
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .sort((a, b) => version(a) - version(b))
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }

  async close(): Promise<void> {
    await this.stopKubelet();
    await this.#rest.close();
    await this.#server.stop();
    await this.containerd.close();
    await this.cgroups.destroy(this.cgroupRoot);
    // Unmount the volumes of pods that a test has left behind.
    for (const path of (await mountPointsBelow(this.directory)).reverse()) await run('umount', ['-l', path]);
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Returns the mount points below a directory, in the order in which they were mounted. */
export async function mountPointsBelow(directory: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  return lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${directory}/`));
}

/** Returns the condition `Ready` of a node. */
export const readinessOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'Ready');

/** Returns a busybox container that runs a script. */
export const shell = (name: string, script: string) => ({
  name,
  image: busyboxImage,
  imagePullPolicy: 'IfNotPresent' as const,
  command: ['/bin/sh', '-c', script],
});
