import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { fileSystemUsage, type MachineFacts, machineFacts } from '@coxswain/linux';
import { type HostNetwork, hostNetwork } from '../node/host-network.ts';

/** The machine that a kubelet is started on. */
export interface KubeletHostMachine {
  /** Name of the machine. */
  hostname(): string;
  /** The user that the process runs as; undefined where there are none. */
  userId(): number | undefined;
  isCgroupV2(): Promise<boolean>;
  isSwapOn(): Promise<boolean>;
  facts(): Promise<MachineFacts>;
  /** Size of the file system of a directory, which is made if it does not exist. */
  storageBytes(directory: string): Promise<number>;
  /** Sets the out-of-memory score of this process. */
  setOOMScore(score: number): Promise<void>;
  readonly network: HostNetwork;
}

/** This machine. */
export const thisMachine: KubeletHostMachine = {
  hostname,
  userId: () => process.getuid?.(),
  isCgroupV2: () =>
    access('/sys/fs/cgroup/cgroup.controllers').then(
      () => true,
      () => false,
    ),
  async isSwapOn() {
    const swaps = await readFile('/proc/swaps', 'utf8').catch(() => '');
    // The first line is a heading.
    return swaps.trim().split('\n').length > 1;
  },
  facts: () => machineFacts(),
  async storageBytes(directory) {
    await mkdir(directory, { recursive: true, mode: 0o750 });
    return (await fileSystemUsage(directory)).capacityBytes;
  },
  setOOMScore: (score) => writeFile('/proc/self/oom_score_adj', String(score)),
  network: hostNetwork(),
};
