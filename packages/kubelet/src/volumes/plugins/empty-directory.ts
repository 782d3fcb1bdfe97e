import { join } from 'node:path';
import { podLimits } from '@coxswain/api';
import type { EmptyDirVolumeSource, Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { unlessMissing } from '../files/file-system.ts';
import { removeTree } from '../files/remove-tree.ts';
import { hugePagesOptions, isHugePages } from './huge-pages.ts';
import { tearDownDirectory } from './tear-down-directory.ts';
import type { PluginContext, SetUpRequest, VolumeOnDisk } from './volume-plugin.ts';

export const emptyDirectoryPlugin = 'kubernetes.io/empty-dir';

const everybody = 0o777;

/** Makes a directory that is empty at first: on disk, or in memory. Other plug-ins put their files into one. */
export class EmptyDirectory {
  readonly #context: PluginContext;

  constructor(context: PluginContext) {
    this.#context = context;
  }

  /** `noteName` is the name under which it is noted that the directory is complete. */
  async setUp(request: SetUpRequest, source: EmptyDirVolumeSource, noteName: string): Promise<void> {
    const { medium = '' } = source;
    const { directory, fsGroup, signal } = request;
    const note = this.#note(request.podUid, noteName);
    if (await this.#isReady(directory, medium, note)) return;
    await this.#makeDirectory(directory);
    if (medium === 'Memory') await this.#mountMemory(request, source);
    else if (isHugePages(medium)) await this.#mountHugePages(request, medium);
    else if (medium !== '') throw new Error(`unknown storage medium "${medium}"`);
    if (fsGroup !== undefined) {
      await this.#context.host.setVolumeOwnership(directory, { fsGroup, signal });
    }
    await this.#setReady(note);
  }

  async tearDown({ podUid, directory }: VolumeOnDisk, noteName: string): Promise<void> {
    const { files, host } = this.#context;
    // Without its note it is not taken for complete if the next step is the last one that is done.
    await removeTree(this.#note(podUid, noteName), files);
    await tearDownDirectory(directory, host.mounter, files);
  }

  #note(podUid: string, name: string): string {
    return this.#context.directories.plugin(podUid, emptyDirectoryPlugin, name);
  }

  /** Contents of a directory that is noted as ready are left alone, and so are those in memory that are still mounted. */
  async #isReady(directory: string, medium: string, note: string): Promise<boolean> {
    const { files, host } = this.#context;
    if (!(await unlessMissing(files.stat(join(note, 'ready'))))?.isFile()) return false;
    const isThere = (await unlessMissing(files.lstat(directory)))?.isDirectory() === true;
    if (isThere && (medium === '' || (await host.mounter.isMountPoint(directory)))) return true;
    await removeTree(note, files);
    return false;
  }

  async #setReady(note: string): Promise<void> {
    const { files } = this.#context;
    await files.mkdir(note, { recursive: true, mode: 0o750 });
    await files.writeFile(join(note, 'ready'), '');
  }

  async #makeDirectory(directory: string): Promise<void> {
    const { files } = this.#context;
    await files.mkdir(directory, { recursive: true, mode: 0o750 });
    const { mode } = await files.lstat(directory);
    if ((mode & everybody) !== everybody) await files.chmod(directory, (mode & 0o7000) | everybody);
  }

  async #mountMemory(request: SetUpRequest, source: EmptyDirVolumeSource): Promise<void> {
    const { directory, pod, signal } = request;
    const { host, node, canRefuseSwap } = this.#context;
    if (await host.mounter.isMountPoint(directory)) return;
    const limit = memoryLimit(pod, source, node()?.status?.allocatable?.memory);
    const options = [...(limit > 0 ? [`size=${limit}`] : []), ...(canRefuseSwap ? ['noswap'] : [])];
    await host.mounter.mount({ source: 'tmpfs', target: directory, type: 'tmpfs', options }, signal);
  }

  async #mountHugePages({ directory, pod, signal }: SetUpRequest, medium: string): Promise<void> {
    const { host } = this.#context;
    if (await host.mounter.isMountPoint(directory)) return;
    const options = hugePagesOptions(medium, pod);
    await host.mounter.mount({ source: 'nodev', target: directory, type: 'hugetlbfs', options }, signal);
  }
}

/** Returns how many bytes a volume in memory may have: the least of what the node, the pod and the volume say. 0 if none does. */
function memoryLimit(pod: Pod, { sizeLimit }: EmptyDirVolumeSource, allocatable: string | undefined): number {
  const ofPod = hasMemoryLimits(pod) ? podLimits(pod).get('memory')?.value() : undefined;
  const limits = [allocatable, sizeLimit].map((text) => (text === undefined ? 0 : Quantity.parse(text).value()));
  const positive = [...limits, ofPod ?? 0].filter((limit) => limit > 0);
  return positive.length === 0 ? 0 : Math.min(...positive);
}

/** The memory of a pod is limited if that of each of its containers is, or its own. */
function hasMemoryLimits({ spec }: Pod): boolean {
  if (spec?.resources?.limits?.memory !== undefined) return true;
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].every(
    ({ resources }) => resources?.limits?.memory !== undefined,
  );
}
