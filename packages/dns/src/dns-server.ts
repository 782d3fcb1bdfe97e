import { setMaxListeners } from 'node:events';
import { sleep } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import {
  type Clock,
  ClientSet,
  childSignal,
  type Logger,
  type Metrics,
  noMetrics,
  type RESTClient,
  silentLogger,
  systemClock,
} from '@coxswain/client';
import { systemRandom } from '@coxswain/apimachinery/random';
import { textFormat } from '@coxswain/component-base/metrics';
import { SharedWatches } from './cluster/index.ts';
import { buildConfiguration, type Configuration, type Surroundings } from './configuration/index.ts';
import { type Listen, Listeners, localAddresses } from './listeners/index.ts';
import { DnsMetrics } from './metrics/index.ts';
import type { CorefileSource, CorefileVersion } from './sources/index.ts';

export interface DnsServerOptions {
  readonly rest: RESTClient;
  readonly source: CorefileSource;
  /** Where to listen for the addresses of the Corefile. Default: there, on all addresses of the machine. */
  readonly listen?: Listen;
  /** The port of server blocks without one. Default 53. */
  readonly defaultPort?: number;
  readonly clock?: Clock;
  /** In [0, 1). For the order of addresses and the choice among servers. */
  readonly random?: () => number;
  readonly logger?: Logger;
  /** For the metrics of the client. */
  readonly clientMetrics?: Metrics;
  readonly metrics?: DnsMetrics;
  /** All metrics of the program, for the plug-in `prometheus`. Default: those of DNS. */
  readonly metricsText?: () => string;
  /** Environment variables that the Corefile may contain. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The addresses of this server, for NS records. Default: those of the machine. */
  readonly localAddresses?: () => readonly string[];
  /** Called when all ports listen and the caches are synced, or the time for that is over. */
  readonly onStarted?: () => void;
}

/** A configuration that is in use. */
interface Running {
  readonly configuration: Configuration;
  readonly stop: () => Promise<void>;
}

/** Without the plug-in `reload`. */
const unlimitedMs = 2 ** 40;

/**
 * A DNS server. It answers from its caches while the API server is away, and keeps its configuration when a new one is broken.
 */
export class DnsServer {
  readonly #options: DnsServerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: DnsMetrics;
  readonly #listeners: Listeners;
  #running: Running | undefined;
  /** The fingerprint of the version that was tried last: a broken one is reported once. */
  #tried = '';
  /** Rejects `run`. */
  #fail = (_: Error): void => {};

  constructor(options: DnsServerOptions) {
    this.#options = options;
    const { clock = systemClock, logger = silentLogger, metrics = new DnsMetrics(), listen } = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#metrics = metrics;
    const random = options.random ?? systemRandom.number;
    this.#listeners = new Listeners({ clock, logger, metrics, random, ...(listen && { listen }) });
  }

  /** Where queries for a port of the Corefile arrive; undefined before that. */
  listening(port: number): { readonly address: string; readonly port: number } | undefined {
    return this.#listeners.listening(port);
  }

  /** The port of a page of the Corefile, such as that of `:8080`; undefined while it is not served. */
  pagePort(address: string): number | undefined {
    return this.#listeners.pagePort(address);
  }

  /** Whether queries can be answered. */
  get isReady(): boolean {
    return this.#running?.configuration.plugins.every(({ isReady }) => isReady?.() ?? true) ?? false;
  }

