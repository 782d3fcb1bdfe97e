import { sleep } from '@coxswain/apimachinery/clock';
import {
  authoritative,
  type Epoch,
  emptyReply,
  type Handler,
  type Plugin,
  type Query,
  type Reply,
} from '../../chain/index.ts';
import { type Directive, errorAt } from '../../corefile/index.ts';
import {
  addressOfReverse,
  addressRecord,
  isInZone,
  nameRecord,
  Rcode,
  type ResourceRecord,
  Type,
} from '../../wire/index.ts';
import {
  durationOf,
  Fallthrough,
  integerOf,
  noArguments,
  oneArgument,
  onlyOne,
  originsOf,
  type Setup,
  type SetupContext,
} from '../setup/index.ts';
import { HostsTable } from './hosts-table.ts';

const name = 'hosts';

interface HostsOptions {
  path: string;
  zones: readonly string[];
  readonly fallthrough: Fallthrough;
  passesUnsupported: boolean;
  hasReverse: boolean;
  ttl: number;
  reloadMs: number;
  readonly inline: string[];
}

/** The plug-in `hosts`: addresses from a hosts file and from the Corefile. */
export const setupHosts: Setup = (directives, context) => {
  const options = hostsOptions(onlyOne(directives), context);
  const hosts = new Hosts(options, context);
  let reading = Promise.resolve();
  const plugin: Plugin = {
    name,
    handler: (next) => (query) => hosts.answer(query, next),
    start: async (signal) => {
      await hosts.read();
      if (options.reloadMs > 0) reading = hosts.follow(signal);
    },
    stopped: () => reading,
  };
  return plugin;
};

function hostsOptions(directive: Directive, { block }: SetupContext): HostsOptions {
  const [path = '/etc/hosts', ...zones] = directive.args;
  const options: HostsOptions = {
    path,
    zones: originsOf(directive, zones, block),
    fallthrough: new Fallthrough(),
    passesUnsupported: false,
    hasReverse: true,
    ttl: 3600,
    reloadMs: 5000,
    inline: [],
  };
  for (const option of directive.block ?? []) readOption(option, options);
  if (options.passesUnsupported && !options.fallthrough.isSet) {
    throw errorAt(directive, 'fallthrough_unsupported requires fallthrough');
  }
  return options;
}

function readOption(option: Directive, options: HostsOptions): void {
  switch (option.name) {
    case 'fallthrough':
      options.fallthrough.read(option);
      return;
    case 'fallthrough_unsupported':
      noArguments(option);
      options.passesUnsupported = true;
      return;
    case 'no_reverse':
      options.hasReverse = false;
      return;
    case 'ttl':
      options.ttl = integerOf(option, option.args[0]);
      if (options.ttl <= 0 || options.ttl > 65_535) throw errorAt(option, 'ttl provided is invalid');
      return;
    case 'reload':
      options.reloadMs = durationOf(option, oneArgument(option));
      if (options.reloadMs < 0) throw errorAt(option, `invalid negative duration for reload '${option.args[0]}'`);
      return;
    default:
      // Every other line is an entry, as long as it comes before `fallthrough`.
      if (options.fallthrough.isSet) throw errorAt(option, `unknown property '${option.name}'`);
      options.inline.push([option.name, ...option.args].join(' '));
  }
}

class Hosts {
  readonly #options: HostsOptions;
  readonly #context: SetupContext;
  readonly #inline: HostsTable;
  readonly #epoch: Epoch = { value: 0 };
  #file: HostsTable;
  #text: string | undefined = '';

  constructor(options: HostsOptions, context: SetupContext) {
    this.#options = options;
    this.#context = context;
    const { inline, zones, hasReverse } = options;
    this.#inline = new HostsTable(inline.join('\n'), zones, hasReverse);
    this.#file = new HostsTable('', zones, hasReverse);
  }

  /** Reads the file. Without it, only the entries of the Corefile count. */
  async read(): Promise<void> {
    const { files, logger, metrics, clock } = this.#context;
    const { path, zones, hasReverse } = this.#options;
    let text: string | undefined;
    try {
      text = await files.read(path);
    } catch (error) {
      // The old entries stay.
      logger.error('Failed to read the hosts file', error, { path });
      return;
    }
    if (text === this.#text) return;
    if (text === undefined) logger.warn('File does not exist', { path });
    this.#text = text;
    this.#file = new HostsTable(text ?? '', zones, hasReverse);
    this.#epoch.value++;
    this.#context.forgetAnswers();
    metrics.hostsEntries.with().set(this.#inline.size + this.#file.size);
    metrics.hostsReload.with().set(clock.now() / 1000);
  }

  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await sleep(this.#context.clock, this.#options.reloadMs, signal);
      } catch {
        return;
      }
      await this.read();
    }
  }

  answer(query: Query, next: Handler): Reply | Promise<Reply> {
    const { name: asked, question } = query;
    const { zones, fallthrough, passesUnsupported } = this.#options;
    const isOwn = zones.some((zone) => isInZone(asked, zone));
    if (question.type === Type.PTR) {
      const records = this.#names(query);
      return records.length > 0 ? this.#reply(records) : next(query);
    }
    if (!isOwn) return next(query);
    const isSupported = question.type === Type.A || question.type === Type.AAAA;
    if (!isSupported && passesUnsupported && fallthrough.allows(asked)) return next(query);
    const records = isSupported ? this.#addresses(query, question.type === Type.A ? 4 : 16) : [];
    if (records.length > 0 || this.#exists(asked)) return this.#reply(records);
    return fallthrough.allows(asked) ? next(query) : { ...emptyReply(Rcode.SERVFAIL), plugin: name };
  }

  #reply(answers: readonly ResourceRecord[]): Reply {
    const reuse = { epoch: this.#epoch, value: this.#epoch.value };
    return { ...emptyReply(Rcode.NOERROR, authoritative), answers, plugin: name, reuse };
  }

  #addresses({ name: asked, question }: Query, length: 4 | 16): ResourceRecord[] {
    const found = [...this.#file.addresses(asked, length), ...this.#inline.addresses(asked, length)];
    return found.map((address) => addressRecord(question.name, this.#options.ttl, address));
  }

  #names({ name: asked, question }: Query): ResourceRecord[] {
    const address = addressOfReverse(asked);
    if (address === undefined) return [];
    const found = [...this.#file.names(address), ...this.#inline.names(address)];
    return found.map((target) => nameRecord(question.name, Type.PTR, this.#options.ttl, target));
  }

  #exists(asked: string): boolean {
    return ([4, 16] as const).some(
      (length) => this.#file.addresses(asked, length).length + this.#inline.addresses(asked, length).length > 0,
    );
  }
}
