import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cgroupMounts, createCgroup } from './cgroups.ts';
import { changesFile, findRemains, mountsBelow, planTakeDown, type Remains, takeDown } from './take-down.ts';
import type { Names } from './topology.ts';

const run = promisify(execFile);

const nothing: Remains = { cgroups: [], processes: [], netns: [], links: [], mounts: [], hasState: false };

describe('the plan of taking nodes down', () => {
  it('is empty when there are none', () => {
    expect(planTakeDown(nothing)).toEqual([]);
  });

  it('ends processes before it takes away what they use, and unmounts before it deletes', () => {
    const remains: Remains = {
      cgroups: ['/sys/fs/cgroup/cpu/coxn-node1', '/sys/fs/cgroup/pids/coxn-node1'],
      processes: [12, 34],
      netns: ['coxn-node1'],
      links: ['coxn-v1', 'coxn-br0'],
      mounts: ['/var/lib/coxswain-nodes/node1/a'],
      hasState: true,
    };
    expect(planTakeDown(remains)).toEqual([
      { kind: 'kill' },
      { kind: 'run', command: ['ip', 'netns', 'delete', 'coxn-node1'] },
      { kind: 'run', command: ['ip', 'link', 'delete', 'coxn-v1'] },
      { kind: 'run', command: ['ip', 'link', 'delete', 'coxn-br0'] },
      { kind: 'remove-cgroup', path: '/sys/fs/cgroup/cpu/coxn-node1' },
      { kind: 'remove-cgroup', path: '/sys/fs/cgroup/pids/coxn-node1' },
      { kind: 'run', command: ['umount', '--lazy', '/var/lib/coxswain-nodes/node1/a'] },
      { kind: 'restore' },
      { kind: 'remove-state' },
    ]);
  });
});

it('finds mounts on and below a directory, the innermost first, and none beside it', () => {
  const mountinfo = ['/', '/state', '/state/a\\040b', '/state/a\\040b/c', '/state-of-others']
    .map((path, index) => `${index} 1 0:1 / ${path} rw - tmpfs tmpfs rw`)
    .join('\n');
  expect(mountsBelow(mountinfo, '/state')).toEqual(['/state/a b/c', '/state/a b', '/state']);
});

const problem =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'it needs root on Linux'
    : await run('ip', ['netns', 'list']).then(
        () => undefined,
        () => 'it needs iproute2',
      );
if (problem) console.warn(`taking nodes down is not tried for real: ${problem}`);

describe.skipIf(problem)('what is left of nodes that crashed', () => {
  let folder: string;
  let names: Names;
  let daemon: ChildProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'take-down-'));
    names = { prefix: `cxt${process.pid % 10_000}-`, state: join(folder, 'state') };
  });
  afterEach(async () => {
    daemon?.kill('SIGKILL');
    await takeDown(names);
    await rm(folder, { recursive: true, force: true });
  });

  it('is found by its names and taken away, and the machine is as before', async () => {
    const { prefix, state } = names;
    await mkdir(join(state, 'node1', 'mounted'), { recursive: true });
    await writeFile(join(state, changesFile), JSON.stringify({ sysctls: {} }));
    await run('mount', ['-t', 'tmpfs', 'tmpfs', join(state, 'node1', 'mounted')]);
    await run('ip', ['link', 'add', `${prefix}br0`, 'type', 'bridge']);
    await run('ip', ['netns', 'add', `${prefix}node1`]);
    await run('ip', ['link', 'add', `${prefix}v1`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `${prefix}node1`]);
    const procs = await createCgroup(await cgroupMounts(), `/${prefix}node1`);
    daemon = spawn('sh', ['-c', 'echo $$ > "$0"; echo started; exec sleep 600', procs], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(daemon, 'exit');
    await once(daemon.stdout!, 'data');

    const found = await findRemains(names);
    expect(found.processes).toEqual([daemon.pid]);
    expect(found.links).toEqual([`${prefix}v1`, `${prefix}br0`]);
    expect(found).toMatchObject({ netns: [`${prefix}node1`], hasState: true });
    expect(found.mounts).toEqual([join(state, 'node1', 'mounted')]);

    await takeDown(names);
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await findRemains(names)).toEqual(nothing);
    expect(await readdir(folder)).toEqual([]);
  });
});
