import type { JSONObject } from '../records/index.ts';
import type { Attachment } from './attachment.ts';
import { isAtLeast } from './cni-version.ts';
import type { NetworkConfiguration, PluginConfiguration } from './network-configuration.ts';
import type { CNICommand, PluginRunner } from './plugin-runner.ts';
import { resultAsVersion } from './result.ts';

/** A pod that is attached, as GC names it. */
export interface ValidAttachment {
  readonly containerID: string;
  readonly ifname: string;
}

/** Runs the plug-ins of a network as the specification says. Keeps nothing. */
export class NetworkList {
  readonly #runner: PluginRunner;

  constructor(runner: PluginRunner) {
    this.#runner = runner;
  }

  /** Attaches a pod: each plug-in gets the result of the one before. Returns the last result. */
  async add(attachment: Attachment, signal?: AbortSignal): Promise<JSONObject> {
    let result: JSONObject | undefined;
    for (const plugin of attachment.network.plugins) {
      try {
        const answer = await this.#run('ADD', plugin, attachment, result, signal);
        result = resultAsVersion(answer ?? {}, attachment.network.cniVersion);
      } catch (error) {
        throw failed(plugin, 'add', error);
      }
    }
    return result ?? {};
  }

  /** Detaches a pod: the plug-ins in reverse order, each with the result of `add`. */
  async delete(attachment: Attachment, signal?: AbortSignal): Promise<void> {
    const { network, result } = attachment;
    const previous = isAtLeast(network.cniVersion, '0.4.0') ? result : undefined;
    for (const plugin of [...network.plugins].reverse()) {
      try {
        await this.#run('DEL', plugin, attachment, previous, signal);
      } catch (error) {
        throw failed(plugin, 'delete', error);
      }
    }
  }

  /** Throws if a plug-in finds that an attachment is not as it was made. */
  async check(attachment: Attachment, signal?: AbortSignal): Promise<void> {
    const { network, result } = attachment;
    if (!isAtLeast(network.cniVersion, '0.4.0')) {
      throw new Error(`configuration version ${JSON.stringify(network.cniVersion)} does not support the CHECK command`);
    }
    if (network.disableCheck) return;
    for (const plugin of network.plugins) await this.#run('CHECK', plugin, attachment, result, signal);
  }

  /** Lets the plug-ins remove what belongs to no valid attachment. Does nothing before version 1.1. */
  async collectGarbage(network: NetworkConfiguration, valid: readonly ValidAttachment[]): Promise<void> {
    if (network.disableGC || !isAtLeast(network.cniVersion, '1.1.0')) return;
    const errors: unknown[] = [];
    for (const { type, json } of network.plugins) {
      const { name, cniVersion } = network;
      // The second name is from a mistake in the specification; plug-ins read the one or the other.
      const attachments = { 'cni.dev/valid-attachments': valid, 'cni.dev/attachments': valid };
      const configuration = { ...json, name, cniVersion, ...attachments };
      await this.#runner.run({ command: 'GC', type, configuration }).catch((error) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map(messageOf).join('\n'));
  }

  /** Throws if a plug-in is missing, or, since version 1.1, if it says that it cannot attach pods now. */
  async status(network: NetworkConfiguration, signal?: AbortSignal): Promise<void> {
    const { name, cniVersion } = network;
    for (const { type, json } of network.plugins) {
      if (!isAtLeast(cniVersion, '1.1.0')) await this.#runner.find(type);
      else await this.#runner.run({ command: 'STATUS', type, configuration: { ...json, name, cniVersion } }, signal);
    }
  }

  #run(
    command: CNICommand,
    { type, json, capabilities }: PluginConfiguration,
    { network, containerID, netns, ifName, args, capabilities: values }: Attachment,
    previous: JSONObject | undefined,
    signal: AbortSignal | undefined,
  ): Promise<JSONObject | undefined> {
    const { name, cniVersion } = network;
    const runtimeConfig = Object.fromEntries(
      capabilities.flatMap((capability) =>
        Object.hasOwn(values, capability) ? [[capability, values[capability]]] : [],
      ),
    );
    const configuration = {
      ...json,
      name,
      cniVersion,
      ...(previous && { prevResult: resultAsVersion(previous, cniVersion) }),
      ...(Object.keys(runtimeConfig).length > 0 && { runtimeConfig }),
    };
    return this.#runner.run({ command, type, configuration, containerID, netns, ifName, args }, signal);
  }
}

function failed({ type, name }: PluginConfiguration, what: string, error: unknown): Error {
  const description = `type=${JSON.stringify(type)}${name === undefined ? '' : ` name=${JSON.stringify(name)}`}`;
  return new Error(`plugin ${description} failed (${what}): ${messageOf(error)}`, { cause: error });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
