import { readJson } from '@coxswain/apimachinery/codec/json';
import { type Clock, sleep } from '@coxswain/apimachinery/clock';
import { type KubeconfigWebhook, WebhookCallError } from '../webhook/index.ts';
import type { AuditOutput } from './audit-log.ts';

export interface WebhookOutputOptions {
  readonly webhook: KubeconfigWebhook;
  readonly clock: Clock;
  /** The delay before the second attempt. Each further delay is 1.5 times as long. */
  readonly initialBackoffMs: number;
  /** Limits for one EventList. A single event may exceed `maxBytes`. */
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** Waits between attempts. Tests replace it. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const maxAttempts = 5;
const timeoutMs = 30_000;

/** Sends events to the server of `--audit-webhook-config-file`, those of one append in one or more EventLists. */
export class WebhookOutput implements AuditOutput {
  readonly #options: Required<WebhookOutputOptions>;
  readonly #closing = new AbortController();

  constructor(options: WebhookOutputOptions) {
    const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
      sleep(options.clock, ms, { signal, background: true });
    this.#options = { pause, ...options };
  }

  /** Tries to send all events. Rejects afterwards with the first failure, if any. */
  async append(text: string): Promise<void> {
    const failures: unknown[] = [];
    for (const events of this.#batches(text.split('\n'))) {
      const items = events.map((line): unknown => readJson(line));
      const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items };
      await this.#send(list).catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Stops retries and closes the webhook's client. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#options.webhook.close();
  }

  *#batches(lines: readonly string[]): Generator<string[]> {
    const { maxEvents, maxBytes } = this.#options;
    let batch: string[] = [];
    let bytes = 0;
    for (const line of lines) {
      if (line === '') continue;
      const size = Buffer.byteLength(line);
      if (batch.length > 0 && (batch.length >= maxEvents || bytes + size > maxBytes)) {
        yield batch;
        [batch, bytes] = [[], 0];
      }
      batch.push(line);
      bytes += size;
    }
    if (batch.length > 0) yield batch;
  }

  async #send(list: object): Promise<void> {
    const { webhook, initialBackoffMs, pause } = this.#options;
    const { signal } = this.#closing;
    for (let attempt = 1; ; attempt++) {
      try {
        await webhook.call(list, { timeoutMs, name: 'audit' });
        return;
      } catch (error) {
        // The server has received the events; the content of its response is not used.
        if (error instanceof WebhookCallError && error.failure === 'answer') return;
        if (attempt === maxAttempts || signal.aborted || !mayPass(error)) throw error;
      }
      await pause(initialBackoffMs * 1.5 ** (attempt - 1), signal).catch(() => {});
    }
  }
}

/** Whether another attempt may succeed: network errors, timeouts, and the statuses 429 and 5xx. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof WebhookCallError)) return false;
  const { failure, status } = error;
  if (failure === 'status') return status !== undefined && (status.code === 429 || status.code >= 500);
  return failure === 'network' || failure === 'deadline';
}
