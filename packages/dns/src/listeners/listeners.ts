import type { Clock, Logger, Timer } from '@coxswain/client';
import { type ComponentServer, startComponentServer } from '@coxswain/component-base/serving';
import type { Configuration, PagesByAddress } from '../configuration/index.ts';
import type { DnsMetrics } from '../metrics/index.ts';
import type { Page } from '../plugins/index.ts';
import { QueryServer, TcpListener, UdpListener, type ZoneTable } from '../server/index.ts';
import { allAddresses } from './local-addresses.ts';

/** An address of the Corefile: the port of server blocks, or the address of a page. */
export interface Wanted {
  readonly use: 'dns' | 'health' | 'ready' | 'metrics';
  /** Empty: all addresses. */
  readonly host: string;
  readonly port: number;
}

/** Says where to listen instead. Without hosts: on all addresses. Port 0: a free one. Undefined: not at all. */
export type Listen = (
  wanted: Wanted,
) => { readonly hosts?: readonly string[] | undefined; readonly port: number } | undefined;

export interface ListenersOptions {
  readonly listen?: Listen;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: DnsMetrics;
}

/** How often to look for new addresses of the machine. */
const addressesMs = 30_000;

/** The sockets of one port of the Corefile. */
interface DnsPort {
  readonly server: QueryServer;
  readonly tcp: readonly TcpListener[];
  /** By address. */
  readonly udp: Map<string, UdpListener>;
  /** The actual port. */
  readonly port: number;
  readonly followsAddresses: boolean;
}

interface PagePort {
  readonly server: ComponentServer;
  pages: readonly Page[];
}

