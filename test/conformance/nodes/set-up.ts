import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connectRuntime } from '@coxswain/cri';
import { bin } from '../build.ts';
import { imageRecipes } from '../images/recipes.ts';
import { cgroupMounts, createCgroup } from './cgroups.ts';
import {
  cniConfiguration,
  containerdConfiguration,
  hostsToml,
  iptablesPrograms,
  kubeconfigOf,
  kubeletConfiguration,
  legacyIptables,
  mountScript,
  proxyConfiguration,
  registryHosts,
  runtimeSocket,
  type ServerAddress,
} from './configurations.ts';
import type { ContainerdKind } from './containerd-kind.ts';
import { type ClientIdentity, issueCertificate, kubeletIdentity, proxyIdentity } from './credentials.ts';
import { Daemons } from './daemons.ts';
import { dnsObjects } from './dns.ts';
import { Kubectl } from './kubectl.ts';
import { requireForNodes } from './requirements.ts';
import { type Changes, changedSysctls, changesFile, findRemains, takeDown } from './take-down.ts';
import {
  hostAddress,
  type NodePlan,
  namePrefix,
  networkCommands,
  ownDirectories,
  planNodes,
  registryPort,
  stateDirectory,
} from './topology.ts';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);

export interface SetUpOptions {
  /** Of an administrator. The API server must listen on all addresses, and pods reach it at `hostAddress`. */
  readonly kubeconfig: string;
  readonly nodes: number;
  readonly containerd: ContainerdKind;
  /** The kubelet's command line, to which its flags are added. */
  readonly kubelet: readonly [string, ...string[]];
  readonly programs: { readonly kubectl: string; readonly 'kube-proxy': string };
  /** The folder of the nodes' logs. */
  readonly logs: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const startTimeoutMs = 60_000;
const pullTimeoutMs = 600_000;
const readyTimeoutMs = 300_000;

/**
 * Makes nodes on this machine and attaches them to a cluster. Resolves when they are ready, have all images, and the cluster's DNS answers;
 * the signal is aborted when a program of theirs ends. Everything is taken away again when it rejects. Rejects, and changes nothing, when
 * there are nodes already or something is missing.
 */
export async function setUp(options: SetUpOptions): Promise<AbortSignal> {
  await requireForNodes(options.containerd);
  if ((await findRemains()).processes.length > 0) {
    throw new Error('there are nodes on this machine already; take them down first: npm run conformance:nodes -- down');
  }
  // What is left of nodes that crashed.
  await takeDown();
  try {
    return await new NodeSetUp(options).run();
  } catch (error) {
    await takeDown();
    throw error;
  }
}

class NodeSetUp {
  readonly #options: SetUpOptions;
  readonly #nodes: readonly NodePlan[];
  readonly #daemons: Daemons;
  readonly #kubectl: Kubectl;

  constructor(options: SetUpOptions) {
    this.#options = options;
    this.#nodes = planNodes(options.nodes);
    this.#daemons = new Daemons(options.logs);
    this.#kubectl = new Kubectl(options.programs.kubectl, options.kubeconfig);
  }

