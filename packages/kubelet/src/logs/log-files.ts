import { dirname } from 'node:path';
import type { Clock, Logger } from '@coxswain/client';
import type { RuntimeService } from '@coxswain/cri';
import { isNoEntry } from '../files/no-entry.ts';
import { containerIsRunning } from './container-is-running.ts';
import type { ContainerLogs, LoggedContainer, LogOptions } from './container-logs.ts';
import { DirectoryWatch } from './directory-watch.ts';
import { FollowedLog } from './followed-log.ts';
import { LogReader } from './log-reader.ts';

export interface LogFilesOptions {
  /** Tells whether a container that is followed has ended. */
  readonly service: Pick<RuntimeService, 'containerStatus'>;
  /** The directory of all logs. Logs elsewhere are not read. */
  readonly root: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A follower looks into the file so often also if it hears of no change, and asks as often whether the container runs. */
const pollMs = 1000;

/**
 * Logs in files, as CRI runtimes write them. Reading needs the same memory for every log, and is no faster than the consumer.
 *
 * Without `follow` only the current file is read, as upstream does. A follower reads on across rotations.
 */
export class LogFiles implements ContainerLogs {
  readonly #options: LogFilesOptions;

  constructor(options: LogFilesOptions) {
    this.#options = options;
  }

  /** Rejects if there is no such file, or if it has an unknown format. Lines that are malformed are skipped. */
  async *read(container: LoggedContainer, options: LogOptions): AsyncIterable<Uint8Array> {
    const { id, logPath } = container;
    const { follow = false, signal } = options;
    if (logPath === '' || signal?.aborted) return;
    const log = await this.#open(logPath, options);
    try {
      const reader = new LogReader(log, options, this.#reportOnce(container));
      yield* follow ? this.#follow(id, logPath, { log, reader, signal }) : reader.readToEnd();
      yield* reader.finish();
    } catch (error) {
      if (!signal?.aborted) throw error;
    } finally {
      await log.close();
    }
  }

  async #open(path: string, { tailLines, signal }: LogOptions): Promise<FollowedLog> {
    try {
      return await FollowedLog.open(path, this.#options.root, tailLines, signal);
    } catch (error) {
      if (!isNoEntry(error)) throw error;
      const message = `failed to try resolving symlinks in path "${path}": lstat ${path}: no such file or directory`;
      throw new Error(message, { cause: error });
    }
  }

  /** Reads until the container has ended and everything that it printed was read. */
  async *#follow(id: string, logPath: string, { log, reader, signal }: Following): AsyncIterable<Uint8Array> {
    const { service, clock } = this.#options;
    let watch: DirectoryWatch | undefined;
    let askedAtMs = Number.NEGATIVE_INFINITY;
    let hasEnded = false;
    try {
      for (;;) {
        yield* reader.readToEnd();
        if (reader.isDone) return;
        if (await log.hasNext(hasEnded)) {
          yield* reader.readToEnd();
          yield* reader.finish();
          await log.advance();
          continue;
        }
        if (hasEnded) return;
        if (!watch) {
          // What was written before is not told, so the file is read once more.
          watch = new DirectoryWatch(dirname(logPath), clock);
          continue;
        }
        if (clock.monotonic() - askedAtMs >= pollMs) {
          hasEnded = !(await containerIsRunning(service, id, signal));
          askedAtMs = clock.monotonic();
          if (hasEnded) continue;
        }
        await watch.changed(askedAtMs + pollMs - clock.monotonic(), signal);
      }
    } finally {
      watch?.close();
    }
  }

  /** Returns a function that logs its first call. A log may have millions of malformed lines. */
  #reportOnce({ id, logPath }: LoggedContainer): (beginning: string) => void {
    let isReported = false;
    return (beginning) => {
      if (isReported) return;
      isReported = true;
      this.#options.logger.warn('A log has malformed lines', { containerID: id, path: logPath, line: beginning });
    };
  }
}

interface Following {
  readonly log: FollowedLog;
  readonly reader: LogReader;
  readonly signal: AbortSignal | undefined;
}
