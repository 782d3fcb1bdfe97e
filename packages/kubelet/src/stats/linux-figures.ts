import { readFile } from 'node:fs/promises';
import { diskUsage, type FileSystemUsage, fileSystemUsage, machineFacts } from '@coxswain/linux';
import { unlessNoEntry } from '../files/no-entry.ts';
import type { MachineFigures, MachineHardware, MachineUsage } from './machine-figures.ts';
import type { InterfaceStats, PressureData, PressureStats } from './summary.ts';

/** CPU time is counted in hundredths of a second, on all architectures. */
const tickNs = 10_000_000;

/** Reads a Linux machine's figures from `/proc`. */
export class LinuxFigures implements MachineFigures {
  readonly #procRoot: string;
  #hardware: Promise<MachineHardware> | undefined;

  constructor(procRoot = '/proc') {
    this.#procRoot = procRoot;
  }

  async usage(): Promise<MachineUsage> {
    const [stat, memory, faults, network, routes, load, threads, pids, ...pressure] = await Promise.all([
      this.#read('stat'),
      this.#read('meminfo'),
      this.#read('vmstat'),
      this.#read('net/dev'),
      this.#read('net/route'),
      this.#read('loadavg'),
      this.#read('sys/kernel/threads-max'),
      this.#read('sys/kernel/pid_max'),
      ...(['cpu', 'memory', 'io'] as const).map((name) => this.#read(`pressure/${name}`)),
    ]);
    const [cpu, memoryPressure, io] = pressure.map(readPressure);
    return {
      cpuUsageNs: cpuUsageNs(stat),
      ...memoryUsage(memory, faults),
      interfaces: readInterfaces(network),
      // The destination of the default route is 0.
      defaultInterface: /^(\S+)\t00000000\t/m.exec(routes)?.[1],
      processes: {
        limit: Math.min(...[threads, pids].map(Number).filter((limit) => limit > 0)),
        running: Number(/^\S+ \S+ \S+ \d+\/(\d+)/.exec(load)?.[1] ?? 0),
      },
      pressure: { cpu, memory: memoryPressure, io },
      bootTimeMs: Number(/^btime (\d+)/m.exec(stat)?.[1] ?? 0) * 1000,
    };
  }

  async fileSystem(path: string): Promise<FileSystemUsage | undefined> {
    return await unlessNoEntry(fileSystemUsage(path));
  }

  async directory(path: string): Promise<{ readonly bytes: number; readonly inodes: number } | undefined> {
    return await unlessNoEntry(diskUsage(path));
  }

  async hardware(): Promise<MachineHardware> {
    this.#hardware ??= machineFacts({ procRoot: this.#procRoot });
    return await this.#hardware;
  }

  /** Empty if the kernel has no such file. */
  async #read(name: string): Promise<string> {
    return await readFile(`${this.#procRoot}/${name}`, 'utf8').catch(() => '');
  }
}

function cpuUsageNs(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? '')
    .split(' ')
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * tickNs;
}

function memoryUsage(meminfo: string, vmstat: string): Pick<MachineUsage, 'memory' | 'swap'> {
  const bytes = (name: string): number => {
    const [, value = '0'] = new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(meminfo) ?? [];
    return Number(value) * 1024;
  };
  const count = (name: string): number => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(vmstat)?.[1] ?? 0);
  const total = bytes('MemTotal');
  const usageBytes = total - bytes('MemFree');
  // Files that were not used lately are given back when memory is short.
  const workingSetBytes = Math.max(0, usageBytes - bytes('Inactive\\(file\\)'));
  return {
    memory: {
      availableBytes: total - workingSetBytes,
      usageBytes,
      workingSetBytes,
      rssBytes: bytes('AnonPages'),
      pageFaults: count('pgfault'),
      majorPageFaults: count('pgmajfault'),
    },
    swap: { usageBytes: bytes('SwapTotal') - bytes('SwapFree'), availableBytes: bytes('SwapFree') },
  };
}

/** All interfaces that carry traffic of the node itself: not the loopback, and not those of pods. */
function readInterfaces(text: string): InterfaceStats[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', values = ''] = /^ *([^:\s]+): *(.*)$/.exec(line) ?? [];
    if (name === '' || /^(lo|veth|docker|nerdctl)/.test(name)) return [];
    const [rxBytes = 0, , rxErrors = 0, , , , , , txBytes = 0, , txErrors = 0] = values.split(/ +/).map(Number);
    return [{ name, rxBytes, rxErrors, txBytes, txErrors }];
  });
}

const noPressure: PressureData = { total: 0, avg10: 0, avg60: 0, avg300: 0 };

function readPressure(text: string): PressureStats | undefined {
  if (text === '') return undefined;
  const read = (kind: string): PressureData => {
    const line = new RegExp(`^${kind} avg10=(\\S+) avg60=(\\S+) avg300=(\\S+) total=(\\d+)`, 'm').exec(text);
    if (!line) return noPressure;
    const [avg10 = 0, avg60 = 0, avg300 = 0, total = 0] = line.slice(1).map(Number);
    return { total, avg10, avg60, avg300 };
  };
  return { full: read('full'), some: read('some') };
}
