import * as nodeFiles from 'node:fs/promises';
import type { Container, Node, Pod, Volume } from '@coxswain/api/core/v1';
import { onAbort } from '@coxswain/apimachinery/abort';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Random } from '@coxswain/apimachinery/random';
import { KeyedTurns } from '@coxswain/apimachinery/turns';
import { type Clock, type Logger, sleep } from '@coxswain/client';
import type { Mount } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import type { ConfigSource } from './config-source.ts';
import { containerMounts, type MountContext } from './container-mounts.ts';
import type { FileSystem } from './files/file-system.ts';
import { removeTree } from './files/remove-tree.ts';
import type { VolumeHost } from './files/volume-host.ts';
import { fsUserOf } from './fs-user.ts';
import type { UsableVolume, VolumePlugin, VolumeSpec } from './plugins/volume-plugin.ts';
import { volumePlugins } from './plugins/volume-plugins.ts';
import { PodDirectories } from './pod-directories.ts';
import type { VolumeApi } from './sources/volume-api.ts';
import { unmountVolumes } from './unmount-volumes.ts';
import { notSupported, setUpFailed, unableToMount } from './volume-messages.ts';
import { isUsed, volumeSpec } from './volume-spec.ts';
import { VolumeStatistics, type VolumeStats } from './volume-stats.ts';

interface VolumeManagerOptions {
  /** The kubelet's directory, such as `/var/lib/kubelet`. */
  readonly rootDirectory: string;
  readonly host: VolumeHost;
  readonly config: ConfigSource;
  readonly api: VolumeApi;
  readonly clock: Clock;
  readonly random: Pick<Random, 'number'>;
  readonly logger: Logger;
  node(): Node | undefined;
  /** True if a tmpfs can have the option `noswap` (Linux 6.4). */
  readonly canRefuseSwap?: boolean;
  readonly files?: FileSystem;
  /** Whether the runtime can make all mounts below a mount of the pod's containers read-only. If absent, it cannot. */
  supportsRecursiveReadOnly?(pod: Pod): Promise<boolean>;
  /** Called with what is wrong with a volume of a running pod, in words for its events, each time it is tried. */
  onProblem?(pod: Pod, message: string): void;
}

/** A volume that is ready for containers. */
interface MountedVolume extends UsableVolume {
  /** As in the pod. */
  readonly name: string;
  readonly spec: VolumeSpec;
  readonly plugin: VolumePlugin;
}

interface PodEntry {
  pod: Pod;
  readonly mounted: Map<string, MountedVolume>;
  refreshAtMs: number;
}

const groupAnnotation = 'pv.beta.kubernetes.io/gid';
const shortestRefreshMs = 30_000;
const refreshJitterMs = 15_000;
/** How often it is looked which volumes are to be refreshed. */
const tickMs = 5000;

/**
 * Mounts the volumes of pods, keeps their contents up to date, and takes them away.
 *
 * What is mounted is known from the disk: directories that have the names of plug-ins and volumes. So a restarted kubelet finds
 * everything again, whoever made it, and `unmount` and `remove` need no memory of `mount`. Mounting again leaves what is there alone.
 * Calls for the same pod follow one another.
 */
export class VolumeManager {
  readonly #options: VolumeManagerOptions;
  readonly #files: FileSystem;
  readonly #directories: PodDirectories;
  readonly #plugins: readonly VolumePlugin[];
  readonly #turns = new KeyedTurns();
  readonly #statistics: VolumeStatistics;
  /** Ends the wait for the next refresh, while there is one. */
  #wake: (() => void) | undefined;
  /** The pods that have volumes which this process has mounted. */
  readonly #pods = new Map<string, PodEntry>();

