import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import { type AuditEvent, jsonLine, legacyLine } from './audit-event.ts';

export type AuditLogMode = 'blocking' | 'blocking-strict' | 'batch';
export type AuditLogFormat = 'json' | 'legacy';

/** Where an AuditLog writes. It awaits each call before the next one. */
export interface AuditOutput {
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly clock: Clock;
  readonly output: AuditOutput;
  readonly format: AuditLogFormat;
  /**
   * - `blocking`: requests wait until their events are written.
   * - `blocking-strict`: they also fail when their events cannot be written.
   * - `batch`: they do not wait.
   */
  readonly mode: AuditLogMode;
  /** Maximum number of waiting events. Further events are dropped, and their number is logged. */
  readonly bufferSize: number;
  /** Mode `batch`: an append starts at this number of events, or when this time has passed. */
  readonly batchMaxSize: number;
  readonly batchMaxWaitMs: number;
  /** `--audit-log-truncate-*`. Absent: no limit. */
  readonly maxEventBytes?: number;
  /** Receives write failures and dropped events. */
  readonly logger: Logger;
}

interface Waiting {
  readonly line: string;
  readonly resolve?: () => void;
  readonly reject?: (error: unknown) => void;
}

/** A destination of audit events. */
export interface AuditSink {
  /**
   * Writes an event. A request waits for the returned promise, if any, before it continues. Rejects only in the mode
   * `blocking-strict`.
   */
  record(event: AuditEvent): Promise<void> | undefined;
  /** Writes the waiting events. Events recorded later are discarded. */
  close(): Promise<void>;
}

/** Combines several sinks into one that passes each event to all of them. */
export const allSinks = (sinks: readonly AuditSink[]): AuditSink =>
  sinks.length === 1
    ? sinks[0]!
    : {
        record: (event) => {
          const waitedFor = sinks.map((sink) => sink.record(event)).filter((written) => written !== undefined);
          return waitedFor.length === 0 ? undefined : Promise.all(waitedFor).then(() => undefined);
        },
        close: async () => {
          await Promise.all(sinks.map((sink) => sink.close()));
        },
      };

/** A bounded audit log that writes events in order. All of them are written when `close` resolves. */
export class AuditLog implements AuditSink {
  readonly #options: AuditLogOptions;
  #waiting: Waiting[] = [];
  /** Settles when the last `#drain` is finished. */
  #written: Promise<void> = Promise.resolve();
  #isWriting = false;
  #timer: Timer | undefined;
  #dropped = 0;
  #isClosed = false;

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  record(event: AuditEvent): Promise<void> | undefined {
    const { mode, bufferSize } = this.#options;
    const line = this.#isClosed ? undefined : this.#lineOf(event);
    if (line === undefined) return undefined;
    if (this.#waiting.length >= bufferSize) {
      this.#dropped++;
      return mode === 'blocking-strict' ? Promise.reject(new Error('the audit log is full')) : undefined;
    }
    if (mode === 'batch') {
      this.#waiting.push({ line });
      this.#writeSoon();
      return undefined;
    }
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ line, resolve, ...(mode === 'blocking-strict' && { reject }) });
    });
    this.#write();
    return written;
  }

  /** Also closes the output. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#write();
    await this.#written;
    await this.#options.output.close();
  }

  #lineOf(event: AuditEvent): string | undefined {
    const { format, maxEventBytes = Number.POSITIVE_INFINITY, logger } = this.#options;
    const encode = format === 'json' ? jsonLine : legacyLine;
    const line = encode(event);
    if (line.length <= maxEventBytes && Buffer.byteLength(line) <= maxEventBytes) return line;
    const shorter = encode(truncated(event));
    if (Buffer.byteLength(shorter) <= maxEventBytes) return shorter;
    logger.error('Audit event is dropped: it is too large even after truncating', undefined, {
      auditID: event.auditID,
    });
    return undefined;
  }

  #writeSoon(): void {
    const { clock, batchMaxSize, batchMaxWaitMs } = this.#options;
    if (this.#waiting.length >= batchMaxSize) this.#write();
    else this.#timer ??= clock.setTimeout(() => this.#write(), batchMaxWaitMs, { background: true });
  }

  #write(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!this.#isWriting) this.#written = this.#drain();
  }

  /** Writes waiting events, all that arrived during an append in the next one. Never rejects. */
  async #drain(): Promise<void> {
    const { output, logger } = this.#options;
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      try {
        await output.append(lines.map(({ line }) => line).join(''));
        for (const { resolve } of lines) resolve?.();
      } catch (error) {
        logger.error('Failed to write audit events', error, { count: lines.length });
        for (const { resolve, reject } of lines) reject ? reject(error) : resolve?.();
      }
      if (this.#dropped > 0) {
        logger.error('Audit events were dropped: the buffer was full', undefined, {
          count: this.#dropped,
        });
        this.#dropped = 0;
      }
    }
    this.#isWriting = false;
  }
}

/** Without the request and response objects, which make events large. */
const truncated = ({ requestObject: _, responseObject: __, ...event }: AuditEvent): AuditEvent => ({
  ...event,
  annotations: new Map([...event.annotations, ['audit.k8s.io/truncated', 'true']]),
});
