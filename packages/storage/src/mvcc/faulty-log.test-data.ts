import { StoreFullError } from '../errors.ts';
import { MemoryLog } from '../memory/memory-log.ts';
import type { LogEntry } from './log.ts';

/** A log whose delays and failures a test controls. */
export class FaultyLog extends MemoryLog {
  /** The number of removals that will fail. */
  failRemovals = 0;
  /** The revision whose value cannot be read. */
  unreadable = 0;
  /** When set, new keys are refused, and so are removals of more than `removals` records. */
  full: { readonly removals: number } | undefined;
  #gate: Promise<void> | undefined;
  #open: (() => void) | undefined;
  #break: ((error: Error) => void) | undefined;
  #began: (() => void)[] = [];

  /** Makes appends wait until `releaseAppends` or `failAppends`. */
  holdAppends(): void {
    this.#gate = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#break = reject;
    });
  }

  releaseAppends(): void {
    this.#gate = undefined;
    this.#open?.();
  }

  /** Rejects the waiting appends. */
  failAppends(error: Error): void {
    this.#break?.(error);
  }

  /** Waits for the next append to begin. */
  appending(): Promise<void> {
    return new Promise((resolve) => {
      this.#began.push(resolve);
    });
  }

  override append(entries: readonly LogEntry[]): Promise<void> | void {
    for (const resolve of this.#began.splice(0)) resolve();
    if (this.#gate === undefined) return super.append(entries);
    return this.#gate.then(() => super.append(entries));
  }

  override value(revision: number): Uint8Array {
    if (revision === this.unreadable) throw new Error('the disk cannot be read');
    return super.value(revision);
  }

  get isShort(): boolean {
    return this.full !== undefined;
  }

  refusal(_: number, __: number, isNew: boolean): Error | undefined {
    return this.full && isNew ? new StoreFullError() : undefined;
  }

  override remove(revisions: readonly number[], removedThrough: number): void {
    if (this.failRemovals > 0 && removedThrough > 500) {
      this.failRemovals--;
      throw new Error('no space left on device');
    }
    if (this.full && revisions.length > this.full.removals) throw new StoreFullError();
    super.remove(revisions, removedThrough);
  }
}
