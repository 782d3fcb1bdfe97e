import type { CgroupLimits, CgroupManager, CgroupResources, CgroupStats } from './cgroup-manager.ts';
import { type CgroupName, sliceOf } from './cgroup-name.ts';
import { sliceProperties, type UnitProperty } from './slice-properties.ts';

/** Slices of systemd, which must be told of cgroups that it is not to remove or reset. */
export interface SliceUnits {
  /** systemd's version, such as 252. */
  version(): Promise<number>;
  /** Starts a slice, which makes its cgroup; does nothing if it has been started. */
  startSlice(unit: string, properties: readonly UnitProperty[], signal?: AbortSignal): Promise<void>;
  /** Changes limits until the next boot. */
  setProperties(unit: string, properties: readonly UnitProperty[]): Promise<void>;
  /** Does nothing if there is no such unit. */
  stopUnit(unit: string, signal?: AbortSignal): Promise<void>;
}

/** The systemd driver: slices for cgroups. Limits are set in both places, because systemd does not know all of them and rounds some. */
export class SystemdCgroupManager implements CgroupManager {
  readonly driver = 'systemd';
  readonly #files: CgroupManager;
  readonly #systemd: SliceUnits;

  /** The first one reads and writes the files of the same cgroups. */
  constructor(files: CgroupManager, systemd: SliceUnits) {
    this.#files = files;
    this.#systemd = systemd;
  }

  get version(): 1 | 2 {
    return this.#files.version;
  }

  path(name: CgroupName): string {
    return this.#files.path(name);
  }

  name(path: string): CgroupName {
    return this.#files.name(path);
  }

  exists(name: CgroupName): Promise<boolean> {
    return this.#files.exists(name);
  }

  async create(name: CgroupName, resources: CgroupResources, signal?: AbortSignal): Promise<void> {
    const { unit, parent } = sliceOf(name);
    const io = this.version === 1 ? 'BlockIOAccounting' : 'IOAccounting';
    const accounting = ['MemoryAccounting', 'CPUAccounting', io, 'TasksAccounting'].map(
      (property): UnitProperty => [property, { signature: 'b', value: true }],
    );
    const properties: UnitProperty[] = [
      ['Description', { signature: 's', value: `libcontainer container ${unit}` }],
      // systemd finds the parent by the name; this keeps it started.
      ['Wants', { signature: 'as', value: [parent] }],
      ...accounting,
      ['DefaultDependencies', { signature: 'b', value: false }],
    ];
    await this.#systemd.startSlice(unit, properties, signal);
    // Controllers that systemd does not know, such as hugetlb, have no cgroup yet.
    await this.#files.create(name, {}, signal);
    await this.update(name, resources, signal);
  }

  async update(name: CgroupName, resources: CgroupResources, signal?: AbortSignal): Promise<void> {
    const systemdVersion = await this.#systemd.version();
    const { properties, cpuQuota } = sliceProperties(resources, { cgroupVersion: this.version, systemdVersion });
    if (properties.length > 0) await this.#systemd.setProperties(sliceOf(name).unit, properties);
    await this.#files.update(name, cpuQuota === undefined ? resources : { ...resources, cpuQuota }, signal);
  }

  async destroy(name: CgroupName, signal?: AbortSignal): Promise<void> {
    // systemd waits for the processes of a slice, so they are killed first.
    await this.#files.destroy(name, signal);
    await this.#systemd.stopUnit(sliceOf(name).unit, signal);
    // Stopping may have made it again.
    await this.#files.destroy(name, signal);
  }

  pids(name: CgroupName): Promise<number[]> {
    return this.#files.pids(name);
  }

  children(name: CgroupName): Promise<CgroupName[]> {
    return this.#files.children(name);
  }

  resources(name: CgroupName): Promise<CgroupLimits> {
    return this.#files.resources(name);
  }

  stats(path: string): Promise<CgroupStats> {
    return this.#files.stats(path);
  }
}
