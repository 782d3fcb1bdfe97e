import { noNext, type Handler, type Plugin } from '../chain/index.ts';
import {
  CorefileError,
  type CorefileFiles,
  type Directive,
  errorAt,
  type Place,
  parseCorefile,
  type ServerBlock,
  zoneKeys,
} from '../corefile/index.ts';
import { ZoneMetrics } from '../metrics/index.ts';
import { type Page, plugins, type ServerSettings, type SetupContext } from '../plugins/index.ts';
import { type ServedZone, ZoneTable } from '../server/index.ts';

/** What plug-ins get from the program; the rest of their context is the configuration's. */
export type Surroundings = Omit<SetupContext, 'block' | 'pages' | 'notReady'>;

export interface ConfigurationOptions {
  readonly corefile: string;
  /** Used in messages. */
  readonly file: string;
  readonly imports: CorefileFiles;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly defaultPort: number;
  readonly surroundings: Surroundings;
}

/** HTTP pages by address, as the Corefile writes it. */
export type PagesByAddress = ReadonlyMap<
  string,
  { readonly use: 'health' | 'ready' | 'metrics'; readonly pages: readonly Page[] }
>;

/** A configuration that can be used: plug-ins that are set up but not started. */
export interface Configuration {
  /** By port of the Corefile. */
  readonly zones: ReadonlyMap<number, ZoneTable>;
  readonly pages: PagesByAddress;
  readonly settings: ServerSettings;
  readonly plugins: readonly Plugin[];
}

/** Builds a configuration from a Corefile. Throws a CorefileError; nothing is left over then. */
export async function buildConfiguration(options: ConfigurationOptions): Promise<Configuration> {
  const { corefile, file, imports, env } = options;
  const blocks = parseCorefile(corefile, { file, files: imports, env });
  const builder = new Builder(options);
  try {
    for (const block of blocks) await builder.add(block);
    return builder.configuration();
  } catch (error) {
    await builder.discard();
    throw error;
  }
}

class Builder {
  readonly #options: ConfigurationOptions;
  readonly #zones = new Map<number, Map<string, { readonly zone: ServedZone; readonly place: Place }>>();
  readonly #classes = new Set<number>();
  readonly #measured = new Set<number>();
  readonly #pages = new Map<string, { use: 'health' | 'ready' | 'metrics'; pages: Page[] }>();
  readonly #settings: ServerSettings = { reloadIntervalMs: 0, lameduckMs: 0, startupTimeoutMs: 0 };
  readonly #plugins: Plugin[] = [];

  constructor(options: ConfigurationOptions) {
    this.#options = options;
  }

  async add(block: ServerBlock): Promise<void> {
    const zones = zoneKeys(block, this.#options.defaultPort);
    const byName = directivesByName(block);
    const chain: Plugin[] = [];
    const context: SetupContext = {
      ...this.#options.surroundings,
      block: { ...block, zones, pluginNames: [...byName.keys()] },
      pages: { add: (use, address, page) => this.#addPage(use, address, page) },
      notReady: () => this.#plugins.filter(({ isReady }) => isReady?.() === false).map(({ name }) => name),
    };
    for (const [name, setup] of plugins) {
      const directives = byName.get(name);
      if (!directives) continue;
      const plugin = await prefixed(name, async () => setup(directives, context, this.#settings));
      chain.push(plugin);
      this.#plugins.push(plugin);
    }
    const handler = chained(chain);
    for (const { zone, port } of zones) {
      const server = `dns://:${port}`;
      const isMeasured = byName.has('prometheus');
      const metrics = isMeasured ? new ZoneMetrics(this.#options.surroundings.metrics, server, zone) : undefined;
      if (isMeasured) {
        this.#measured.add(port);
        for (const { name } of chain)
          this.#options.surroundings.metrics.pluginEnabled.with(server, zone, '', name).set(1);
      }
      if (byName.has('forward')) this.#classes.add(port);
      this.#addZone(port, { zone, handler, metrics }, block);
    }
  }

  configuration(): Configuration {
    const { metrics } = this.#options.surroundings;
    const zones = new Map(
      Array.from(this.#zones, ([port, served]) => {
        const dropped = this.#measured.has(port) ? new ZoneMetrics(metrics, `dns://:${port}`, 'dropped') : undefined;
        const own = Array.from(served.values(), ({ zone }) => zone);
        return [port, new ZoneTable(own, { allowsClasses: this.#classes.has(port), dropped })] as const;
      }),
    );
    return { zones, pages: this.#pages, settings: this.#settings, plugins: this.#plugins };
  }

  async discard(): Promise<void> {
    await Promise.all(this.#plugins.map((plugin) => plugin.stopped?.()));
  }

  #addZone(port: number, zone: ServedZone, place: Place): void {
    const zones = this.#zones.get(port) ?? new Map<string, { zone: ServedZone; place: Place }>();
    this.#zones.set(port, zones);
    if (zones.has(zone.zone)) {
      throw new CorefileError(`cannot serve dns://${zone.zone}:${port} - it is already defined`);
    }
    zones.set(zone.zone, { zone, place });
  }

  #addPage(use: 'health' | 'ready' | 'metrics', address: string, page: Page): void {
    const known = this.#pages.get(address);
    if (!known) this.#pages.set(address, { use, pages: [page] });
    // The same page of several server blocks is one.
    else if (!known.pages.some(({ path }) => path === page.path)) known.pages.push(page);
  }
}

/** Groups the lines of a block by plug-in. Throws a CorefileError for a plug-in that does not exist. */
function directivesByName({ directives }: ServerBlock): Map<string, Directive[]> {
  const byName = new Map<string, Directive[]>();
  for (const directive of directives) {
    if (!plugins.has(directive.name)) throw errorAt(directive, `Unknown directive '${directive.name}'`);
    const known = byName.get(directive.name);
    if (known) known.push(directive);
    else byName.set(directive.name, [directive]);
  }
  return byName;
}

/** Names the plug-in in the error, as CoreDNS does. */
async function prefixed<T>(name: string, setup: () => Promise<T>): Promise<T> {
  try {
    return await setup();
  } catch (error) {
    if (!(error instanceof CorefileError)) throw error;
    throw new CorefileError(`plugin/${name}: ${error.message}`, { cause: error });
  }
}

/** Connects the plug-ins: each gets the next one that takes part in answers. */
function chained(chain: readonly Plugin[]): Handler {
  const answering = chain.filter((plugin) => plugin.handler);
  let handler = noNext(answering.at(-1)?.name ?? '');
  for (const plugin of [...answering].reverse()) handler = plugin.handler?.(handler) ?? handler;
  return handler;
}
