import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@coxswain/apimachinery/log';
import { KeyedTurns } from '@coxswain/apimachinery/turns';
import type { Commands } from '@coxswain/linux';
import { Limiter } from '../../tasks/index.ts';
import { AddressPool, type AddressRange, addressRanges } from '../addresses/index.ts';
import { bandwidthOf } from '../bandwidth/bandwidth.ts';
import { nftablesProblem, PacketTable, tableName } from '../firewall/index.ts';
import type { NetworkedPod, PodAddresses, PodNetwork, PortMapping } from '../pod-network.ts';
import { hostPortsOf } from '../ports/index.ts';
import { ProgramError } from '../programs/index.ts';
import { RecordDirectory } from '../records/index.ts';
import { BridgeLink } from './bridge-link.ts';
import { type PodRecord, podRecordFromJSON } from './pod-record.ts';

export interface BridgeNetworkOptions {
  readonly commands: Commands;
  readonly logger: Logger;
  /** For the records of pods and addresses. */
  readonly stateDirectory: string;
  /** The name of the network: in the name of the nftables table, and in the tags of interfaces. Default `coxswain`. */
  readonly name?: string;
  /** The interface of the bridge. Default `cox0`. */
  readonly bridge?: string;
  /** The range of the addresses of this node's pods. Two with a comma in dual stack. */
  readonly podCIDR: string;
  /** The ranges of all pods of the cluster, inside which pods keep their addresses. */
  readonly clusterCIDR?: string;
  /** How many pods are connected or disconnected at once. Default 8. */
  readonly maxCalls?: number;
}

/**
 * Connects pods to a bridge of the node, by iproute2 and nftables alone.
 *
 * A pod is recorded, with its addresses, before anything is made for it. Host ports and masquerade are one nftables table, which is a
 * function of the records. So what an interrupted call has left is found by the records, and by the tags of interfaces if those are
 * damaged.
 */
export class BridgeNetwork implements PodNetwork {
  readonly #commands: Commands;
  readonly #logger: Logger;
  readonly #stateDirectory: string;
  readonly #bridge: string;
  readonly #link: BridgeLink;
  readonly #pool: AddressPool;
  readonly #records: RecordDirectory<PodRecord>;
  readonly #table: PacketTable;
  readonly #limiter: Limiter;
  readonly #turns = new KeyedTurns();
  readonly #clusterRanges: readonly AddressRange[];
  #ranges: readonly AddressRange[];
  /** The records of connected pods, as on disk. */
  readonly #pods = new Map<string, PodRecord>();
  #prepared: Promise<void> | undefined;
  #sequence = 0;

  constructor(options: BridgeNetworkOptions) {
    const { commands, logger, stateDirectory, name = 'coxswain', bridge = 'cox0', clusterCIDR = '' } = options;
    this.#commands = commands;
    this.#logger = logger;
    this.#stateDirectory = stateDirectory;
    this.#bridge = bridge;
    this.#ranges = addressRanges(options.podCIDR);
    this.#clusterRanges = addressRanges(clusterCIDR);
    this.#link = new BridgeLink({ commands, bridge, network: name });
    this.#pool = new AddressPool({ directory: join(stateDirectory, 'addresses') });
    this.#records = new RecordDirectory({ directory: join(stateDirectory, 'pods'), parse: podRecordFromJSON });
    this.#table = new PacketTable({ commands, name: tableName(name), contents: () => this.#contents() });
    this.#limiter = new Limiter(options.maxCalls ?? 8);
  }

