/** What a guest can be asked to do. */
export interface Suite {
  readonly name: string;
  /** What it shows, for `--help`. */
  readonly about: string;
  /** A command line for bash, in the repository's directory. */
  readonly command: string;
}

/** Test files by vitest, on the sources, one after the other, with titles of all tests. */
const vitest = (...paths: readonly string[]): string =>
  `node node_modules/vitest/vitest.mjs run --no-file-parallelism --reporter=verbose ${paths.join(' ')}`;

/** Tests of nodes and their containers, with one of the drivers of cgroups. */
const withDriver = (driver: 'cgroupfs' | 'systemd', ...paths: readonly string[]): string =>
  `COXSWAIN_CGROUP_DRIVER=${driver} ${vitest(...paths)}`;

const node = ['packages/kubelet/test/real-node.test.ts', 'packages/kubelet/test/real-limits.test.ts'];

export const suites: readonly Suite[] = [
  {
    name: 'kernel',
    about: 'which features of the kernel later tests may use: IPVS, br_netfilter, dummy interfaces, IPv6 and others',
    command: 'bash test/guest/inside/kernel-features',
  },
  {
    name: 'linux',
    about: 'the package linux: cgroup v2 by both drivers, mounts, safe paths',
    command: vitest('packages/linux'),
  },
  {
    name: 'node-cgroupfs',
    about: 'a kubelet with containerd on cgroup v2, both with the driver cgroupfs',
    command: withDriver('cgroupfs', ...node),
  },
  {
    name: 'node-systemd',
    about: 'the same with the driver systemd',
    command: withDriver('systemd', ...node),
  },
  {
    name: 'apparmor',
    about: 'pods with AppArmor profiles',
    command: vitest('packages/kubelet/test/real-app-armor.test.ts'),
  },
];
