import type { Logger } from '@coxswain/apimachinery/log';
import type { Commands } from '@coxswain/linux';
import type { AddressRange } from '../addresses/index.ts';
import { runWithInput } from '../programs/index.ts';
import { isStrings, RecordDirectory } from '../records/index.ts';
import { acceptRuleChanges } from './accept-rules.ts';
import { findFirewalls } from './found-chains.ts';

export interface NodeFirewallOptions {
  readonly commands: Commands;
  readonly logger: Logger;
  /** The comment of our rules: the name of our nftables table. */
  readonly tag: string;
  readonly stateDirectory: string;
}

export interface OpenFor {
  readonly podRanges: readonly AddressRange[];
  readonly clusterRanges: readonly AddressRange[];
  readonly bridge: string;
}

/**
 * Lets packets of pods pass the firewalls of a node: Docker's and ufw's, whose policy for forwarded packets is DROP, firewalld, and others
 * in nftables. Adds as few rules as possible, only where packets would be dropped, each with a comment by which it is found again.
 */
export class NodeFirewall {
  readonly #commands: Commands;
  readonly #logger: Logger;
  readonly #tag: string;
  /** The ranges that were given to firewalld, which keeps no comments. Recorded before they are. */
  readonly #sources: RecordDirectory<readonly string[]>;

  constructor({ commands, logger, tag, stateDirectory }: NodeFirewallOptions) {
    this.#commands = commands;
    this.#logger = logger;
    this.#tag = tag;
    this.#sources = new RecordDirectory({
      directory: stateDirectory,
      parse: (value) => (isStrings(value) ? value : undefined),
    });
  }

  /** Adds what is missing and removes what is not needed any more. May be called as often as wanted: firewalls come and go. */
  async open({ podRanges, clusterRanges, bridge }: OpenFor): Promise<void> {
    const firewalls = await findFirewalls(this.#commands, this.#tag);
    for (const { program, text } of acceptRuleChanges(firewalls, { tag: this.#tag, ranges: podRanges, bridge })) {
      this.#logger.info('Changing the firewall so that packets of pods pass', { program, rules: text });
      await this.#apply(program, text);
    }
    if (firewalls.hasFirewalld) await this.#openFirewalld([...podRanges, ...clusterRanges].map(String));
  }

  /** Removes all rules with our tag, and what was given to firewalld. */
  async removeEverything(): Promise<void> {
    const firewalls = await findFirewalls(this.#commands, this.#tag);
    const nothing = { tag: this.#tag, ranges: [], bridge: '' };
    for (const { program, text } of acceptRuleChanges(firewalls, nothing)) await this.#apply(program, text);
    for (const source of (await this.#sources.read(sourcesId)) ?? []) {
      await this.#firewalld(`--remove-source=${source}`);
    }
    await this.#sources.remove(sourcesId);
  }

  async #apply(program: string, text: string): Promise<void> {
    const argv = program === 'nft' ? ['nft', '-f', '-'] : [`${program}-restore`, '-w', '5', '--noflush'];
    await runWithInput(this.#commands, argv, text);
  }

  /** The zone `trusted` accepts what its sources send. Answers pass, and so do packets to ports of the node that lead to pods. */
  async #openFirewalld(sources: readonly string[]): Promise<void> {
    const listed = await this.#firewalld('--list-sources');
    if (listed === undefined) return;
    const missing = [...new Set(sources)].filter((source) => !listed.split(/\s+/).includes(source));
    if (missing.length === 0) return;
    const recorded = (await this.#sources.read(sourcesId)) ?? [];
    await this.#sources.write(sourcesId, [...new Set([...recorded, ...missing])]);
    for (const source of missing) await this.#firewalld(`--add-source=${source}`);
  }

  async #firewalld(option: string): Promise<string | undefined> {
    const { status, output } = await this.#commands.run(['firewall-cmd', '--zone=trusted', option]);
    if (status === 0) return output;
    this.#logger.warn('firewall-cmd failed', { option, status, output: output.trim() });
    return undefined;
  }
}

const sourcesId = 'firewalld-sources';
