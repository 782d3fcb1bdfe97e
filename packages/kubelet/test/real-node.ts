import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Event, Pod, PodSpec } from '@coxswain/api/core/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { systemRandom } from '@coxswain/apimachinery/random';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, RESTClient, systemClock } from '@coxswain/client';
import { type ContainerRuntime, connectRuntime } from '@coxswain/cri';
import { busyboxImage, type Containerd, startContainerd } from '@coxswain/cri/testing';
import { type CgroupManager, type CgroupName, findCgroups, newCgroupName } from '@coxswain/linux';
import { NodeCgroups } from '../src/cgroups/node-cgroups.ts';
import { Kubelet } from '../src/kubelet.ts';
import { LinuxMachine } from '../src/machine/linux-machine.ts';
import { defaultRuntimeSettings } from '../src/runtime/runtime-settings.ts';

const nodeName = 'real';

/** A real API server in this process, a real containerd, and a kubelet between them. */
export class RealNode {
  readonly clients: ClientSet;
  readonly containerd: Containerd;
  /** A directory of this node's own. */
  readonly directory: string;
  readonly cgroups: CgroupManager;
  readonly cgroupRoot: CgroupName;
  readonly #rest: RESTClient;
  readonly #server: RunningApiServer;
  readonly #logs = recordLogs();
  #runtime: ContainerRuntime | undefined;
  #kubelet: Kubelet | undefined;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  private constructor(server: RunningApiServer, containerd: Containerd, directory: string, cgroups: CgroupManager) {
    this.cgroups = cgroups;
    this.cgroupRoot = newCgroupName([], basename(directory));
    this.#server = server;
    this.containerd = containerd;
    this.directory = directory;
    const user = { username: 'admin', groups: ['system:masters'] };
    this.#rest = new RESTClient(new InProcessTransport(server.transport(user), { fair: false }));
    this.clients = new ClientSet(this.#rest);
  }

  static async start(podCIDR: string): Promise<RealNode> {
    const directory = await mkdtemp(join(tmpdir(), 'cox-node-'));
    const containerd = await startContainerd({ directory: join(directory, 'containerd'), podCIDR });
    const server = await startApiServer({
      memory: true,
      disableAdmissionPlugins: ['ServiceAccount', 'TaintNodesByCondition'],
    });
    const node = new RealNode(server, containerd, directory, await findCgroups({ driver: 'cgroupfs' }));
    await node.startKubelet();
    return node;
  }

  /** What the kubelet logged. */
  get log(): readonly string[] {
    return this.#logs.lines;
  }

  get kubelet(): Kubelet {
    return this.#kubelet!;
  }

  /** The directory of manifests of static pods. */
  get manifests(): string {
    return join(this.directory, 'manifests');
  }

  async startKubelet(): Promise<void> {
    const { directory, containerd, clients } = this;
    const runtime = await connectRuntime(containerd.endpoint);
    await mkdir(join(directory, 'etc'), { recursive: true });
    await mkdir(this.manifests, { recursive: true });
    await writeFile(join(directory, 'etc', 'resolv.conf'), 'nameserver 192.0.2.1\nsearch example.com\n');
    const settings = { ...defaultRuntimeSettings, isCgroupV2: this.cgroups.version === 2 };
    const cgroups = new NodeCgroups({
      cgroups: this.cgroups,
      root: this.cgroupRoot,
      settings,
      podPidsLimit: -1,
      allocatable: undefined,
      activePods: () => this.#kubelet?.activePods ?? [],
      clock: systemClock,
      logger: this.#logs.logger,
    });
    await this.cgroups.create(this.cgroupRoot, {});
    await cgroups.start();
    const machine = new LinuxMachine({
      configuration: {
        rootDirectory: join(directory, 'kubelet'),
        podLogsDirectory: join(directory, 'logs'),
        clusterDNS: ['10.96.0.10'],
        clusterDomain: 'cluster.local',
        resolvConf: join(directory, 'etc', 'resolv.conf'),
        hostsFile: '/etc/hosts',
        nodeIPs: () => ['127.0.0.1'],
      },
      volumes: {
        mount: async () => [],
        mountsOf: async () => [],
        supplementalGroups: () => [],
        unmount: async () => {},
        remove: async () => {},
      },
      cgroups,
      prober: { probe: async () => ({ outcome: 'Success', output: '' }) },
      hooks: { run: async () => {} },
      logs: { read: async function* () {} },
      random: systemRandom,
      info: async () => ({ machineId: 'm', systemUuid: 's', bootId: 'b', kernelVersion: 'k', osImage: 'o' }),
    });
    this.#runtime = runtime;
    this.#kubelet = new Kubelet({
      node: { name: nodeName },
      clients,
      runtime,
      machine,
      settings,
      manifests: { path: this.manifests, intervalMs: 500 },
      logger: this.#logs.logger,
    });
    this.#stop = new AbortController();
    this.#running = this.#kubelet.run(this.#stop.signal);
  }

  /** Ends the kubelet. Containers go on running. */
  async stopKubelet(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#runtime?.close();
  }

  async create(name: string, spec: Partial<PodSpec>): Promise<Pod> {
    const containers = spec.containers ?? [];
    const whole = { nodeName, terminationGracePeriodSeconds: 1, ...spec, containers };
    return await this.clients.core.v1.pods('default').create({ metadata: { name }, spec: whole });
  }

  /** Resolves with the pod once the condition holds; undefined if the pod is gone. Rejects with what there is after 20 seconds. */
  async until(name: string, condition: (pod: Pod | undefined) => boolean): Promise<Pod | undefined> {
    const deadline = systemClock.now() + 20_000;
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

  /** Resolves when the runtime has no sandboxes any more. */
  async untilNothingIsLeft(): Promise<void> {
    const deadline = systemClock.now() + 20_000;
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

  /** The events of an object, as `Normal Started: Container started`. */
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
    const { rm } = await import('node:fs/promises');
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** A container of busybox that runs a script. */
export const shell = (name: string, script: string) => ({
  name,
  image: busyboxImage,
  imagePullPolicy: 'IfNotPresent' as const,
  command: ['/bin/sh', '-c', script],
});
