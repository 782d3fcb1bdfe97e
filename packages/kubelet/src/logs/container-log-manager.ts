import { link, lstat, rename, rm, unlink } from 'node:fs/promises';
import { type Clock, type Logger, sleep } from '@coxswain/client';
import type { RuntimeService } from '@coxswain/cri';
import { unlessNoEntry } from '../files/no-entry.ts';
import { compressLog } from './compress-log.ts';
import { compressedSuffix, rotatedLogPath, rotatedLogs, rotationOf } from './rotated-logs.ts';

export interface ContainerLogManagerOptions {
  readonly service: Pick<RuntimeService, 'listContainers' | 'containerStatus' | 'reopenContainerLog'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A log is rotated when it is as large as that. Negative: logs are not rotated. */
  readonly maxSizeBytes?: number;
  /** Files of a container, rotated ones included. */
  readonly maxFiles?: number;
  /** Logs that are rotated at the same time. */
  readonly maxWorkers?: number;
  readonly monitorIntervalMs?: number;
}

const timeoutMs = 120_000;

/**
 * Rotates the logs of running containers: renames the file, lets the runtime begin a new one, and compresses the renamed file at the next
 * rotation, so that log collectors can read it until then. After a crash, the next rotation removes what is unfinished.
 */
export class ContainerLogManager {
  readonly #options: ContainerLogManagerOptions;
  readonly #maxSizeBytes: number;
  readonly #maxFiles: number;

  /** Throws if there may be less than two files. */
  constructor(options: ContainerLogManagerOptions) {
    const { maxSizeBytes = 10 * 2 ** 20, maxFiles = 5 } = options;
    if (maxFiles <= 1) throw new Error(`invalid MaxFiles ${maxFiles}, must be > 1`);
    this.#options = options;
    this.#maxSizeBytes = maxSizeBytes;
    this.#maxFiles = maxFiles;
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#maxSizeBytes < 0) return;
    const { clock, logger, monitorIntervalMs = 10_000 } = this.#options;
    while (!signal.aborted) {
      try {
        await this.rotateLogs(signal);
      } catch (error) {
        if (!signal.aborted) logger.error('Failed to rotate container logs', error);
      }
      await sleep(clock, monitorIntervalMs, signal).catch(() => {});
    }
  }

  /** Rotates all logs that are too large. Rejects only if the runtime does not tell its containers. */
  async rotateLogs(signal: AbortSignal): Promise<void> {
    const { maxWorkers = 1 } = this.#options;
    const ids = (await this.#runningContainers(signal)).values();
    const work = async (): Promise<void> => {
      for (const id of ids) await this.#rotateOne(id, signal);
    };
    await Promise.all(Array.from({ length: maxWorkers }, work));
  }

  /** Removes the log of a container and its rotated files. The container must have ended. */
  async clean(containerId: string, signal?: AbortSignal): Promise<void> {
    const path = await this.#logPath(containerId, signal);
    if (path === '') return;
    const { inUse, unused } = await rotatedLogs(path);
    for (const file of [...unused, ...inUse, path]) await rm(file, { force: true });
  }

  /** Ended containers print nothing any more, so their logs stay as they are. */
  async #runningContainers(signal: AbortSignal): Promise<string[]> {
    const { containers } = await this.#options.service.listContainers({}, { signal, timeoutMs });
    return containers.filter(({ state }) => state === 'CONTAINER_RUNNING').map(({ id }) => id);
  }

  async #rotateOne(containerId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await this.#rotateIfLarge(containerId, signal);
    } catch (error) {
      if (!signal.aborted)
        this.#options.logger.error('Failed to rotate log for container', error, { containerID: containerId });
    }
  }

  async #rotateIfLarge(containerId: string, signal: AbortSignal): Promise<void> {
    const path = await this.#logPath(containerId, signal);
    if (path === '') return;
    const found = await unlessNoEntry(lstat(path));
    if (!found) {
      // A rotation was interrupted, or somebody has removed the file.
      await this.#options.service.reopenContainerLog({ containerId }, { signal, timeoutMs });
      return;
    }
    if (!found.isFile()) throw new Error(`${path} is not a regular file`);
    if (found.size >= this.#maxSizeBytes) await this.#rotate(containerId, path, signal);
  }

  async #rotate(containerId: string, path: string, signal: AbortSignal): Promise<void> {
    const rotated = rotatedLogPath(path, this.#options.clock.now());
    const { inUse, unused } = await rotatedLogs(path);
    // The second rotation within a second would take the name of the first, so the log must wait.
    if (inUse.some((file) => rotationOf(file) === rotationOf(rotated))) return;
    // With the current file and the one that it becomes, there are as many as there may be. The oldest ones go.
    const excess = inUse.slice(0, Math.max(0, inUse.length - Math.max(0, this.#maxFiles - 2)));
    for (const file of [...unused, ...excess]) await unlink(file);
    for (const file of inUse.slice(excess.length)) {
      if (!file.endsWith(compressedSuffix)) await compressLog(file, signal);
    }
    await this.#rotateLatest(containerId, path, { rotated, signal });
  }

  async #rotateLatest(
    containerId: string,
    path: string,
    { rotated, signal }: { readonly rotated: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { service } = this.#options;
    await rename(path, rotated);
    try {
      await service.reopenContainerLog({ containerId }, { signal, timeoutMs });
    } catch (error) {
      await this.#renameBack(rotated, path);
      throw error;
    }
  }

  /** The runtime still writes to the renamed file, unless it has made a new one before it failed. */
  async #renameBack(rotated: string, path: string): Promise<void> {
    try {
      // Unlike a rename, this never replaces a file.
      await link(rotated, path);
      await unlink(rotated);
    } catch (error) {
      this.#options.logger.error('Failed to rename a rotated log back', error, { rotatedLog: rotated, newLog: path });
    }
  }

  /** Empty if the runtime writes no file. */
  async #logPath(containerId: string, signal: AbortSignal | undefined): Promise<string> {
    const { status } = await this.#options.service.containerStatus({ containerId }, { signal, timeoutMs });
    if (!status) throw new Error(`container status is nil for ${JSON.stringify(containerId)}`);
    return status.logPath;
  }
}