  async run(): Promise<AbortSignal> {
    const { say, signal, containerd } = this.#options;
    say(`nodes: ${this.#nodes.map(({ name }) => name).join(' and ')}, by containerd (${containerd})`);
    await this.#rememberSettings();
    for (const [program = '', ...args] of networkCommands(this.#nodes)) {
      signal.throwIfAborted();
      await run(program, args);
    }
    await this.#startRegistry();
    await this.#writeSharedFiles();
    const pids = await Promise.all(this.#nodes.map((node) => this.#startContainerd(node)));
    say('nodes: pulling images');
    await Promise.all(pids.map((pid) => this.#pullImages(pid)));
    say('nodes: starting kubelets and kube-proxies');
    const server = await this.#serverAddress();
    for (const [index, node] of this.#nodes.entries()) await this.#startKubernetes(node, pids[index]!, server);
    await this.#recordingState(() => this.#untilReady());
    say('nodes: ready');
    return this.#daemons.lost;
  }

  async #untilReady(): Promise<void> {
    await this.#waitFor(
      () => this.#kubectl.run(['wait', '--for=condition=Ready', ...this.#nodes.map(({ name }) => `node/${name}`)]),
      'the nodes to be ready',
    );
    await this.#kubectl.apply(dnsObjects);
    await this.#waitFor(
      () => this.#kubectl.run(['-n', 'kube-system', 'wait', '--for=condition=Available', 'deployment/coredns']),
      'DNS to be available',
    );
  }

  /** When the work fails, the state of the cluster is written to a log before the nodes are taken down. */
  async #recordingState(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const commands = [
        ['get', 'nodes,pods', '--all-namespaces', '-o', 'yaml'],
        ['get', 'events', '-A'],
      ];
      const texts = commands.map((args) => this.#kubectl.run(args).catch((problem: Error) => problem.message));
      const log = join(this.#options.logs, 'cluster-state.log');
      await writeFile(log, (await Promise.all(texts)).join('\n'));
      this.#options.say(`nodes: ${log} has the state of the cluster`);
      throw error;
    }
  }

  /** Writes down the kernel settings that kubelets change. */
  async #rememberSettings(): Promise<void> {
    await mkdir(stateDirectory, { recursive: true });
    const sysctls: Record<string, string> = {};
    for (const name of changedSysctls) {
      const value = await readFile(join('/proc/sys', name), 'utf8').catch(() => undefined);
      if (value !== undefined) sysctls[name] = value.trim();
    }
    const changes: Changes = { sysctls };
    await writeFile(join(stateDirectory, changesFile), JSON.stringify(changes));
  }

