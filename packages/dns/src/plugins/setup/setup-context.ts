import type { Clock, Logger } from '@coxswain/client';
import type { Plugin } from '../../chain/index.ts';
import type { SharedWatches } from '../../cluster/index.ts';
import type { Directive, Place, ZoneKey } from '../../corefile/index.ts';
import type { DnsMetrics } from '../../metrics/index.ts';

/** Files that a configuration names. A configuration from a ConfigMap has the keys of that ConfigMap as files. */
export interface ConfigurationFiles {
  /** Returns undefined for a file that does not exist. */
  read(path: string): Promise<string | undefined>;
}

/** The HTTP ports of `health`, `ready` and `prometheus`. A port is shared by all server blocks that name it, and kept by the next configuration. */
interface HttpPages {
  /** Asks for a page at `HOST:PORT`. It is served when the configuration is used. */
  add(use: 'health' | 'ready' | 'metrics', address: string, page: Page): void;
}

export interface Page {
  readonly path: string;
  respond(): { readonly status: number; readonly text: string; readonly type?: string };
}

/** The server block in which a plug-in is configured. */
export interface BlockInfo extends Place {
  readonly zones: readonly ZoneKey[];
  /** Names of all plug-ins in the block. */
  readonly pluginNames: readonly string[];
}

/** What plug-ins are made from. */
export interface SetupContext {
  readonly block: BlockInfo;
  readonly clock: Clock;
  /** In [0, 1). Not for what must be unpredictable. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: DnsMetrics;
  /** All metrics of the program, in the text format. */
  readonly metricsText: () => string;
  readonly files: ConfigurationFiles;
  readonly pages: HttpPages;
  readonly watches: SharedWatches;
  /** The addresses at which this server is reached, for NS records. */
  readonly localAddresses: () => readonly string[];
  /** Where queries for a port of the Corefile arrive; undefined while nothing listens. */
  readonly listening: (port: number) => { readonly address: string; readonly port: number } | undefined;
  /** The plug-ins of this configuration that are not ready yet. */
  readonly notReady: () => readonly string[];
  /** Says that answers of other plug-ins are no longer right, which the server may keep: those to queries that this plug-in had passed on. */
  readonly forgetAnswers: () => void;
  /** Stops the server: a forwarding loop was found. */
  readonly fail: (error: Error) => void;
}

/** Settings of the whole server that a directive changes. */
export interface ServerSettings {
  /** How often the configuration is looked at; 0: never. */
  reloadIntervalMs: number;
  /** How long to answer after the signal to stop. */
  lameduckMs: number;
  /** How long the start waits for plug-ins that are not ready. */
  startupTimeoutMs: number;
}

/** Makes a plug-in from all its directives in a server block. Throws a CorefileError. */
export type Setup = (
  directives: readonly Directive[],
  context: SetupContext,
  settings: ServerSettings,
) => Plugin | Promise<Plugin>;
