import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ContainerRuntime as CriRuntime, type ImageServiceHandlers, runtimeInProcess } from '@coxswain/cri';
import { HelperCommands, readMountInfo } from '@coxswain/linux';
import { ContainerRuntime } from './container-runtime.ts';
import type { ImageConfiguration } from './images/image-configuration.ts';
import type { ImageStore, StoredImage } from './images/image-store.ts';
import type { RootFileSystems } from './images/root-file-systems.ts';
import { PinnedNamespaces } from './namespaces/pinned-namespaces.ts';
import type { PodNetwork } from './network/pod-network.ts';

const run = promisify(execFile);

/** Why no container can be run here; undefined if one can. */
export async function containerProblem(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'containers need Linux';
  if (process.getuid?.() !== 0) return 'containers need root';
  for (const path of ['/usr/sbin/runc', '/usr/bin/conmon', '/bin/busybox']) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (!isThere) return `${path} is missing (Debian: apt-get install runc conmon busybox-static)`;
  }
  return undefined;
}

export const busyboxName = 'registry.example/busybox:1';

/** An image that is a directory. */
interface ScratchImage {
  readonly stored: StoredImage;
  readonly tree: string;
}

/** One image with busybox, whose directory lies below the changes of each container. */
export class ScratchImages implements ImageStore, RootFileSystems {
  readonly #directory: string;
  readonly #images = new Map<string, ScratchImage>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async addBusybox(name = busyboxName, config: ImageConfiguration['config'] = {}): Promise<void> {
    const tree = join(this.#directory, 'trees', String(this.#images.size));
    for (const path of ['bin', 'etc', 'tmp', 'root', 'proc', 'dev', 'sys'])
      await mkdir(join(tree, path), { recursive: true });
    await run('cp', ['/bin/busybox', join(tree, 'bin/busybox')]);
    const { stdout } = await run('/bin/busybox', ['--list']);
    for (const applet of stdout.split('\n').filter((each) => each !== '' && each !== 'busybox')) {
      await symlink('busybox', join(tree, 'bin', applet));
    }
    await writeFile(join(tree, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nann:x:1001:1002::/:/bin/sh\n');
    await writeFile(join(tree, 'etc/group'), 'root:x:0:\nann:x:1002:\nreaders:x:1003:ann\n');
    const configuration = {
      architecture: 'amd64',
      os: 'linux',
      config: { Env: ['PATH=/bin'], Cmd: ['/bin/sh'], ...config },
      diffIds: [],
    };
    const id = `sha256:${String(this.#images.size).repeat(64)}`;
    const stored = { id, repoTags: [name], repoDigests: [], size: 1, isPinned: false, configuration };
    this.#images.set(id, { stored, tree });
  }

  async find(image: string): Promise<StoredImage | undefined> {
    return [...this.#images.values()].find(({ stored }) => stored.id === image || stored.repoTags.includes(image))
      ?.stored;
  }

  async make(id: string, imageId: string): Promise<{ path: string }> {
    const tree = this.#images.get(imageId)?.tree ?? '';
    const base = join(this.#directory, 'mounted', id);
    for (const name of ['upper', 'work', 'root']) await mkdir(join(base, name), { recursive: true });
    const options = `lowerdir=${tree},upperdir=${base}/upper,workdir=${base}/work`;
    await run('mount', ['-t', 'overlay', '-o', options, 'overlay', `${base}/root`]);
    return { path: `${base}/root` };
  }

  async makeReadOnly(id: string, imageId: string): Promise<{ path: string }> {
    const base = join(this.#directory, 'mounted', id);
    await mkdir(`${base}/root`, { recursive: true });
    await run('mount', ['-o', 'bind,ro', this.#images.get(imageId)?.tree ?? '', `${base}/root`]);
    return { path: `${base}/root` };
  }

  async remove(id: string): Promise<void> {
    const base = join(this.#directory, 'mounted', id);
    await run('umount', ['-l', `${base}/root`]).catch(() => {});
    await rm(base, { recursive: true, force: true });
  }

  async list(): Promise<readonly string[]> {
    return await readdir(join(this.#directory, 'mounted')).catch(() => []);
  }

  async usage() {
    return { usedBytes: 4096, inodesUsed: 1 };
  }

  get handlers(): ImageServiceHandlers {
    const asListed = ({ stored }: ScratchImage) => ({ ...stored, size: stored.size });
    return {
      listImages: async () => ({ images: [...this.#images.values()].map(asListed) }),
      imageStatus: async ({ image }) => {
        const found = [...this.#images.values()].find(
          ({ stored }) => stored.id === image?.image || stored.repoTags.includes(image?.image ?? ''),
        );
        return found ? { image: asListed(found) } : {};
      },
      removeImage: async () => ({}),
    };
  }
}

/** Connects nothing, and remembers whom it has connected. */
export class ScratchNetwork implements PodNetwork {
  readonly connected = new Set<string>();
  failure: Error | undefined;

  async problem(): Promise<string | undefined> {
    return undefined;
  }

  async setUp({ id }: { readonly id: string }): Promise<{ ips: readonly string[] }> {
    if (this.failure) throw this.failure;
    this.connected.add(id);
    return { ips: ['192.0.2.7'] };
  }

  async tearDown({ id }: { readonly id: string }): Promise<void> {
    this.connected.delete(id);
  }

  async collectGarbage(): Promise<void> {}
}

/** A runtime with directories of its own. */
export class ScratchRuntime {
  readonly directory: string;
  readonly images: ScratchImages;
  readonly network = new ScratchNetwork();
  readonly #commands = new HelperCommands({ maxShells: 8 });
  #runtime: ContainerRuntime | undefined;

  private constructor(directory: string) {
    this.directory = directory;
    this.images = new ScratchImages(join(directory, 'images'));
  }

  static async start(): Promise<ScratchRuntime> {
    const scratch = new ScratchRuntime(await mkdtemp(join(tmpdir(), 'cox-rt-')));
    await scratch.images.addBusybox();
    await scratch.open();
    return scratch;
  }

  async open(): Promise<void> {
    const { directory, images, network } = this;
    this.#runtime = await ContainerRuntime.start({
      root: join(directory, 'root'),
      state: join(directory, 'state'),
      images,
      rootFileSystems: images,
      network,
      commands: this.#commands,
      version: '0.0.0-test',
    });
  }

  get handlers(): ContainerRuntime['handlers'] {
    if (!this.#runtime) throw new Error('the runtime is closed');
    return this.#runtime.handlers;
  }

  get cri(): CriRuntime {
    return runtimeInProcess(this.handlers, this.images.handlers);
  }

  /** Ends the runtime as a kill would: nothing of the containers is touched. */
  async stop(): Promise<void> {
    await this.#runtime?.close();
    this.#runtime = undefined;
  }

  /** Takes the namespaces of a sandbox away, as a reboot does. */
  async unpin(sandboxId: string): Promise<void> {
    const directory = join(this.directory, 'state/namespaces');
    await new PinnedNamespaces({ directory, commands: this.#commands }).remove(sandboxId);
  }

  /** What is left on the machine: mounts below the directory, and monitors. */
  async left(): Promise<string[]> {
    const mounts = (await readMountInfo())
      .map(({ mountPoint }) => mountPoint)
      .filter((path) => path.startsWith(this.directory));
    const monitors: string[] = [];
    for (const pid of await readdir('/proc')) {
      const words = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
      if (words.includes(`${this.directory}/state/bundles`)) monitors.push(`${pid} ${words.replaceAll('\0', ' ')}`);
    }
    return [...mounts, ...monitors];
  }

  /** Removes all pods and the directory. */
  async close(): Promise<void> {
    if (!this.#runtime) await this.open();
    const { runtime } = this.cri;
    for (const { id } of (await runtime.listPodSandbox({})).items) await runtime.removePodSandbox({ podSandboxId: id });
    await this.stop();
    this.#commands.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}