  async problem(): Promise<string | undefined> {
    if (this.#ranges.length === 0) return 'no pod CIDR was given to this node';
    const nftables = await nftablesProblem(this.#commands);
    if (nftables !== undefined) return `the built-in network needs nftables: ${nftables}`;
    try {
      await this.#prepare();
      // A firewall that was started meanwhile may have removed all rules.
      if (!(await this.#table.exists())) {
        this.#table.forget();
        await this.#table.write();
      }
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  setUp(pod: NetworkedPod, signal?: AbortSignal): Promise<PodAddresses> {
    return this.#turns.run(pod.id, () => this.#limiter.run(() => this.#connect(pod, signal), signal));
  }

  tearDown({ id }: NetworkedPod): Promise<void> {
    return this.#turns.run(id, () => this.#limiter.run(() => this.#disconnect(id)));
  }

  async collectGarbage(ids: ReadonlySet<string>): Promise<void> {
    await this.#prepare();
    const known = new Set([...(await this.#records.list()).keys(), ...(await this.#link.cables()).values()]);
    for (const id of known) {
      if (!ids.has(id)) await this.#turns.run(id, () => this.#limiter.run(() => this.#disconnect(id, true)));
    }
    await this.#pool.keepOnly(new Set([...ids, ...this.#pods.keys()]));
  }

  /** Whether there are records of pods or addresses, of this or of an earlier process. */
  async isUsed(): Promise<boolean> {
    return (await this.#records.list()).size > 0 || (await this.#pool.owners()).size > 0;
  }

  async setPodCIDR(podCIDR: string): Promise<void> {
    const ranges = addressRanges(podCIDR);
    if (String(ranges) === String(this.#ranges)) return;
    this.#ranges = ranges;
    this.#prepared = undefined;
  }

  /** Takes away all that this network has made, also for pods whose records are damaged or gone. Their namespaces are not its. */
  async removeEverything(): Promise<void> {
    this.#prepared = undefined;
    this.#pods.clear();
    if ((await nftablesProblem(this.#commands)) === undefined) await this.#table.remove();
    await this.#link.remove();
    await rm(this.#stateDirectory, { recursive: true, force: true });
  }

  async #connect(pod: NetworkedPod, signal: AbortSignal | undefined): Promise<PodAddresses> {
    await this.#prepare();
    const { id, netns, portMappings } = pod;
    const bandwidth = bandwidthOf(pod.annotations);
    if (this.#ranges.length === 0) throw new Error('no pod CIDR was given to this node');
    // A call that was interrupted, of the same sandbox.
    if (this.#pods.has(id)) await this.#disconnect(id);
    const ranges = this.#ranges;
    await this.#pool.release(id);
    const ips = await this.#pool.assign(id, ranges);
    const record = { sequence: this.#sequence++, ips, portMappings };
    await this.#records.write(id, record);
    const connect = (): Promise<void> => this.#link.connect({ id, netns, ips, ranges, bandwidth }, signal);
    try {
      await connect();
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      // The bridge may have been removed by somebody.
      this.#logger.warn('Failed to connect a pod to the bridge, making the bridge again', { error: error.message });
      await this.#link.make(ranges, signal);
      await connect();
    }
    this.#pods.set(id, record);
    await this.#writePorts(portMappings, signal);
    return { ips };
  }

  async #disconnect(id: string, isCabled = false): Promise<void> {
    const record = this.#pods.get(id) ?? (await this.#records.read(id));
    this.#pods.delete(id);
    if (record) await this.#writePorts(record.portMappings);
    if (isCabled || record || (await this.#records.has(id))) await this.#link.disconnect(id);
    await this.#pool.release(id);
    await this.#records.remove(id);
  }

  /** Writes the table if a pod has host ports. Flows of UDP that are known to the kernel would keep their old target. */
  async #writePorts(mappings: readonly PortMapping[], signal?: AbortSignal): Promise<void> {
    if (!mappings.some(({ hostPort }) => hostPort > 0)) return;
    await this.#table.write();
    const ports = mappings.filter(({ protocol, hostPort }) => protocol === 'UDP' && hostPort > 0);
    const families = new Set(this.#ranges.map(({ family }) => family));
    for (const { hostPort } of ports) {
      for (const family of families) {
        const argv = ['conntrack', '-D', '-f', family, '-p', 'udp', '--orig-port-dst', String(hostPort)];
        // Its exit status is 1 if there was no such flow, too.
        const { status } = await this.#commands.run(argv, { signal });
        if (status === 127) this.#logger.v(2).info('conntrack is missing: old UDP flows to host ports are kept');
      }
    }
  }

  /** Once: reads the records, makes the bridge and the table. After a failure the next call tries again. */
  #prepare(): Promise<void> {
    if (this.#prepared) return this.#prepared;
    const prepared = this.#makeAll();
    this.#prepared = prepared;
    prepared.catch(() => {
      if (this.#prepared === prepared) this.#prepared = undefined;
    });
    return prepared;
  }

  async #makeAll(): Promise<void> {
    for (const [id, record] of await this.#records.list()) {
      if (!record) continue;
      if (!this.#pods.has(id)) this.#pods.set(id, record);
      this.#sequence = Math.max(this.#sequence, record.sequence + 1);
    }
    await this.#link.make(this.#ranges);
    this.#table.forget();
    await this.#table.write();
  }

  #contents() {
    const pods = [...this.#pods.values()].sort((a, b) => a.sequence - b.sequence);
    return {
      podRanges: this.#ranges,
      podAddresses: pods.flatMap(({ ips }) => ips).filter((ip) => !this.#ranges.some((range) => range.contains(ip))),
      clusterRanges: this.#clusterRanges,
      bridge: this.#bridge,
      hostPorts: pods.flatMap(({ portMappings, ips }) => hostPortsOf(portMappings, ips)),
    };
  }
}
