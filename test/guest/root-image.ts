import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached, cacheKey } from './cache.ts';
import { command } from './command.ts';
import { makeDiskImage } from './disk-image.ts';
import { kernelModules } from './kernel-modules.ts';

const release = 'bookworm';
const mirror = 'http://deb.debian.org/debian';

const packages = [
  // The kernel for virtual machines: small, and with the modules of networks and file systems.
  'linux-image-cloud-amd64',
  ...['systemd-sysv', 'dbus', 'udev', 'kmod', 'apparmor'],
  ...['containerd', 'runc', 'containernetworking-plugins', 'conmon', 'busybox-static'],
  ...['iproute2', 'nftables', 'iptables', 'ipvsadm', 'ipset', 'conntrack', 'procps', 'util-linux'],
  // For Node, which is copied from the host.
  'libstdc++6',
];

/** Modules without which the root file system cannot be mounted. */
const modulesOfDisk = ['virtio_pci', 'virtio_blk'];

/** What no program in the guest reads, and timers, which nobody waits for. */
const unneeded = [
  ...['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/info', 'var/cache/apt', 'var/lib/apt/lists'],
  'etc/systemd/system/timers.target.wants',
];

/**
 * Returns a directory of the cache with Debian's root file system (`root.ext4`), its kernel (`vmlinuz`), and what an initial RAM disk
 * needs of it: `busybox`, and `modules/`, with the order to load them in `modules/order`. Making it takes some minutes, needs root, and
 * downloads packages.
 */
export async function rootImage(say: (line: string) => void, signal: AbortSignal): Promise<string> {
  const key = cacheKey(release, packages.join(), modulesOfDisk.join(), unneeded.join());
  return await cached('root', key, async (directory) => {
    say(`Making an image of Debian ${release}. This takes some minutes.`);
    const root = join(directory, 'root');
    const bootstrap = ['debootstrap', '--variant=minbase', `--include=${packages.join()}`, release, root, mirror];
    // A mount namespace of its own: whatever debootstrap mounts goes with it, also when it is interrupted.
    await command('unshare', ['--mount', '--propagation', 'private', 'nice', ...bootstrap], signal);
    for (const path of unneeded) await rm(join(root, path), { recursive: true, force: true });
    await copyFile(join(root, 'bin/busybox'), join(directory, 'busybox'));
    await takeKernel(root, directory);
    await makeDiskImage({ from: root, to: join(directory, 'root.ext4'), spareMiB: 1024 }, signal);
    await rm(root, { recursive: true });
  });
}

async function takeKernel(root: string, directory: string): Promise<void> {
  const kernel = (await readdir(join(root, 'boot'))).find((name) => name.startsWith('vmlinuz-'));
  if (!kernel) throw new Error('the image has no kernel');
  await copyFile(join(root, 'boot', kernel), join(directory, 'vmlinuz'));
  const all = join(root, 'lib/modules', kernel.replace('vmlinuz-', ''));
  const modules = await kernelModules(all, modulesOfDisk);
  await mkdir(join(directory, 'modules'));
  for (const { name, path } of modules) await copyFile(path, join(directory, 'modules', `${name}.ko`));
  await writeFile(join(directory, 'modules/order'), modules.map(({ name }) => `${name}\n`).join(''));
  await rm(join(root, 'boot'), { recursive: true });
}
