import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { machineFacts } from './machine-facts.ts';
import { memoryInfo } from './memory-info.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(os.tmpdir(), 'coxswain-machine-'));
  await file(
    'proc/meminfo',
    'MemTotal:       1000 kB\nMemFree:  400 kB\nMemAvailable:  700 kB\nSwapTotal: 20 kB\nSwapFree: 10 kB\n',
  );
  await file('sys/devices/system/cpu/online', '0-3,8,10-11\n');
});
afterEach(() => rm(root, { recursive: true }));

async function file(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}
const facts = () => machineFacts({ procRoot: join(root, 'proc'), sysRoot: join(root, 'sys'), fileSystemRoot: root });

describe('facts about the machine', () => {
  it('are read from the files of the system', async () => {
    await file('etc/machine-id', '0123456789abcdef\n');
    await file('sys/class/dmi/id/product_uuid', 'UUID-1\n');
    await file('proc/sys/kernel/random/boot_id', 'boot-1\n');
    await file('proc/sys/kernel/osrelease', '6.1.0-test\n');
    await file('etc/os-release', 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n');
    await file('sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages', '1\n');
    await file('sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages', '512\n');
    expect(await facts()).toEqual({
      machineId: '0123456789abcdef',
      systemUuid: 'UUID-1',
      bootId: 'boot-1',
      kernelVersion: '6.1.0-test',
      osImage: 'Debian GNU/Linux 12 (bookworm)',
      cpus: 7,
      memoryBytes: 1000 * 1024,
      swapBytes: 20 * 1024,
      hugePages: [
        { sizeBytes: 2 ** 21, count: 512 },
        { sizeBytes: 2 ** 30, count: 1 },
      ],
    });
  });

  it('come from other files where the first are missing or empty', async () => {
    await file('etc/machine-id', '\n');
    await file('var/lib/dbus/machine-id', 'of-dbus\n');
    await file('proc/device-tree/vm,uuid', 'power-uuid\0');
    await file('usr/lib/os-release', "PRETTY_NAME='Flatcar'\n");
    await rm(join(root, 'sys/devices'), { recursive: true });
    await file('proc/cpuinfo', 'processor\t: 0\nmodel: x\n\nprocessor\t: 1\n');
    expect(await facts()).toMatchObject({
      machineId: 'of-dbus',
      systemUuid: 'power-uuid',
      osImage: 'Flatcar',
      cpus: 2,
      bootId: '',
      hugePages: [],
    });
  });

  it('reject without the size of the memory or the number of CPUs', async () => {
    await file('proc/meminfo', 'Nothing: 1 kB\n');
    await expect(facts()).rejects.toThrow('has no MemTotal');
    await file('proc/meminfo', 'MemTotal: 1 kB\n');
    await rm(join(root, 'sys'), { recursive: true });
    await expect(facts()).rejects.toThrow('cannot find out how many CPUs');
  });

  it.skipIf(process.platform !== 'linux')('of this machine are those that Node knows', async () => {
    const { cpus, kernelVersion, memoryBytes } = await machineFacts();
    expect({ cpus, kernelVersion, memoryBytes }).toEqual({
      cpus: os.cpus().length,
      kernelVersion: os.release(),
      memoryBytes: os.totalmem(),
    });
  });
});

it('memory in use is read with what is available', async () => {
  expect(await memoryInfo(join(root, 'proc'))).toEqual({
    totalBytes: 1_024_000,
    freeBytes: 409_600,
    availableBytes: 716_800,
    swapTotalBytes: 20_480,
    swapFreeBytes: 10_240,
  });
});
