import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HugePages, hugePages } from './huge-pages.ts';
import { memoryInfo } from './memory-info.ts';

/** What a node says of its machine. Facts that the machine does not tell are empty. */
export interface MachineFacts {
  /** Stays the same until the system is installed anew. */
  readonly machineId: string;
  /** Of the hardware or the virtual machine. */
  readonly systemUuid: string;
  /** Changes with every boot. */
  readonly bootId: string;
  readonly kernelVersion: string;
  /** Name and version of the distribution. */
  readonly osImage: string;
  /** That are online. */
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly hugePages: readonly HugePages[];
}

export interface MachineRoots {
  readonly procRoot?: string;
  readonly sysRoot?: string;
  /** The root of the file system, for `/etc` and `/var`. */
  readonly fileSystemRoot?: string;
}

/** Reads the facts. Rejects if the number of CPUs or the size of the memory cannot be read. */
export async function machineFacts(roots: MachineRoots = {}): Promise<MachineFacts> {
  const { procRoot = '/proc', sysRoot = '/sys', fileSystemRoot = '/' } = roots;
  const machineIds = [join(fileSystemRoot, 'etc/machine-id'), join(fileSystemRoot, 'var/lib/dbus/machine-id')];
  const deviceTree = join(procRoot, 'device-tree');
  const memory = await memoryInfo(procRoot);
  return {
    machineId: await firstOf(machineIds),
    // Only PCs have the first; POWER machines have the next two.
    systemUuid: await firstOf([
      join(sysRoot, 'class/dmi/id/product_uuid'),
      join(deviceTree, 'system-id'),
      join(deviceTree, 'vm,uuid'),
      join(fileSystemRoot, 'etc/machine-id'),
    ]),
    bootId: await firstOf([join(procRoot, 'sys/kernel/random/boot_id')]),
    kernelVersion: await firstOf([join(procRoot, 'sys/kernel/osrelease')]),
    osImage: await osImage(fileSystemRoot),
    cpus: await onlineCpus(procRoot, sysRoot),
    memoryBytes: memory.totalBytes,
    swapBytes: memory.swapTotalBytes,
    hugePages: await hugePages(sysRoot),
  };
}

/** Content of the first file that has any; empty without one. Files of a device tree end with NUL. */
async function firstOf(paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => '');
    const content = text.replaceAll('\0', '').trim();
    if (content !== '') return content;
  }
  return '';
}

async function osImage(fileSystemRoot: string): Promise<string> {
  const text = await firstOf([join(fileSystemRoot, 'etc/os-release'), join(fileSystemRoot, 'usr/lib/os-release')]);
  const value = /^PRETTY_NAME=(.*)$/m.exec(text)?.[1]?.trim() ?? '';
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? (value || 'Linux');
}

async function onlineCpus(procRoot: string, sysRoot: string): Promise<number> {
  const ranges = await firstOf([join(sysRoot, 'devices/system/cpu/online')]);
  if (/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(ranges)) {
    return ranges.split(',').reduce((sum, range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return sum + last - first + 1;
    }, 0);
  }
  const processors = (await firstOf([join(procRoot, 'cpuinfo')])).match(/^processor\s*:/gm)?.length;
  if (!processors) throw new Error('cannot find out how many CPUs the machine has');
  return processors;
}
