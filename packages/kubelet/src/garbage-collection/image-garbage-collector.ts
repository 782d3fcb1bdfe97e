import { messageOf } from '@coxswain/apimachinery/errors';
import { formatDuration } from '@coxswain/apimachinery/time';
import { type Clock, type EventRecorder, type Logger, sleep } from '@coxswain/client';
import type { Container, Mount } from '@coxswain/cri';
import { hasRpcCode } from '@coxswain/grpc';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';
import { aggregateError } from './aggregate-error.ts';
import { formatSize } from './format-size.ts';
import { type FileSystemStats, imageFsStats } from './image-fs-stats.ts';
import { type ImageRecord, ImageRecords, imagesInUse } from './image-records.ts';
import { sandboxImage } from './sandbox-image.ts';

/** When images are removed. */
export interface ImageGCPolicy {
  /** Use of the file system from which on images are removed. */
  readonly highThresholdPercent: number;
  /** Use of the file system down to which images are removed. */
  readonly lowThresholdPercent: number;
  /** Younger images are kept: they may have been pulled for a container that is about to be created. */
  readonly minAgeMs: number;
  /** Images that were not used for longer are removed, however full the file system is. 0 for no limit. */
  readonly maxAgeMs: number;
}

export interface ImageGarbageCollectorOptions {
  readonly runtime: Pick<KubeRuntime, 'service' | 'images'>;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
  readonly policy?: Partial<ImageGCPolicy>;
  /** Called with the ids of all images of the node, and the time at which their listing began. */
  readonly onImages?: (ids: ReadonlySet<string>, sinceMs: number) => Promise<void>;
  /** Returns the use of the file system with the images; by default as the runtime and the system tell. */
  readonly fileSystem?: ((signal: AbortSignal) => Promise<FileSystemStats>) | undefined;
}

const periodMs = 300_000;
const timeoutMs = 120_000;
/** What upstream's messages have for "as many as possible". */
const largestInt64 = 2n ** 63n - 1n;

/** Removes images that no container uses: when the disk is nearly full, and when they were not used for long. */
export class ImageGarbageCollector {
  readonly #options: ImageGarbageCollectorOptions;
  readonly #policy: ImageGCPolicy;
  readonly #records = new ImageRecords();
  readonly #startedAtMs: number;

  /** Throws if the thresholds make no sense. */
  constructor(options: ImageGarbageCollectorOptions) {
    this.#options = options;
    this.#policy = {
      highThresholdPercent: 85,
      lowThresholdPercent: 80,
      minAgeMs: 120_000,
      maxAgeMs: 0,
      ...options.policy,
    };
    this.#startedAtMs = options.clock.now();
    checkThresholds(this.#policy);
  }

  /** Runs until the signal is aborted. The second failure in a row and later ones are told by events of the node. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const { highThresholdPercent, maxAgeMs } = this.#policy;
    if (highThresholdPercent === 100 && maxAgeMs === 0) {
      logger.v(2).info('ImageGCHighThresholdPercent is set 100 and ImageMaximumGCAge is 0, Disable image GC');
      return;
    }
    let hasFailed = false;
    while (!signal.aborted) {
      try {
        await this.collect(signal);
        hasFailed = false;
        logger.v(4).info('Image garbage collection succeeded');
      } catch (error) {
        if (signal.aborted) return;
        if (hasFailed) {
          logger.error('Image garbage collection failed multiple times in a row', error);
          this.#record('ImageGCFailed', messageOf(error));
        } else {
          logger.error('Image garbage collection failed once. Stats initialization may not have completed yet', error);
        }
        hasFailed = true;
      }
      await sleep(clock, periodMs, signal).catch(() => {});
    }
  }

  /** Removes what the policy says. Rejects if images can't be removed, or if that does not free enough. */
  async collect(signal: AbortSignal): Promise<void> {
    const images = await this.#removeOld(await this.#unused(signal), signal);
    const { capacityBytes, availableBytes } = await this.#fileSystem(signal);
    if (capacityBytes === 0) {
      const message = 'invalid capacity 0 on image filesystem';
      this.#record('InvalidDiskCapacity', message);
      throw new Error(message);
    }
    const { highThresholdPercent, lowThresholdPercent } = this.#policy;
    const available = Math.min(availableBytes, capacityBytes);
    const usedPercent = 100 - Math.floor((available * 100) / capacityBytes);
    if (usedPercent < highThresholdPercent) return;
    const toFree = Math.floor((capacityBytes * (100 - lowThresholdPercent)) / 100) - available;
    const message =
      'Disk usage on image filesystem is over the high threshold, trying to free bytes down to the low threshold';
    const fields = { usage: usedPercent, highThreshold: highThresholdPercent, lowThreshold: lowThresholdPercent };
    this.#options.logger.info(message, { ...fields, amountToFree: toFree });
    const freed = await this.#free(images, toFree, signal);
    if (freed >= toFree) return;
    const failure =
      `Insufficient free disk space on the node's image filesystem (${usedPercent}% of ${formatSize(capacityBytes)} used). ` +
      `Failed to free sufficient space by deleting unused images (freed ${freed} bytes). ` +
      'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.';
    this.#record('FreeDiskSpaceFailed', failure);
    throw new Error(failure);
  }