  constructor(options: VolumeManagerOptions) {
    this.#options = options;
    this.#files = options.files ?? nodeFiles;
    this.#directories = new PodDirectories(options.rootDirectory);
    const { host, config, clock, api, random, logger, node, canRefuseSwap = false } = options;
    this.#statistics = new VolumeStatistics(host, clock);
    this.#plugins = volumePlugins({
      ...{ host, config, clock, api, random, logger, canRefuseSwap },
      files: this.#files,
      node: () => node(),
      directories: this.#directories,
    });
  }

  /**
   * Mounts the volumes that containers of the pod use, and brings those up to date that are mounted. Resolves to what is wrong with
   * those that could not be, as messages for events of reason `FailedMount`; then it must be called again.
   */
  async mount(pod: Pod, signal: AbortSignal): Promise<readonly string[]> {
    const uid = uidOf(pod);
    return await this.#turns.run(uid, async () => {
      signal.throwIfAborted();
      const entry = this.#pods.get(uid) ?? { pod, mounted: new Map(), refreshAtMs: 0 };
      entry.pod = pod;
      this.#pods.set(uid, entry);
      return await this.#mountAll(entry, signal);
    });
  }

  /** Tells of a pod's new state: volumes with its labels, annotations or resources follow at once. */
  observe(pod: Pod): void {
    const entry = this.#pods.get(uidOf(pod));
    if (!entry) return;
    const isChanged = visibleState(entry.pod) !== visibleState(pod);
    entry.pod = pod;
    if (!isChanged) return;
    entry.refreshAtMs = 0;
    this.#wake?.();
  }

  /** Returns the mounts of a container. Rejects with the reason for which it cannot be created. */
  async mountsOf(pod: Pod, container: Container, context: MountContext): Promise<readonly Init<Mount>[]> {
    const uid = uidOf(pod);
    // An ephemeral container may use a volume that no other container does.
    if (container.volumeMounts?.some(({ name }) => !this.#pods.get(uid)?.mounted.has(name))) {
      await this.mount(pod, context.signal ?? new AbortController().signal);
    }
    return await containerMounts(pod, container, context, {
      subPaths: this.#options.host.subPaths,
      podDirectory: this.#directories.pod(uid),
      logger: this.#options.logger,
      supportsRecursiveReadOnly: async () => (await this.#options.supportsRecursiveReadOnly?.(pod)) ?? false,
      volume: (name) => {
        const volume = this.#pods.get(uid)?.mounted.get(name);
        return volume && { path: volume.path, readOnly: volume.readOnly, directoryName: volume.spec.name };
      },
    });
  }

  /** Returns where a mounted volume of a pod is on the node; undefined if it is not mounted. */
  pathOf(podUid: string, volume: string): string | undefined {
    return this.#pods.get(podUid)?.mounted.get(volume)?.path;
  }

  /** Returns the groups that a pod's PersistentVolumes want its processes to be in, besides those that the pod names. */
  supplementalGroups(podUid: string): readonly number[] {
    const entry = this.#pods.get(podUid);
    if (!entry) return [];
    const own = new Set((entry.pod.spec?.securityContext?.supplementalGroups ?? []).map(Number));
    const groups = [...entry.mounted.values()].flatMap(({ spec }) => {
      const text = spec.persistentVolume?.metadata.annotations?.[groupAnnotation] ?? '';
      return /^\d{1,10}$/.test(text) ? [Number(text)] : [];
    });
    return [...new Set(groups)].filter((group) => !own.has(group));
  }

  /**
   * Returns how full the mounted volumes of a pod are, those that say something about the pod. Figures may be some minutes old; the first
   * time, the call waits until all has been counted.
   */
  async stats(podUid: string): Promise<readonly VolumeStats[]> {
    const entry = this.#pods.get(podUid);
    return entry ? await this.#statistics.stats(entry.pod, [...entry.mounted.values()]) : [];
  }

  /** Unmounts the volumes of a pod whose containers have ended, and removes those that are its own. Rejects if anything is left. */
  async unmount(pod: Pod, signal: AbortSignal): Promise<void> {
    const uid = uidOf(pod);
    await this.#turns.run(uid, () => this.#unmountAll(uid, signal));
  }

  /** Removes everything that is on disk of a pod that no longer exists, volumes included. Rejects if anything is left. */
  async remove(podUid: string): Promise<void> {
    await this.#turns.run(podUid, async () => {
      await this.#unmountAll(podUid, new AbortController().signal);
      await removeTree(this.#directories.pod(podUid), this.#files);
    });
  }

  /** Keeps the contents of mounted volumes up to date until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      for (const [uid, entry] of this.#pods) {
        if (entry.refreshAtMs > clock.now()) continue;
        await this.#refresh(uid, entry, signal).catch((error: unknown) => {
          if (!signal.aborted) logger.error('Failed to refresh volumes', error, { podUID: uid });
        });
      }
      await this.#nap(signal);
    }
  }

  /** Resolves when volumes may have to be refreshed. */
  async #nap(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (signal.aborted) return;
    const nap = new AbortController();
    const unlink = onAbort(signal, () => nap.abort());
    this.#wake = () => nap.abort();
    const dueAtMs = Math.min(...Array.from(this.#pods.values(), ({ refreshAtMs }) => refreshAtMs));
    if (dueAtMs > clock.now()) await sleep(clock, tickMs, nap.signal).catch(() => undefined);
    this.#wake = undefined;
    unlink();
  }

  async #refresh(uid: string, entry: PodEntry, signal: AbortSignal): Promise<void> {
    await this.#turns.run(uid, async () => {
      // It may have been unmounted meanwhile.
      if (signal.aborted || this.#pods.get(uid) !== entry) return;
      const refreshed = [...entry.mounted.values()].filter(({ plugin }) => plugin.isRefreshed);
      this.#scheduleRefresh(entry);
      for (const volume of refreshed) {
        try {
          await this.#setUp(entry.pod, volume.spec, volume.plugin, signal);
        } catch (error) {
          signal.throwIfAborted();
          this.#options.onProblem?.(entry.pod, setUpFailed(volume.spec, error));
        }
      }
    });
  }

  #scheduleRefresh(entry: PodEntry): void {
    const { clock, random } = this.#options;
    entry.refreshAtMs = clock.now() + shortestRefreshMs + random.number() * refreshJitterMs;
  }

  async #mountAll(entry: PodEntry, signal: AbortSignal): Promise<readonly string[]> {
    const { pod, mounted } = entry;
    const volumes = (pod.spec?.volumes ?? []).filter(({ name }) => isUsed(pod, name));
    this.#scheduleRefresh(entry);
    const specs = await Promise.all(volumes.map((volume) => this.#specOf(pod, volume, mounted, signal)));
    /** Volumes with the same directory are the same, and are set up once. */
    const setUps = new Map<string, Promise<UsableVolume>>();
    const problems: string[] = [];
    const unmounted: string[] = [];
    const unknown: { readonly name: string; readonly message: string }[] = [];
    await Promise.all(
      specs.map(async ({ name, spec, plugin, message }) => {
        if (!spec || !plugin) return void unknown.push({ name, message });
        const known = mounted.get(name);
        if (known && !plugin.isRefreshed) return;
        const key = `${plugin.name}/${spec.name}`;
        const setUp = setUps.get(key) ?? this.#setUp(pod, spec, plugin, signal);
        setUps.set(key, setUp);
        try {
          mounted.set(name, { name, spec, plugin, ...(await setUp) });
        } catch (error) {
          signal.throwIfAborted();
          // Containers can be started with contents that are a little old.
          if (known) return this.#options.onProblem?.(pod, setUpFailed(spec, error));
          problems.push(setUpFailed(spec, error));
          unmounted.push(name);
        }
      }),
    );
    if (unknown.length > 0) problems.push(unableToMount(unknown, unmounted));
    return [...new Set(problems)].sort();
  }

  async #specOf(
    pod: Pod,
    volume: Volume,
    mounted: ReadonlyMap<string, MountedVolume>,
    signal: AbortSignal,
  ): Promise<{
    readonly name: string;
    readonly spec?: VolumeSpec;
    readonly plugin?: VolumePlugin;
    readonly message: string;
  }> {
    const { name } = volume;
    const known = mounted.get(name);
    if (known) return { name, spec: known.spec, plugin: known.plugin, message: '' };
    try {
      const { config, api } = this.#options;
      const spec = await volumeSpec(pod, volume, { config, api, signal });
      const plugin = this.#plugins.find((each) => each.supports(spec));
      if (!plugin)
        throw new Error(`failed to get Plugin from volumeSpec for volume "${spec.name}" err=${notSupported(spec)}`);
      return { name, spec, plugin, message: '' };
    } catch (error) {
      signal.throwIfAborted();
      return { name, message: messageOf(error) };
    }
  }

  async #setUp(pod: Pod, spec: VolumeSpec, plugin: VolumePlugin, signal: AbortSignal): Promise<UsableVolume> {
    const podUid = uidOf(pod);
    const { fsGroup, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
    return await plugin.setUp({
      pod,
      podUid,
      spec,
      name: spec.name,
      directory: this.#directories.volume(podUid, plugin.name, spec.name),
      fsGroup: fsGroup === undefined || fsGroup === null ? undefined : Number(fsGroup),
      fsUser: fsUserOf(pod),
      onlyOnRootMismatch: fsGroupChangePolicy === 'OnRootMismatch',
      signal,
    });
  }

  async #unmountAll(uid: string, signal: AbortSignal): Promise<void> {
    const { host } = this.#options;
    this.#pods.delete(uid);
    this.#statistics.forgetPod(uid);
    const [files, directories, plugins] = [this.#files, this.#directories, this.#plugins];
    await unmountVolumes(uid, { host, files, directories, plugins, signal });
  }
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

/** What volumes may have of a pod, and can change. */
const visibleState = ({ metadata, spec }: Pod): string =>
  JSON.stringify([metadata.labels, metadata.annotations, spec?.containers.map(({ resources }) => resources)]);
