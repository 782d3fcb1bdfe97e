import type { Pod } from '@coxswain/api/core/v1';
import { KeyedTurns } from '@coxswain/apimachinery/turns';
import type { Clock } from '@coxswain/client';
import type { VolumeHost } from './files/volume-host.ts';
import type { VolumePlugin } from './plugins/volume-plugin.ts';

/** How full a volume of a pod is. */
export interface VolumeStats {
  /** As in the pod. */
  readonly name: string;
  /** The PersistentVolumeClaim that the volume is of. */
  readonly claim?: { readonly name: string; readonly namespace: string };
  /** When this was found out. */
  readonly timeMs: number;
  readonly usedBytes: number;
  readonly inodesUsed: number;
  /** Of the whole file system that the volume is on. */
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

interface MeasuredVolume {
  readonly name: string;
  readonly path: string;
  readonly plugin: Pick<VolumePlugin, 'usage'>;
}

interface Measurement {
  value: Promise<readonly VolumeStats[]>;
  atMs: number;
  /** Ends when the pod's volumes are unmounted. */
  readonly forgotten: AbortController;
}

const validForMs = 60_000;

/**
 * Measures volumes, one at a time, at most once a minute for each pod. To count what is in a directory may take long: whoever asks gets
 * the last figures meanwhile, and waits only the first time.
 */
export class VolumeStatistics {
  readonly #host: VolumeHost;
  readonly #clock: Clock;
  readonly #turns = new KeyedTurns();
  readonly #measurements = new Map<string, Measurement>();

  constructor(host: VolumeHost, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
  }

  /** Volumes that cannot be measured are left out. */
  async stats(pod: Pod, volumes: readonly MeasuredVolume[]): Promise<readonly VolumeStats[]> {
    const uid = pod.metadata.uid ?? '';
    const known = this.#measurements.get(uid);
    if (!known) {
      const forgotten = new AbortController();
      const value = this.#measure(pod, volumes, forgotten.signal);
      this.#measurements.set(uid, { value, atMs: this.#clock.now(), forgotten });
      return await value;
    }
    if (known.atMs + validForMs <= this.#clock.now()) {
      known.atMs = this.#clock.now();
      const before = known.value;
      void this.#measure(pod, volumes, known.forgotten.signal).then((stats) => {
        if (known.value === before) known.value = Promise.resolve(stats);
      });
    }
    return await known.value;
  }

  forgetPod(podUid: string): void {
    this.#measurements.get(podUid)?.forgotten.abort();
    this.#measurements.delete(podUid);
  }

  /** Never rejects. */
  async #measure(pod: Pod, volumes: readonly MeasuredVolume[], signal: AbortSignal): Promise<readonly VolumeStats[]> {
    const all: VolumeStats[] = [];
    for (const volume of volumes) {
      if (volume.plugin.usage === undefined) continue;
      const stats = await this.#turns.run('', () => this.#measureOne(pod, volume, signal)).catch(() => undefined);
      if (stats) all.push(stats);
    }
    return all;
  }

  async #measureOne(pod: Pod, { name, path, plugin }: MeasuredVolume, signal: AbortSignal): Promise<VolumeStats> {
    signal.throwIfAborted();
    const timeMs = this.#clock.now();
    const own = plugin.usage === 'walk' ? await this.#host.diskUsage(path, signal) : undefined;
    const { capacityBytes, availableBytes, inodes, inodesFree, usedBytes, inodesUsed } =
      await this.#host.fileSystemUsage(path);
    const claim = claimOf(pod, name);
    return {
      name,
      ...(claim !== undefined && { claim: { name: claim, namespace: pod.metadata.namespace ?? '' } }),
      ...{ timeMs, capacityBytes, availableBytes, inodes, inodesFree },
      usedBytes: own?.bytes ?? usedBytes,
      inodesUsed: own?.inodes ?? inodesUsed,
    };
  }
}

function claimOf({ metadata, spec }: Pod, volume: string): string | undefined {
  const { persistentVolumeClaim, ephemeral } = spec?.volumes?.find(({ name }) => name === volume) ?? {};
  return persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name}-${volume}`);
}