  async #startRegistry(): Promise<void> {
    const script = fileURLToPath(new URL('../images/run.ts', import.meta.url));
    const cgroupProcs = await createCgroup(await cgroupMounts(), `/${namePrefix}machine`);
    await this.#daemons.start({
      name: 'registry',
      // The flags of this process make Node run TypeScript.
      command: [process.execPath, ...process.execArgv, script, 'serve', `${hostAddress}:${registryPort}`],
      cgroupProcs,
      env: process.env,
    });
    const answers = async () => (await fetch(`http://${hostAddress}:${registryPort}/v2/`)).ok;
    await this.#waitFor(answers, 'the registry', startTimeoutMs);
  }

  async #writeSharedFiles(): Promise<void> {
    const { containerd } = this.#options;
    await mkdir(join(registryHosts, '_default'), { recursive: true });
    await writeFile(join(registryHosts, '_default', 'hosts.toml'), hostsToml());
    await writeFile(shared.containerd, containerdConfiguration(containerd));
    // There is no DNS server on the machine for pods.
    await writeFile(shared.resolvConf, `nameserver ${hostAddress}\n`);
    await mkdir(shared.iptables);
    for (const name of iptablesPrograms) await symlink(legacyIptables, join(shared.iptables, name));
  }

  /** Returns the process id of the node's containerd, by whose namespaces the node's other programs start. */
  async #startContainerd(node: NodePlan): Promise<number> {
    for (const name of Object.keys(ownDirectories)) await mkdir(join(node.directory, name), { recursive: true });
    const network = join(node.directory, 'cni-networks', '10-pods.conflist');
    await writeFile(network, JSON.stringify(cniConfiguration(node)));
    const cgroupProcs = await createCgroup(await cgroupMounts(), node.cgroup);
    const isolated = [`--net=/run/netns/${node.netns}`, 'unshare', '--mount', '--propagation', 'private'];
    const pid = await this.#daemons.start({
      name: `${node.name}-containerd`,
      command: ['nsenter', ...isolated, 'sh', '-c', mountScript(node), 'sh', ...this.#containerd()],
      cgroupProcs,
      env: this.#environment(),
    });
    await this.#waitFor(
      async () => {
        const { runtime, close } = await connectRuntime(socketOf(pid));
        try {
          const { status } = await runtime.status({}, { timeoutMs: 5_000 });
          return status?.conditions.every((condition) => condition.status) ?? false;
        } finally {
          close();
        }
      },
      `containerd of ${node.name}`,
      startTimeoutMs,
    );
    return pid;
  }

  #containerd(): string[] {
    const program = this.#options.containerd === 'built' ? join(bin, 'containerd') : 'containerd';
    return [program, '--config', shared.containerd];
  }

  /** Programs find the nodes' iptables first, and no settings of the person who started them. */
  #environment(): NodeJS.ProcessEnv {
    const own = this.#options.containerd === 'built' ? [bin] : [];
    return { PATH: [shared.iptables, ...own, process.env.PATH].join(':'), HOME: '/root' };
  }

  async #pullImages(pid: number): Promise<void> {
    const { images, close } = await connectRuntime(socketOf(pid));
    try {
      for (const name of imageRecipes.flatMap(({ names }) => names)) {
        this.#options.signal.throwIfAborted();
        const image = { image: { image: name } };
        await images.pullImage(image, { timeoutMs: pullTimeoutMs, signal: this.#options.signal });
      }
    } finally {
      close();
    }
  }

  /** The API server's address for nodes: the port of the kubeconfig at the machine's address on the bridge. */
  async #serverAddress(): Promise<ServerAddress> {
    const text = await this.#kubectl.run(['config', 'view', '--raw', '--flatten', '--minify', '-o', 'json']);
    const { server, 'certificate-authority-data': caData } = JSON.parse(text).clusters[0].cluster;
    const url = new URL(server);
    url.hostname = hostAddress;
    const clientCA = await this.#kubectl.read(
      ['-n', 'kube-system', 'configmap/extension-apiserver-authentication'],
      '{.data.client-ca-file}',
    );
    await writeFile(shared.clientCA, clientCA);
    return { server: url.origin, caData };
  }

  async #startKubernetes(node: NodePlan, pid: number, server: ServerAddress): Promise<void> {
    const { kubelet, programs } = this.#options;
    const kubeletFile = await this.#writeFile(node, 'kubelet.yaml', kubeletConfiguration(node, shared));
    const kubeletClient = await this.#kubeconfig(node, 'kubelet', kubeletIdentity(node.name), server);
    const flags = [`--config=${kubeletFile}`, `--kubeconfig=${kubeletClient}`];
    const identity = [`--hostname-override=${node.name}`, `--node-ip=${node.address}`];
    await this.#startInNode(node, pid, 'kubelet', [...kubelet, ...flags, ...identity]);
    const proxyClient = await this.#kubeconfig(node, 'kube-proxy', proxyIdentity, server);
    const proxyFile = await this.#writeFile(node, 'kube-proxy.yaml', proxyConfiguration(node, proxyClient));
    await this.#startInNode(node, pid, 'kube-proxy', [programs['kube-proxy'], `--config=${proxyFile}`]);
    const answers = async () => (await fetch(`http://${node.address}:10256/healthz`)).ok;
    await this.#waitFor(answers, `kube-proxy of ${node.name}`, startTimeoutMs);
  }

  async #startInNode(node: NodePlan, pid: number, name: string, command: readonly string[]): Promise<void> {
    const cgroupProcs = await createCgroup(await cgroupMounts(), node.cgroup);
    await this.#daemons.start({
      name: `${node.name}-${name}`,
      command: ['nsenter', '--target', String(pid), '--mount', '--net', '--', ...command],
      cgroupProcs,
      env: this.#environment(),
    });
  }

  async #kubeconfig(node: NodePlan, name: string, identity: ClientIdentity, server: ServerAddress): Promise<string> {
    const files = { cert: join(node.directory, `${name}.crt`), key: join(node.directory, `${name}.key`) };
    await issueCertificate(this.#kubectl, identity, files, this.#signal());
    return await this.#writeFile(node, `${name}.kubeconfig`, kubeconfigOf(server, files));
  }

  async #writeFile(node: NodePlan, name: string, content: object): Promise<string> {
    const path = join(node.directory, name);
    await writeFile(path, JSON.stringify(content), { mode: 0o600 });
    return path;
  }

  /** Waits for a check to return something else than undefined and false, but no longer than all programs run. */
  async #waitFor<T>(check: () => Promise<T | false>, what: string, timeoutMs = readyTimeoutMs): Promise<void> {
    await waitUntil(check, { what, timeoutMs, signal: this.#signal() });
  }

  #signal(): AbortSignal {
    return AbortSignal.any([this.#options.signal, this.#daemons.lost]);
  }
}

/** Files that all nodes share. */
const shared = {
  containerd: join(stateDirectory, 'containerd.toml'),
  resolvConf: join(stateDirectory, 'resolv.conf'),
  clientCA: join(stateDirectory, 'client-ca.crt'),
  /** The directory of iptables' programs. */
  iptables: join(stateDirectory, 'iptables'),
};

/** The socket of a node's containerd, seen from the machine's mount namespace. */
const socketOf = (pid: number): string => `unix:///proc/${pid}/root${runtimeSocket}`;
