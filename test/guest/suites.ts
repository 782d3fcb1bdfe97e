/** What a guest can be asked to do. */
export interface Suite {
  readonly name: string;
  /** What it shows, for `--help`. */
  readonly about: string;
  /** Test files and directories of them. */
  readonly tests?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A command line for bash in place of tests, in the repository's directory. */
  readonly command?: string;
}

const node = ['packages/kubelet/test/real-node.test.ts', 'packages/kubelet/test/real-limits.test.ts'];

export const suites: readonly Suite[] = [
  {
    name: 'kernel',
    about: 'which features of the kernel later tests may use: IPVS, br_netfilter, dummy interfaces, IPv6 and others',
    command: 'bash test/guest/inside/kernel-features',
  },
  {
    name: 'cgroups',
    about: 'cgroup v2 by both drivers',
    tests: ['packages/linux/src/cgroups'],
  },
  {
    name: 'linux',
    about: 'the rest of the package linux: mounts, safe paths, facts about the machine',
    tests: ['commands', 'files', 'machine', 'mounts', 'sub-path'].map((folder) => `packages/linux/src/${folder}`),
  },
  {
    name: 'node-cgroupfs',
    about: 'a kubelet with containerd on cgroup v2, both with the driver cgroupfs',
    tests: node,
    environment: { COXSWAIN_CGROUP_DRIVER: 'cgroupfs' },
  },
  {
    name: 'node-systemd',
    about: 'the same with the driver systemd',
    tests: node,
    environment: { COXSWAIN_CGROUP_DRIVER: 'systemd' },
  },
  {
    name: 'apparmor',
    about: 'pods with AppArmor profiles',
    tests: ['packages/kubelet/test/real-app-armor.test.ts'],
  },
];
