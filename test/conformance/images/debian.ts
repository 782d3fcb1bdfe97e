import { execFile } from 'node:child_process';
import { access, chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ProcessGroup } from '../process-group.ts';
import { addDirectory } from './add-directory.ts';
import type { ImageStore } from './image-store.ts';
import { debianPackages, debianRelease } from './recipes.ts';

const run = promisify(execFile);

/** The name of the base in the store. */
export const debianImage = 'debian';

/** Files that images without the base have too. */
const keptFiles = ['bin/busybox', 'bin/bash-static'];

/** What an image does not need: documentation, what apt fetched, and devices, which a runtime makes itself. */
const unneeded = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
  'var/cache/apt',
  'var/lib/apt/lists',
  'var/log/apt',
  'dev',
  'debootstrap',
];

/** Where Debian's packages are fetched from: `COXSWAIN_DEBIAN_MIRROR`, or Debian's own mirrors. */
export function debianMirror(): string {
  return process.env.COXSWAIN_DEBIAN_MIRROR ?? 'http://deb.debian.org/debian';
}

/** Installs debootstrap where there is apt. Rejects, with advice, where it is missing and cannot be installed. */
export async function requireDebootstrap(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('images are made by root: debootstrap unpacks a Debian system');
  if (await isInPath('debootstrap')) return;
  const advice = 'debootstrap is needed to make images (Debian: apt-get install debootstrap)';
  if (!(await isInPath('apt-get'))) throw new Error(advice);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['install', '-y', '-qq', 'debootstrap'], { env }).catch((error: Error) => {
    throw new Error(`${advice}; installing it failed: ${error.message}`, { cause: error });
  });
}

/** Makes a Debian system with the packages that the images need, and adds it to the store as an image. */
export async function makeDebian(options: {
  readonly store: ImageStore;
  readonly hash: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { store, hash, say, signal } = options;
  await removeOld(store.directory);
  const root = await mkdtemp(join(store.directory, rootPrefix));
  try {
    say(`fetching Debian ${debianRelease} from ${debianMirror()} (minutes)`);
    await chmod(root, 0o755);
    await debootstrap(root, `${root}.log`, signal);
    for (const path of unneeded) await emptied(join(root, path));
    for (const path of keptFiles) {
      const kept = join(store.directory, 'debian', path);
      await mkdir(dirname(kept), { recursive: true });
      await copyFile(join(root, path), kept);
    }
    await linkMissingCommands(root);
    const layer = await addDirectory(store, root);
    await store.addImage({ names: [debianImage], recipe: hash, layers: [layer], config: { Cmd: ['/bin/bash'] } });
  } finally {
    await removeOld(store.directory);
  }
}

const rootPrefix = 'debian-root-';

/** Removes systems that were not completed. */
async function removeOld(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(rootPrefix)) await rm(join(directory, name), { recursive: true, force: true });
  }
}

async function debootstrap(root: string, log: string, signal: AbortSignal): Promise<void> {
  // In a mount namespace of its own, so that its mounts are gone when it ends, however it ends.
  const group = new ProcessGroup(
    'unshare',
    [
      ...['--mount', '--propagation', 'private', 'debootstrap', '--variant=minbase'],
      `--include=${debianPackages.join(',')}`,
      ...[debianRelease, root, debianMirror()],
    ],
    { log },
  );
  const stop = () => void group.stop(stopGraceMs);
  signal.addEventListener('abort', stop);
  try {
    const status = await group.ended;
    signal.throwIfAborted();
    if (status === 0) return;
    const { stdout } = await run('tail', ['-n', '5', log, join(root, 'debootstrap/debootstrap.log')]).catch(
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    );
    throw new Error(`debootstrap ended with ${status}: ${stdout}`);
  } finally {
    signal.removeEventListener('abort', stop);
    await group.stop(stopGraceMs);
  }
}

const stopGraceMs = 5_000;

async function emptied(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) await rm(join(directory, name), { recursive: true, force: true });
}

/** Commands of busybox that the base does not have are links to busybox. */
async function linkMissingCommands(root: string): Promise<void> {
  const { stdout } = await run(join(root, 'bin/busybox'), ['--list']);
  const has = new Set((await Promise.all(['usr/bin', 'usr/sbin'].map((path) => readdir(join(root, path))))).flat());
  for (const name of stdout.split('\n').filter((command) => command !== '' && !has.has(command))) {
    await symlink('/bin/busybox', join(root, 'usr/bin', name));
  }
}

async function isInPath(program: string): Promise<boolean> {
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => access(join(folder, program)));
  return (await Promise.allSettled(found)).some(({ status }) => status === 'fulfilled');
}
