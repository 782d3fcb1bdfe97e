import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Commands } from '@coxswain/linux';
import { type AddressRange, addressRanges } from './addresses/index.ts';
import { BridgeNetwork, enableForwarding } from './bridge/index.ts';
import { CNINetwork, DefaultNetwork, removePortMapRules } from './cni/index.ts';
import { NodeFirewall, nftablesProblem, PacketTable, tableName } from './firewall/index.ts';
import type { NetworkedPod, PodAddresses, PodNetwork } from './pod-network.ts';
import { type NetworkReport, networkProblems } from './problems/network-problems.ts';
import { RecordDirectory, textOf } from './records/index.ts';

export interface NodeNetworkOptions {
  /** For this class alone: a CNI plug-in that hangs occupies a shell. */
  readonly commands: Commands;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For all records. Must outlive a reboot. */
  readonly stateDirectory: string;
  /** Where people put configurations of CNI. Default /etc/cni/net.d. */
  readonly configurationDirectory?: string;
  /** Where plug-ins may be. */
  readonly pluginPath?: readonly string[];
  /** The range of the addresses of this node's pods; two with a comma in dual stack. It may come later, by `setPodCIDR`. */
  readonly podCIDR?: string | undefined;
  /** The ranges of all pods of the cluster. */
  readonly clusterCIDR?: string | undefined;
  /** The name of the network of our own. Default `coxswain`. */
  readonly name?: string;
  /** The bridge of the network of our own. Default `cox0`. */
  readonly bridge?: string;
}

/**
 * `installed`: a network that somebody has configured in the directory of CNI. `default`: our configuration of CNI plug-ins. `built-in`: the
 * bridge that needs no plug-ins.
 */
type Kind = 'installed' | 'default' | 'built-in';

const defaultPluginPath = ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'];

const ownId = 'own-network';

/** How often firewalls are looked at again. */
const firewallPeriodMs = 30_000;

/**
 * The network of the pods of a node. A network that somebody has installed is used. Else it is our own: by CNI plug-ins where they and
 * iptables are there, and without them where they are not. A node with pods in the one stays with it until they are gone.
 */
export class NodeNetwork implements PodNetwork {
  readonly #commands: Commands;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stateDirectory: string;
  readonly #name: string;
  readonly #bridgeName: string;
  readonly #cni: CNINetwork;
  readonly #default: DefaultNetwork;
  readonly #bridge: BridgeNetwork;
  readonly #firewall: NodeFirewall;
  /** For the network by plug-ins: the built-in one has a table of its own, of the same name. */
  readonly #table: PacketTable;
  /** Exists if a network of our own was made on this node: the name of its bridge. Written before it is made. */
  readonly #own: RecordDirectory<string>;
  readonly #clusterRanges: readonly AddressRange[];
  /** The pod CIDR as it was given. */
  #podCIDR: string;
  /** The ranges of it that are used: without IPv6 where the kernel lacks it. */
  #ranges: readonly AddressRange[] = [];
  #hasIPv6: boolean | undefined;
  /** What has been prepared by this process, and for which ranges. */
  #prepared: { readonly key: string; readonly done: Promise<void> } | undefined;
  #nextFirewallLook = 0;

  constructor(options: NodeNetworkOptions) {
    const { commands, clock, logger, stateDirectory, podCIDR = '', clusterCIDR = '' } = options;
    const { name = 'coxswain', bridge = 'cox0', pluginPath = defaultPluginPath } = options;
    const { configurationDirectory = '/etc/cni/net.d' } = options;
    this.#commands = commands;
    this.#clock = clock;
    this.#logger = logger;
    this.#stateDirectory = stateDirectory;
    this.#name = name;
    this.#bridgeName = bridge;
    this.#podCIDR = podCIDR;
    this.#clusterRanges = addressRanges(clusterCIDR);
    const cniState = join(stateDirectory, 'cni');
    const places = { configurationDirectory, pluginPath, stateDirectory: cniState };
    this.#cni = new CNINetwork({ ...places, commands, clock, logger });
    this.#default = new DefaultNetwork({ ...places, name, bridge });
    const bridgeState = join(stateDirectory, 'bridge');
    const ranges = { podCIDR: '', clusterCIDR };
    this.#bridge = new BridgeNetwork({ commands, logger, stateDirectory: bridgeState, name, bridge, ...ranges });
    const tag = tableName(name);
    this.#firewall = new NodeFirewall({ commands, logger, tag, stateDirectory: join(stateDirectory, 'firewall') });
    this.#own = new RecordDirectory({ directory: stateDirectory, parse: textOf });
    this.#table = new PacketTable({ commands, name: tag, contents: () => this.#contents() });
  }

