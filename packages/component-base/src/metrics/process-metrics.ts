import { readdirSync, readFileSync } from 'node:fs';
import { type Collectable, CounterFamily, GaugeFamily } from './family.ts';

/** Operating system metrics of the process, under the names that all Prometheus client libraries use. */
export class ProcessMetrics {
  readonly #cpu = new CounterFamily({
    name: 'process_cpu_seconds_total',
    help: 'Processor time that the process has used, in seconds.',
  });
  readonly #gauges = new Map<string, GaugeFamily>();
  readonly #startTimeSeconds: number;

  /** `startTimeSeconds` since 1970. */
  constructor(startTimeSeconds: number) {
    this.#startTimeSeconds = startTimeSeconds;
  }

  /** Returns the current values. Metrics that the platform does not provide are omitted. */
  collect(): Collectable[] {
    const { user, system } = process.cpuUsage();
    this.#cpu.with().value = (user + system) / 1e6;
    this.#set(
      'process_resident_memory_bytes',
      'Memory of the process that is in use, in bytes.',
      process.memoryUsage.rss(),
    );
    this.#set('process_start_time_seconds', 'When the process started, in seconds since 1970.', this.#startTimeSeconds);
    this.#set(
      'nodejs_heap_size_used_bytes',
      'Part of the heap that is used, in bytes.',
      process.memoryUsage().heapUsed,
    );
    this.#setFromProc();
    return [this.#cpu, ...this.#gauges.values()];
  }

  /** These metrics exist only on Linux. */
  #setFromProc(): void {
    const limits = readIfThere('/proc/self/limits');
    const virtualKiB = Number(/^VmSize:\s+(\d+) kB/m.exec(readIfThere('/proc/self/status') ?? '')?.[1]);
    const maxFds = Number(/^Max open files +(\d+)/m.exec(limits ?? '')?.[1]);
    const openFds = countIfThere('/proc/self/fd');
    if (Number.isFinite(virtualKiB)) {
      this.#set('process_virtual_memory_bytes', 'Address space of the process, in bytes.', virtualKiB * 1024);
    }
    if (Number.isFinite(maxFds)) this.#set('process_max_fds', 'How many files may be open at once.', maxFds);
    if (openFds !== undefined) this.#set('process_open_fds', 'How many files are open.', openFds);
  }

  #set(name: string, help: string, value: number): void {
    let family = this.#gauges.get(name);
    if (!family) {
      family = new GaugeFamily({ name, help });
      this.#gauges.set(name, family);
    }
    family.with().set(value);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function countIfThere(path: string): number | undefined {
  try {
    return readdirSync(path).length;
  } catch {
    return undefined;
  }
}
