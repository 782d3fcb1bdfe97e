import { expect, it } from 'vitest';
import { readCgroupMounts } from './cgroups.ts';

const line = (path: string, type: string, options: string) =>
  `30 24 0:26 / ${path} rw,relatime shared:9 - ${type} cgroup rw,${options}`;
const root = '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard';

it('uses all hierarchies of version 1, also beside version 2, and finds processes by that of pids', () => {
  const mountinfo = [
    root,
    line('/sys/fs/cgroup/cpu', 'cgroup', 'cpu'),
    line('/sys/fs/cgroup/pids', 'cgroup', 'pids'),
    line('/sys/fs/cgroup/systemd', 'cgroup', 'name=systemd'),
    line('/sys/fs/cgroup/unified', 'cgroup2', 'nsdelegate'),
  ].join('\n');
  expect(readCgroupMounts(mountinfo)).toEqual({
    all: ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/pids', '/sys/fs/cgroup/systemd', '/sys/fs/cgroup/unified'],
    ofProcesses: '/sys/fs/cgroup/pids',
  });
});

it('uses version 2 where it has the controllers', () => {
  const mountinfo = [root, line('/sys/fs/cgroup', 'cgroup2', 'nsdelegate')].join('\n');
  expect(readCgroupMounts(mountinfo)).toEqual({ all: ['/sys/fs/cgroup'], ofProcesses: '/sys/fs/cgroup' });
});

it('refuses a machine without cgroups', () => {
  expect(() => readCgroupMounts(`${root}\n`)).toThrow('no cgroups are mounted');
});
