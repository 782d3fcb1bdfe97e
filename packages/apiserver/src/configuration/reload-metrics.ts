import { createHash } from 'node:crypto';
import { CounterFamily, GaugeFamily } from '../metrics/index.ts';

/** As upstream's metrics name what they do not show. */
export const hashOf = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

export interface ReloadMetricsOptions {
  /** `apiserver_authentication_config_controller` */
  readonly prefix: string;
  /** The name by which this server is known to others. */
  readonly serverId: string;
  readonly now: () => Date;
}

/** How often a configuration file was read anew, and which one counts, under upstream's names. */
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
      help: 'How often the configuration file was read anew.',
      labels: ['status', 'apiserver_id_hash'],
    });
    this.#last = new GaugeFamily({
      name: `${prefix}_automatic_reload_last_timestamp_seconds`,
      help: 'When the configuration file was last read anew.',
      labels: ['status', 'apiserver_id_hash'],
    });
    this.#info = new GaugeFamily({
      name: `${prefix}_last_config_info`,
      help: 'Which configuration counts: its hash.',
      labels: ['apiserver_id_hash', 'hash'],
    });
    this.families = [this.#total, this.#last, this.#info];
    this.#serverHash = hashOf(serverId);
    this.#now = now;
  }

  /** What is in the file counts. */
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