/** The open ports. A new configuration takes over those that it needs, too, so no query is lost. */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #listen: Listen;
  readonly #dns = new Map<number, DnsPort>();
  readonly #pages = new Map<string, PagePort>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#listen = options.listen ?? (({ host, port }) => ({ hosts: host === '' ? undefined : [host], port }));
  }

  /** Serves a configuration at its ports, and closes the others. Rejects when a port cannot be opened; the old configuration is then still served everywhere. */
  async use({ zones, pages }: Configuration): Promise<void> {
    const openedDns = new Map<number, DnsPort>();
    const openedPages = new Map<string, PagePort>();
    try {
      for (const [port, table] of zones) {
        const opened = this.#dns.has(port) ? undefined : await this.#openDns(port, table);
        if (opened) openedDns.set(port, opened);
      }
      for (const [address, wanted] of pages) {
        const opened = this.#pages.has(address) ? undefined : await this.#openPages(address, wanted);
        if (opened) openedPages.set(address, opened);
      }
    } catch (error) {
      await Promise.all([...openedDns.values()].map(closeDns));
      await Promise.all([...openedPages.values()].map(({ server }) => server.close()));
      throw error;
    }
    // From here on nothing fails.
    for (const [port, table] of zones) this.#dns.get(port)?.server.use(table);
    for (const [port, opened] of openedDns) this.#dns.set(port, opened);
    for (const [address, { pages: served }] of pages) {
      const known = this.#pages.get(address);
      if (known) known.pages = served;
    }
    for (const [address, opened] of openedPages) this.#pages.set(address, opened);
    await this.#closeOthers(zones, pages);
    this.#timer ??= this.#followAddresses();
  }

  /** Answers every query anew from now on. */
  forgetAnswers(): void {
    for (const { server } of this.#dns.values()) server.forgetAnswers();
  }

  listening(port: number): { readonly address: string; readonly port: number } | undefined {
    const found = this.#dns.get(port);
    const [address] = found?.udp.keys() ?? [];
    return found && address !== undefined ? { address, port: found.port } : undefined;
  }

  pagePort(address: string): number | undefined {
    return this.#pages.get(address)?.server.port;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#closeOthers(new Map(), new Map());
  }

  async #closeOthers(zones: ReadonlyMap<number, ZoneTable>, pages: PagesByAddress): Promise<void> {
    for (const [port, open] of this.#dns) {
      if (zones.has(port)) continue;
      this.#dns.delete(port);
      await closeDns(open);
    }
    for (const [address, open] of this.#pages) {
      if (pages.has(address)) continue;
      this.#pages.delete(address);
      await open.server.close();
    }
  }

  async #openDns(wanted: number, zones: ZoneTable): Promise<DnsPort | undefined> {
    const at = this.#listen({ use: 'dns', host: '', port: wanted });
    if (!at) return undefined;
    const { clock, random, logger, metrics } = this.#options;
    const server = new QueryServer({ server: `dns://:${wanted}`, zones, clock, random, logger, metrics });
    const { hosts } = at;
    const tcp: TcpListener[] = [];
    const udp = new Map<string, UdpListener>();
    let { port } = at;
    try {
      for (const address of hosts ?? [undefined]) {
        const listener = await TcpListener.open({ address, port, server, clock, logger });
        tcp.push(listener);
        // A free port is then the same one everywhere.
        ({ port } = listener);
      }
      for (const address of hosts ?? allAddresses())
        udp.set(address, await UdpListener.open({ address, port, server, logger }));
    } catch (error) {
      await closeDns({ tcp, udp });
      throw error;
    }
    return { server, tcp, udp, port, followsAddresses: hosts === undefined };
  }

  async #openPages(
    address: string,
    { use, pages }: { use: Wanted['use']; pages: readonly Page[] },
  ): Promise<PagePort | undefined> {
    const colon = address.lastIndexOf(':');
    const host = address.slice(0, Math.max(colon, 0)).replace(/^\[(.*)\]$/, '$1');
    const at = this.#listen({ use, host, port: Number(address.slice(colon + 1)) });
    if (!at) return undefined;
    const { logger } = this.#options;
    const served: { pages: readonly Page[] } = { pages };
    const server = await startComponentServer({
      plain: { bindAddress: at.hosts?.[0] ?? '::', port: at.port },
      logger,
      handler: async ({ path }) => {
        const page = served.pages.find((one) => one.path === path);
        const {
          status,
          text,
          type = 'text/plain; charset=utf-8',
        } = page?.respond() ?? { status: 404, text: '404 page not found\n' };
        return { status, headers: { 'content-type': type }, body: Buffer.from(text) };
      },
    });
    return {
      server,
      get pages() {
        return served.pages;
      },
      set pages(next) {
        served.pages = next;
      },
    };
  }

  /** Opens sockets for addresses that the machine gets, and closes those of addresses that it has no more. */
  #followAddresses(): Timer {
    const { clock, logger } = this.#options;
    const look = async (): Promise<void> => {
      for (const open of this.#dns.values()) if (open.followsAddresses) await this.#follow(open);
      if (!this.#isClosed) this.#timer = this.#followAddresses();
    };
    return clock.setTimeout(
      () => void look().catch((error: unknown) => logger.error('Failed to follow the addresses of the machine', error)),
      addressesMs,
      { background: true },
    );
  }

  async #follow({ server, udp, port }: DnsPort): Promise<void> {
    const { logger } = this.#options;
    const current = new Set(allAddresses());
    for (const address of current) {
      if (udp.has(address) || this.#isClosed) continue;
      try {
        udp.set(address, await UdpListener.open({ address, port, server, logger }));
        logger.info('Listening on a new address', { address, port });
      } catch (error) {
        logger.error('Failed to listen on a new address', error, { address, port });
      }
    }
    for (const [address, listener] of udp) {
      if (current.has(address) && !this.#isClosed) continue;
      udp.delete(address);
      await listener.close();
    }
  }
}

async function closeDns({ tcp, udp }: Pick<DnsPort, 'tcp' | 'udp'>): Promise<void> {
  await Promise.all([...tcp, ...udp.values()].map((listener) => listener.close()));
}
