import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import { type AuditEvent, jsonLine, legacyLine } from './audit-event.ts';

export type AuditLogMode = 'blocking' | 'blocking-strict' | 'batch';
export type AuditLogFormat = 'json' | 'legacy';

/** Where lines go, one call at a time. */
export interface AuditOutput {
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly clock: Clock;
  readonly output: AuditOutput;
  readonly format: AuditLogFormat;
  /**
   * `blocking`: requests wait until what is said of them is written. `blocking-strict`: and fail if it cannot be.
   * `batch`: they wait for nothing.
   */
  readonly mode: AuditLogMode;
  /** How many events may wait; what is more is dropped, and reported. */
  readonly bufferSize: number;
  /** Of a batch: how many, and how long one waits for more. */
  readonly batchMaxSize: number;
  readonly batchMaxWaitMs: number;
  /** `--audit-log-truncate-*`; absent: events are as large as they are. */
  readonly maxEventBytes?: number;
  /** Hears of what could not be written. */
  readonly logger: Logger;
}

interface Waiting {
  readonly line: string;
  readonly resolve?: () => void;
  readonly reject?: (error: unknown) => void;
}

/** Takes events. */
export interface AuditSink {
  /**
   * Writes an event down. What it returns is to be waited for before the request goes on; undefined where nothing is.
   * Rejects in the mode `blocking-strict` alone.
   */
  record(event: AuditEvent): Promise<void> | undefined;
  /** Writes what waits. What comes later is for nobody. */
  close(): Promise<void>;
}

/** One for several: all get every event. */
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

/** The audit log: bounded, in order, and complete once it is closed. */
export class AuditLog implements AuditSink {
  readonly #options: AuditLogOptions;
  #waiting: Waiting[] = [];
  /** Of the last time that something was written. */
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

  /** Closes the output too. */
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

  /** All that has come together while the last lines were written goes in one piece. Never rejects. */
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
        logger.error('Audit events were dropped: more came than could be written', undefined, {
          count: this.#dropped,
        });
        this.#dropped = 0;
      }
    }
    this.#isWriting = false;
  }
}

/** Without what makes events large. */
const truncated = ({ requestObject: _, responseObject: __, ...event }: AuditEvent): AuditEvent => ({
  ...event,
  annotations: new Map([...event.annotations, ['audit.k8s.io/truncated', 'true']]),
});