  /** Removes all images that no container uses, except for young and pinned ones. */
  async deleteUnusedImages(signal: AbortSignal): Promise<void> {
    this.#options.logger.info('Attempting to delete unused images');
    await this.#free(await this.#unused(signal), Number.POSITIVE_INFINITY, signal);
  }

  /** Returns images that may be removed, those first that were not used for the longest time. */
  async #unused(signal: AbortSignal): Promise<ImageRecord[]> {
    const { runtime, clock } = this.#options;
    const sinceMs = clock.now();
    const { images } = await runtime.images.listImages({}, { signal, timeoutMs });
    await this.#options.onImages?.(new Set(images.map(({ id }) => id)), sinceMs);
    // Afterwards, so that a container that was created in between is among them.
    const { containers } = await runtime.service.listContainers({}, { signal, timeoutMs });
    const inUse = imagesInUse(containers, await this.#mountsOf(containers, signal));
    const ofSandboxes = await sandboxImage(runtime.service, signal);
    if (ofSandboxes) inUse.add(ofSandboxes);
    return this.#records.update(images, inUse, clock.now());
  }

  /** Only the status of a container has its mounts. */
  async #mountsOf(containers: readonly Container[], signal: AbortSignal): Promise<Mount[]> {
    const { service } = this.#options.runtime;
    const mounts: Mount[] = [];
    for (const { id: containerId } of containers) {
      try {
        const { status } = await service.containerStatus({ containerId }, { signal, timeoutMs });
        mounts.push(...(status?.mounts ?? []));
      } catch (error) {
        if (!hasRpcCode(error, 'NotFound'))
          throw new Error(`get container status: ${messageOf(error)}`, { cause: error });
      }
    }
    return mounts;
  }

  /**
   * Removes images that were not used for too long, and returns the others.
   *
   * Differs from upstream: the time of an image that was never used counts from when it was found. Upstream removes such images at once,
   * also those that were pulled for a container that is about to be created.
   */
  async #removeOld(images: readonly ImageRecord[], signal: AbortSignal): Promise<readonly ImageRecord[]> {
    const { maxAgeMs } = this.#policy;
    const nowMs = this.#options.clock.now();
    // Who used an image before the kubelet was started is unknown.
    if (maxAgeMs === 0 || nowMs - this.#startedAtMs <= maxAgeMs) return images;
    const isOld = ({ lastUsedMs, firstDetectedMs }: ImageRecord): boolean =>
      nowMs - (lastUsedMs ?? firstDetectedMs) > maxAgeMs;
    const errors: unknown[] = [];
    for (const image of images.filter(isOld)) {
      await this.#remove(image, signal).catch((error: unknown) => errors.push(error));
      signal.throwIfAborted();
    }
    const age = formatDuration(maxAgeMs * 1e6);
    const error = aggregateError(
      errors,
      `wanted to free images older than ${age}, encountered errors in image deletion: `,
    );
    if (error) throw error;
    return images.filter((image) => !isOld(image));
  }

  /** Removes images until so many bytes are free, and returns how many are. Rejects if any image can't be removed. */
  async #free(images: readonly ImageRecord[], toFree: number, signal: AbortSignal): Promise<number> {
    const nowMs = this.#options.clock.now();
    const errors: unknown[] = [];
    let freed = 0;
    for (const image of images) {
      if (freed >= toFree) break;
      if (nowMs - image.firstDetectedMs < this.#policy.minAgeMs) continue;
      try {
        await this.#remove(image, signal);
        freed += image.sizeBytes;
      } catch (error) {
        signal.throwIfAborted();
        errors.push(error);
      }
    }
    const wanted = Number.isFinite(toFree) ? toFree : largestInt64;
    const error = aggregateError(
      errors,
      `wanted to free ${wanted} bytes, but freed ${freed} bytes space with errors in image deletion: `,
    );
    if (error) throw error;
    return freed;
  }

  async #remove({ id, sizeBytes, runtimeHandler }: ImageRecord, signal: AbortSignal): Promise<void> {
    const { runtime, logger } = this.#options;
    logger.info('Removing image to free bytes', { imageID: id, size: sizeBytes, runtimeHandler });
    await runtime.images.removeImage({ image: { image: id, runtimeHandler } }, { signal, timeoutMs });
    this.#records.forget(id);
  }

  async #fileSystem(signal: AbortSignal): Promise<FileSystemStats> {
    const { fileSystem, runtime } = this.#options;
    return await (fileSystem?.(signal) ?? imageFsStats(runtime.images, signal));
  }

  #record(reason: string, message: string): void {
    const { recorder, nodeName } = this.#options;
    recorder.event({ kind: 'Node', name: nodeName, uid: nodeName }, 'Warning', reason, message);
  }
}

function checkThresholds({ highThresholdPercent: high, lowThresholdPercent: low }: ImageGCPolicy): void {
  const isPercent = (value: number): boolean => value >= 0 && value <= 100;
  if (!isPercent(high)) throw new Error(`invalid HighThresholdPercent ${high}, must be in range [0-100]`);
  if (!isPercent(low)) throw new Error(`invalid LowThresholdPercent ${low}, must be in range [0-100]`);
  if (low > high) throw new Error(`LowThresholdPercent ${low} can not be higher than HighThresholdPercent ${high}`);
}