  async problem(): Promise<string | undefined> {
    try {
      const kind = await this.#ready();
      if (kind !== 'installed' && this.#ranges.length === 0) return 'no pod CIDR was given to this node';
      const problem = await (kind === 'built-in' ? this.#bridge : this.#cni).problem();
      if (problem === undefined) await this.#lookAtFirewalls(kind);
      return problem;
    } catch (error) {
      return messageOf(error);
    }
  }

  async setUp(pod: NetworkedPod, signal?: AbortSignal): Promise<PodAddresses> {
    const kind = await this.#ready();
    return await (kind === 'built-in' ? this.#bridge : this.#cni).setUp(pod, signal);
  }

  /** By the one that has a record of the pod. */
  async tearDown(pod: NetworkedPod): Promise<void> {
    await this.#cni.tearDown(pod);
    await this.#bridge.tearDown(pod);
  }

  async collectGarbage(ids: ReadonlySet<string>): Promise<void> {
    await this.#cni.collectGarbage(ids);
    if (await this.#bridge.isUsed()) await this.#bridge.collectGarbage(ids);
  }

  async setPodCIDR(podCIDR: string): Promise<void> {
    addressRanges(podCIDR);
    this.#podCIDR = podCIDR;
    await this.#ready();
  }

  /**
   * Takes away all that this network has made: of every pod, and of the node. Goes on after an error, and throws all of them at the end.
   * Forwarding by the kernel stays switched on.
   */
  async removeEverything(): Promise<void> {
    this.#prepared = undefined;
    const errors: unknown[] = [];
    const steps = [
      () => this.#cni.collectGarbage(new Set()),
      () => this.#default.remove(),
      () => this.#removeOwn(),
      () => rm(this.#stateDirectory, { recursive: true, force: true }),
    ];
    for (const step of steps) await step().catch((error) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, errors.map(messageOf).join('\n'));
  }

  /** What of the node keeps pods from being connected, for a report to people. Changes nothing. */
  async report(): Promise<NetworkReport> {
    const missingPlugins = await this.#default.missingPlugins();
    return await networkProblems({ commands: this.#commands, tag: tableName(this.#name), missingPlugins });
  }

  /** Which network it is, after everything of it that is not of a pod was made. */
  async #ready(): Promise<Kind> {
    await this.#chooseRanges();
    const kind = await this.#kind();
    const key = `${kind} ${this.#ranges}`;
    if (this.#prepared?.key !== key) {
      const before = this.#prepared?.done.catch(() => undefined) ?? Promise.resolve();
      const prepared = { key, done: before.then(() => this.#prepare(kind)) };
      this.#prepared = prepared;
      prepared.done.catch(() => {
        if (this.#prepared === prepared) this.#prepared = undefined;
      });
    }
    await this.#prepared?.done;
    return kind;
  }

  async #chooseRanges(): Promise<void> {
    this.#hasIPv6 ??= (await this.#commands.run(['test', '-e', '/proc/sys/net/ipv6'])).status === 0;
    const given = addressRanges(this.#podCIDR);
    const ranges = given.filter(({ family }) => family === 'ipv4' || this.#hasIPv6);
    if (String(ranges) === String(this.#ranges)) return;
    if (ranges.length < given.length) this.#logger.warn('The kernel has no IPv6: pods get no address of that family');
    this.#ranges = ranges;
    // Both are called before anything else can run, so no call sees new ranges here and old ones there.
    await Promise.all([this.#cni.setPodCIDR(String(ranges)), this.#bridge.setPodCIDR(String(ranges))]);
  }

  async #kind(): Promise<Kind> {
    const name = await this.#cni.networkName();
    if (name !== undefined && !this.#default.isNamed(name)) return 'installed';
    const key = this.#prepared?.key;
    if (key === `built-in ${this.#ranges}`) return 'built-in';
    if (key === `default ${this.#ranges}` && name !== undefined) return 'default';
    if (await this.#bridge.isUsed()) return 'built-in';
    if (await this.#cni.isUsed(this.#name)) return 'default';
    const missing = await this.#default.missingPlugins();
    if (missing.length > 0) return 'built-in';
    // The plug-in for host ports needs it.
    return (await this.#has('iptables')) ? 'default' : 'built-in';
  }

  async #prepare(kind: Kind): Promise<void> {
    this.#nextFirewallLook = 0;
    if (kind === 'installed') {
      // What was ours before somebody has installed a network would be in its way.
      const isUsed = (await this.#bridge.isUsed()) || (await this.#cni.isUsed(this.#name));
      if (!isUsed && (await this.#own.has(ownId))) await this.#removeOwn();
      return;
    }
    this.#logger.info('Network of pods', { kind, podCIDR: String(this.#ranges), bridge: this.#bridgeName });
    if (this.#ranges.length === 0) return;
    await this.#own.write(ownId, this.#bridgeName);
    if (kind === 'default') {
      const hasTable = (await nftablesProblem(this.#commands)) === undefined;
      await this.#default.write({ ranges: this.#ranges, ipMasq: !hasTable });
      if (hasTable) await this.#table.write();
      await enableForwarding(this.#commands, this.#ranges);
    } else {
      await this.#default.remove();
    }
    await this.#lookAtFirewalls(kind);
  }

  async #lookAtFirewalls(kind: Kind): Promise<void> {
    const now = this.#clock.monotonic();
    if (kind === 'installed' || now < this.#nextFirewallLook) return;
    this.#nextFirewallLook = now + firewallPeriodMs;
    try {
      await this.#firewall.open(this.#contents());
      if (kind === 'built-in' || (await nftablesProblem(this.#commands)) !== undefined) return;
      // A firewall that was started has flushed all rules.
      if (!(await this.#table.exists())) {
        this.#table.forget();
        await this.#table.write();
      }
    } catch (error) {
      this.#logger.error('Failed to let packets of pods pass the firewall', error);
    }
  }

  /** Removes what is ours on the node: rules, bridge, records. */
  async #removeOwn(): Promise<void> {
    await this.#bridge.removeEverything();
    await removePortMapRules(this.#commands, this.#name);
    await this.#firewall.removeEverything();
    await this.#own.remove(ownId);
  }

  async #has(program: string): Promise<boolean> {
    const { status } = await this.#commands.run(['sh', '-c', 'command -v "$1"', 'sh', program]);
    return status === 0;
  }

  #contents() {
    return {
      podRanges: this.#ranges,
      podAddresses: [],
      clusterRanges: this.#clusterRanges,
      bridge: this.#bridgeName,
      hostPorts: [],
    };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
