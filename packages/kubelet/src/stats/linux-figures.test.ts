import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LinuxFigures } from './linux-figures.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cox-proc-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function have(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

it('reads what a machine uses', async () => {
  await have({
    stat: 'cpu  100 20 30 4000 50 6 7 8 90 0\ncpu0 1 2 3\nbtime 1767225600\n',
    meminfo:
      'MemTotal: 1000 kB\nMemFree: 300 kB\nInactive(file): 200 kB\nAnonPages: 150 kB\nSwapTotal: 100 kB\nSwapFree: 60 kB\n',
    vmstat: 'pgfault 12\npgmajfault 3\n',
    'net/dev': [
      'Inter-|   Receive  |  Transmit',
      ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
      '    lo: 1 1 1 0 0 0 0 0 1 1 1 0 0 0 0 0',
      '  eth0: 1000 10 2 0 0 0 0 0 500 5 1 0 0 0 0 0',
      'veth12: 7 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0',
    ].join('\n'),
    'net/route': 'Iface\tDestination\tGateway\neth0\t0000FEA9\t00000000\neth0\t00000000\t0100A8C0\n',
    loadavg: '0.1 0.2 0.3 2/345 6789\n',
    'sys/kernel/threads-max': '5000\n',
    'sys/kernel/pid_max': '4000\n',
    'pressure/cpu': 'some avg10=1.50 avg60=0.20 avg300=0.00 total=77\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n',
  });
  expect(await new LinuxFigures(root).usage()).toEqual({
    cpuUsageNs: 171 * 10_000_000,
    memory: {
      availableBytes: 500 * 1024,
      usageBytes: 700 * 1024,
      workingSetBytes: 500 * 1024,
      rssBytes: 150 * 1024,
      pageFaults: 12,
      majorPageFaults: 3,
    },
    swap: { usageBytes: 40 * 1024, availableBytes: 60 * 1024 },
    interfaces: [{ name: 'eth0', rxBytes: 1000, rxErrors: 2, txBytes: 500, txErrors: 1 }],
    defaultInterface: 'eth0',
    processes: { limit: 4000, running: 345 },
    pressure: {
      cpu: {
        some: { total: 77, avg10: 1.5, avg60: 0.2, avg300: 0 },
        full: { total: 5, avg10: 0, avg60: 0, avg300: 0 },
      },
      memory: undefined,
      io: undefined,
    },
    bootTimeMs: 1_767_225_600_000,
  });
});

it('has no file systems and directories that are not there', async () => {
  const figures = new LinuxFigures(root);
  expect(await figures.fileSystem(join(root, 'none'))).toBeUndefined();
  expect(await figures.directory(join(root, 'none'))).toBeUndefined();
  await have({ 'logs/0.log': 'x'.repeat(10_000) });
  expect(await figures.directory(join(root, 'logs'))).toMatchObject({ inodes: 2 });
  expect((await figures.fileSystem(root))?.capacityBytes).toBeGreaterThan(0);
});
