import { createHash } from 'node:crypto';
import { CounterFamily, GaugeFamily } from '../metrics/index.ts';

/** Hashes a text as upstream does in metrics, for values that must not be shown. */
export const hashOf = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

export interface ReloadMetricsOptions {
  /** `apiserver_authentication_config_controller` */
  readonly prefix: string;
  /** The ID of this server in its identity lease. */
  readonly serverId: string;
  readonly now: () => Date;
}

/** Metrics of a reloaded configuration file, with upstream's names. */
export class ReloadMetrics {
  readonly #total: CounterFamily;
  readonly #last: GaugeFamily;
  readonly #info: GaugeFamily;
  readonly families: readonly (CounterFamily | GaugeFamily)[];
  readonly #serverHash: string;
  readonly #now: () => Date;
  #current: string | undefined;

  constructor({ prefix, serverId, now }: ReloadMetricsOptions) {
    this.#total = new CounterFamily({
      name: `${prefix}_automatic_reloads_total`,
      help: 'Number of reloads of the configuration file.',
      labels: ['status', 'apiserver_id_hash'],
    });
    this.#last = new GaugeFamily({
      name: `${prefix}_automatic_reload_last_timestamp_seconds`,
      help: 'Time of the last reload of the configuration file.',
      labels: ['status', 'apiserver_id_hash'],
    });
    this.#info = new GaugeFamily({
      name: `${prefix}_last_config_info`,
      help: 'Hash of the current configuration.',
      labels: ['apiserver_id_hash', 'hash'],
    });
    this.families = [this.#total, this.#last, this.#info];
    this.#serverHash = hashOf(serverId);
    this.#now = now;
  }

  /** Records the file content as the current configuration. */
  applied(text: string): void {
    if (this.#current !== undefined) this.#info.delete(this.#serverHash, this.#current);
    this.#current = hashOf(text);
    this.#info.with(this.#serverHash, this.#current).set(1);
  }

  reloaded(text: string): void {
    this.#record('success');
    this.applied(text);
  }

  failed(): void {
    this.#record('failure');
  }

  #record(status: string): void {
    this.#total.with(status, this.#serverHash).inc();
    this.#last.with(status, this.#serverHash).set(this.#now().getTime() / 1000);
  }
}
