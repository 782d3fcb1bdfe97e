import type { Clock } from '@coxswain/client';
import { sleep } from '@coxswain/apimachinery/clock';
import type { DnsMetrics } from '../../metrics/index.ts';
import { classIn, Flag, type Message, rcodeName, rcodeOf, Type } from '../../wire/index.ts';
import { addressText, type UpstreamAddress, udpExchange } from './exchange.ts';
import { StreamPool } from './stream-pool.ts';
import { newId } from './unpredictable.ts';

interface HealthCheckOptions {
  readonly intervalMs: number;
  readonly domain: string;
  readonly isRecursive: boolean;
}

export interface UpstreamOptions {
  readonly to: UpstreamAddress;
  readonly tls?: { readonly serverName: string; readonly ca?: string } | undefined;
  readonly expireMs: number;
  readonly healthCheck: HealthCheckOptions;
  readonly clock: Clock;
  readonly metrics: DnsMetrics;
}

const healthTimeoutMs = 1000;

/** A server to which queries are forwarded. After a failure it is checked until it answers again; until then it counts as down when enough checks have failed. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #streams: StreamPool;
  readonly name: string;
  #fails = 0;
  #checking: Promise<void> | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.name = addressText(options.to);
    this.#streams = new StreamPool(options);
  }

  /** `maxFails` 0: never. */
  isDown(maxFails: number): boolean {
    return maxFails > 0 && this.#fails >= maxFails;
  }

  async ask(message: Message, protocol: 'udp' | 'tcp', timeoutMs: number): Promise<Message> {
    const { clock, metrics } = this.#options;
    const start = clock.monotonic();
    const answer = await this.#exchange(message, protocol, timeoutMs);
    const seconds = (clock.monotonic() - start) / 1000;
    metrics.proxyDuration.with('forward', this.name, rcodeName(rcodeOf(answer))).observe(seconds);
    return answer;
  }

  /** Starts health checks, unless they run. They end with the first answer. */
  check(signal: AbortSignal): void {
    if (this.#options.healthCheck.intervalMs === 0) return;
    this.#checking ??= this.#checkUntilHealthy(signal).finally(() => {
      this.#checking = undefined;
    });
  }

  /** Resolves when no check runs. */
  async stopped(): Promise<void> {
    this.#streams.close();
    await this.#checking;
  }

  async #checkUntilHealthy(signal: AbortSignal): Promise<void> {
    const { healthCheck, clock, metrics } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#exchange(probe(healthCheck), 'udp', healthTimeoutMs);
        this.#fails = 0;
        return;
      } catch {
        this.#fails++;
        metrics.proxyHealthFailures.with('forward', this.name).inc();
      }
      await sleep(clock, healthCheck.intervalMs, signal).catch(() => {});
    }
  }

  #exchange(message: Message, protocol: 'udp' | 'tcp', timeoutMs: number): Promise<Message> {
    const { to, tls, clock } = this.#options;
    if (protocol === 'tcp' || tls) return this.#streams.exchange(message, timeoutMs);
    return udpExchange(to, message, timeoutMs, clock);
  }
}

const probe = ({ domain, isRecursive }: HealthCheckOptions): Message => ({
  id: newId(),
  flags: isRecursive ? Flag.RD : 0,
  questions: [{ name: domain, type: Type.NS, class: classIn }],
  answers: [],
  authorities: [],
  additionals: [],
});