  /**
   * Serves until the signal is aborted; then, with `lameduck`, for that time. Rejects when the first configuration cannot be used, and when queries are forwarded in
   * a circle. Resolves when everything is closed.
   */
  async run(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal);
    const { source, onStarted } = this.#options;
    // Ends after the signal: with `lameduck`, queries are answered for some more time.
    const work = new AbortController();
    setMaxListeners(0, work.signal);
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    failed.catch(() => {});
    const ended = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const following = source.run?.(work.signal);
    const watches = this.#watches();
    try {
      const first = await Promise.race([source.read(work.signal), ended, failed]);
      if (!first) return;
      this.#tried = first.fingerprint;
      await this.#use(first, watches);
      const reloading = this.#reload(watches, signal);
      await Promise.race([this.#synced(signal), ended, failed]);
      if (!signal.aborted) onStarted?.();
      await Promise.race([ended, failed]);
      await reloading;
      await this.#lameduck();
    } finally {
      work.abort();
      await this.#listeners.close();
      await this.#running?.stop();
      this.#running = undefined;
      await following;
    }
  }

  #watches(): SharedWatches {
    const { rest, clientMetrics = noMetrics, random = systemRandom.number } = this.#options;
    const clients = new ClientSet(rest);
    return new SharedWatches({ clients, clock: this.#clock, random, logger: this.#logger, metrics: clientMetrics });
  }

  /** Answers with a version of the configuration from now on. Rejects when that is not possible; the old one then stays in use. */
  async #use({ corefile, origin, imports }: CorefileVersion, watches: SharedWatches): Promise<void> {
    const { env = {}, defaultPort = 53 } = this.#options;
    const configuration = await buildConfiguration({
      corefile,
      file: origin,
      imports,
      env,
      defaultPort,
      surroundings: this.#surroundings(watches),
    });
    const own = childSignal({});
    setMaxListeners(0, own.signal);
    const stop = async (): Promise<void> => {
      own.abort();
      own.dispose();
      await Promise.all(configuration.plugins.map((plugin) => plugin.stopped?.()));
    };
    try {
      for (const plugin of configuration.plugins) await plugin.start?.(own.signal);
      await this.#listeners.use(configuration);
    } catch (error) {
      await stop();
      throw error;
    }
    const old = this.#running;
    this.#running = { configuration, stop };
    await old?.stop();
  }

  #surroundings(watches: SharedWatches): Surroundings {
    const { source, random = systemRandom.number } = this.#options;
    return {
      clock: this.#clock,
      random,
      logger: this.#logger,
      metrics: this.#metrics,
      metricsText: this.#options.metricsText ?? (() => textFormat(this.#metrics.families())),
      files: source.files,
      watches,
      localAddresses: this.#options.localAddresses ?? localAddresses,
      listening: (port) => this.#listeners.listening(port),
      forgetAnswers: () => this.#listeners.forgetAnswers(),
      fail: (error) => this.#fail(error),
    };
  }

  /** Waits until the caches are synced, for a while: answers are failures until then. */
  async #synced(signal: AbortSignal): Promise<void> {
    const { startupTimeoutMs = 0 } = this.#running?.configuration.settings ?? {};
    const end = this.#clock.monotonic() + startupTimeoutMs;
    while (!this.isReady && this.#clock.monotonic() < end && !signal.aborted) {
      await sleep(this.#clock, 10, signal).catch(() => {});
    }
    if (!this.isReady) this.#logger.warn('Starting server with unsynced Kubernetes API');
  }

  /** Uses changed configurations until the signal is aborted, if the plug-in `reload` asks for it. */
  async #reload(watches: SharedWatches, signal: AbortSignal): Promise<void> {
    const { source } = this.#options;
    let wake = (): void => {};
    let isChanged = false;
    source.onChange?.(() => {
      isChanged = true;
      wake();
    });
    while (!signal.aborted) {
      const { reloadIntervalMs = 0 } = this.#running?.configuration.settings ?? {};
      const isPolled = reloadIntervalMs > 0 && !source.onChange;
      if (!isChanged) {
        const pause = childSignal({ parent: signal });
        wake = () => pause.abort();
        await sleep(this.#clock, isPolled ? reloadIntervalMs : unlimitedMs, pause.signal).catch(() => {});
        pause.dispose();
        wake = () => {};
      }
      isChanged = false;
      if (!signal.aborted && reloadIntervalMs > 0) await this.#reloadOnce(watches, signal);
    }
  }

  async #reloadOnce(watches: SharedWatches, signal: AbortSignal): Promise<void> {
    try {
      const version = await this.#options.source.read(signal);
      if (version.fingerprint === this.#tried) return;
      this.#tried = version.fingerprint;
      await this.#use(version, watches);
      this.#logger.info('Reloading complete', { origin: version.origin });
    } catch (error) {
      if (signal.aborted) return;
      this.#metrics.reloadFailures.with().inc();
      this.#logger.error('Failed to use the changed configuration; the previous one stays in use', undefined, {
        err: messageOf(error),
      });
    }
  }

  async #lameduck(): Promise<void> {
    const { lameduckMs = 0 } = this.#running?.configuration.settings ?? {};
    if (lameduckMs === 0) return;
    this.#logger.info('Going into lameduck mode', { ms: lameduckMs });
    await sleep(this.#clock, lameduckMs);
  }
}
