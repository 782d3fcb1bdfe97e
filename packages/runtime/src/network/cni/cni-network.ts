import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import { KeyedTurns } from '@coxswain/apimachinery/turns';
import type { Commands } from '@coxswain/linux';
import { Limiter } from '../../tasks/index.ts';
import { type AddressRange, addressRanges } from '../addresses/index.ts';
import type { NetworkedPod, PodAddresses, PodNetwork } from '../pod-network.ts';
import { RecordDirectory } from '../records/index.ts';
import { type Attachment, attachmentFromJSON, attachmentToJSON } from './attachment.ts';
import { capabilityArguments, pluginArguments } from './capability-arguments.ts';
import { ConfigurationDirectory } from './configuration-directory.ts';
import type { NetworkConfiguration } from './network-configuration.ts';
import { NetworkList } from './network-list.ts';
import { PluginRunner } from './plugin-runner.ts';
import { addressesOf } from './result.ts';

export interface CNINetworkOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where configurations are, such as /etc/cni/net.d. */
  readonly configurationDirectory: string;
  /** Where plug-ins are, such as /opt/cni/bin and /usr/lib/cni. */
  readonly pluginPath: readonly string[];
  /** For the records of attachments. Must outlive a reboot, so that plug-ins can release what they keep elsewhere. */
  readonly stateDirectory: string;
  /** The range of the addresses of pods, for plug-ins with the capability `ipRanges`. Two with a comma in dual stack. */
  readonly podCIDR?: string | undefined;
  /** How many pods are attached or detached at once. Default 8. */
  readonly maxCalls?: number;
  /** A plug-in that takes longer is killed. Default 90 seconds. */
  readonly pluginTimeoutMs?: number;
}

const ifName = 'eth0';
const nsfs = 0x6e736673;

/**
 * Connects pods by CNI plug-ins.
 *
 * An attachment is recorded before the first plug-in runs, and again with its result. So one that was interrupted is found, and the plug-ins
 * take away what they had made. Pods are detached with the configuration that they were attached with.
 */
export class CNINetwork implements PodNetwork {
  readonly #configurations: ConfigurationDirectory;
  readonly #runner: PluginRunner;
  readonly #list: NetworkList;
  readonly #records: RecordDirectory<Attachment>;
  readonly #limiter: Limiter;
  readonly #turns = new KeyedTurns();
  #ranges: readonly AddressRange[];

  constructor(options: CNINetworkOptions) {
    const { commands, clock, logger, stateDirectory, podCIDR = '', maxCalls = 8, pluginTimeoutMs = 90_000 } = options;
    this.#configurations = new ConfigurationDirectory({ directory: options.configurationDirectory, logger });
    this.#runner = new PluginRunner({
      commands,
      clock,
      path: options.pluginPath,
      directory: join(stateDirectory, 'calls'),
      timeoutMs: pluginTimeoutMs,
    });
    this.#list = new NetworkList(this.#runner);
    this.#records = new RecordDirectory({
      directory: join(stateDirectory, 'attachments'),
      parse: attachmentFromJSON,
      format: attachmentToJSON,
    });
    this.#limiter = new Limiter(maxCalls);
    this.#ranges = addressRanges(podCIDR);
  }

  async problem(): Promise<string | undefined> {
    const loaded = await this.#configurations.load();
    if ('problem' in loaded) return loaded.problem;
    try {
      await this.#list.status(loaded.network);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** The name of the network that pods are attached to now. Undefined if there is none. */
  async networkName(): Promise<string | undefined> {
    const loaded = await this.#configurations.load();
    return 'network' in loaded ? loaded.network.name : undefined;
  }

  /** Whether pods are attached to a network, or were being attached. A damaged record counts for every network. */
  async isUsed(name: string): Promise<boolean> {
    const attachments = [...(await this.#records.list()).values()];
    return attachments.some((attachment) => attachment === undefined || attachment.network.name === name);
  }

  setUp(pod: NetworkedPod, signal?: AbortSignal): Promise<PodAddresses> {
    return this.#turns.run(pod.id, () => this.#limiter.run(() => this.#attach(pod, signal), signal));
  }

  tearDown(pod: NetworkedPod): Promise<void> {
    return this.#turns.run(pod.id, async () => {
      if (!(await this.#records.has(pod.id))) return;
      const attachment = (await this.#records.read(pod.id)) ?? (await this.#guess(pod));
      await this.#detach(pod.id, attachment);
    });
  }

  /** Throws if a plug-in finds that a pod is not connected as it was. */
  async check({ id }: NetworkedPod, signal?: AbortSignal): Promise<void> {
    const attachment = await this.#records.read(id);
    if (!attachment?.result) throw new Error(`sandbox ${JSON.stringify(id)} is not connected`);
    await this.#limiter.run(() => this.#list.check(attachment, signal), signal);
  }

  async collectGarbage(ids: ReadonlySet<string>): Promise<void> {
    const loaded = await this.#configurations.load();
    const network = 'network' in loaded ? loaded.network : undefined;
    const errors: unknown[] = [];
    for (const [id, attachment] of await this.#records.list()) {
      if (ids.has(id)) continue;
      const stale = attachment ?? (network && attachmentWithout(id, network));
      await this.#turns.run(id, () => this.#detach(id, stale)).catch((error) => errors.push(error));
    }
    if (network) {
      const valid = [...ids].map((containerID) => ({ containerID, ifname: ifName }));
      await this.#list.collectGarbage(network, valid).catch((error) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map(messageOf).join('\n'));
  }

  async setPodCIDR(podCIDR: string): Promise<void> {
    this.#ranges = addressRanges(podCIDR);
  }

  async #attach(pod: NetworkedPod, signal: AbortSignal | undefined): Promise<PodAddresses> {
    const attachment = await this.#newAttachment(pod);
    const old = await this.#records.read(pod.id);
    // A call that was interrupted, of the same sandbox.
    if (old) await this.#detach(pod.id, old);
    await this.#records.write(pod.id, attachment);
    const result = await this.#list.add(attachment, signal);
    await this.#records.write(pod.id, { ...attachment, result });
    const ips = addressesOf(result, ifName, attachment.network.cniVersion);
    if (ips.length === 0) throw new Error(`failed to find network info for sandbox ${JSON.stringify(pod.id)}`);
    return { ips };
  }

  async #detach(id: string, attachment: Attachment | undefined): Promise<void> {
    if (attachment) {
      const netns = (await isNamespace(attachment.netns)) ? attachment.netns : '';
      await this.#limiter.run(() => this.#list.delete({ ...attachment, netns }));
    }
    await this.#records.remove(id);
  }

  async #newAttachment(pod: NetworkedPod): Promise<Attachment> {
    const loaded = await this.#configurations.load();
    if ('problem' in loaded) throw new Error(loaded.problem);
    return {
      containerID: pod.id,
      netns: pod.netns,
      ifName,
      args: pluginArguments(pod),
      capabilities: capabilityArguments(pod, this.#ranges),
      network: loaded.network,
    };
  }

  /** What is known of a pod whose record is damaged. */
  async #guess(pod: NetworkedPod): Promise<Attachment | undefined> {
    try {
      return await this.#newAttachment(pod);
    } catch {
      return undefined;
    }
  }
}

/** An attachment of which only the id is known. */
const attachmentWithout = (containerID: string, network: NetworkConfiguration): Attachment => ({
  containerID,
  netns: '',
  ifName,
  args: 'IgnoreUnknown=1',
  capabilities: {},
  network,
});

const isNamespace = async (path: string): Promise<boolean> =>
  path !== '' && (await statfs(path).catch(() => undefined))?.type === nsfs;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
