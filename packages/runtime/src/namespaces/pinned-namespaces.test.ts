import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HelperCommands } from '@coxswain/linux';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PinnedNamespaces } from './pinned-namespaces.ts';
import { sysctlPath } from './sysctl-path.ts';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

describe('sysctlPath', () => {
  it.each([
    ['net.core.somaxconn', 'net/core/somaxconn'],
    ['net/ipv4/conf/eth0.1/mtu', 'net/ipv4/conf/eth0.1/mtu'],
    ['net.ipv4.conf.eth0/1.mtu', 'net/ipv4/conf/eth0.1/mtu'],
    ['kernel.shm_rmid_forced', 'kernel/shm_rmid_forced'],
    ['fs.mqueue.msg_max', 'fs/mqueue/msg_max'],
  ])('knows the file of %s', (name, path) => {
    expect(sysctlPath(name)).toBe(path);
  });

  it.each(['net.../etc/passwd', 'net/../kernel/panic', 'net..core', '', 'net.core.a\0b'])('refuses %j', (name) => {
    expect(() => sysctlPath(name)).toThrow();
  });

  it('refuses what would change the node', () => {
    expect(() => sysctlPath('kernel.panic')).toThrow('is not in a separate kernel namespace');
    expect(() => sysctlPath('net.core.somaxconn', ['ipc'])).toThrow('not allowed without a net namespace');
  });
});

describe.skipIf(!isRoot)('PinnedNamespaces (needs root)', () => {
  const commands = new HelperCommands();
  let directory: string;
  let namespaces: PinnedNamespaces;

  const inside = (paths: object, script: string): string => {
    const enter = Object.entries(paths).map(([type, path]) => `--${type}=${path}`);
    return execFileSync('nsenter', [...enter, '--', 'sh', '-c', script], { encoding: 'utf8' });
  };
  const mounts = (): number => readFileSync('/proc/self/mountinfo', 'utf8').split(directory).length - 1;

  beforeAll(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'coxswain-namespaces-')), 'pinned');
  });
  beforeEach(() => {
    namespaces = new PinnedNamespaces({ directory, commands });
  });
  afterEach(async () => {
    await namespaces.removeAll();
    expect(mounts()).toBe(0);
    expect(existsSync(directory)).toBe(false);
  });
  afterAll(() => {
    commands.close();
    rmSync(join(directory, '..'), { recursive: true });
  });

  it('makes namespaces with a loopback interface, names and settings, and nothing changes on the node', async () => {
    const before = readFileSync('/proc/sys/kernel/shmmax', 'utf8');
    const paths = await namespaces.make({
      id: 'a',
      types: ['net', 'ipc', 'uts'],
      hostname: "it's",
      domainname: 'example.org',
      sysctls: { 'net.core.somaxconn': '77', 'kernel.shmmax': '4096', 'fs.mqueue.msg_max': '11' },
    });
    expect(Object.keys(paths).sort()).toEqual(['ipc', 'net', 'uts']);
    const script =
      'hostname; ip -o -4 address show up; cd /proc/sys; cat kernel/domainname kernel/shmmax fs/mqueue/msg_max net/core/somaxconn';
    const output = inside(paths, script);
    expect(output).toMatch(/^it's\n1: lo +inet 127\.0\.0\.1\/8 .*\nexample.org\n4096\n11\n77\n$/);
    expect(readFileSync('/proc/sys/kernel/shmmax', 'utf8')).toBe(before);
  });

  it('makes only what is asked for', async () => {
    const paths = await namespaces.make({ id: 'a', types: ['ipc'] });
    expect(paths).toEqual({ ipc: join(directory, 'a', 'ipc') });
    await expect(namespaces.make({ id: 'b', types: ['ipc'], hostname: 'b' })).rejects.toThrow('needs a uts namespace');
    await expect(namespaces.make({ id: '../b', types: ['ipc'] })).rejects.toThrow('invalid sandbox id');
  });

  it('finds and removes what another process has made', async () => {
    const paths = await namespaces.make({ id: 'a', types: ['net', 'uts'] });
    const later = new PinnedNamespaces({ directory, commands });
    expect(await later.list()).toEqual(['a']);
    expect(await later.find('a')).toEqual(paths);
    await later.remove('a');
    await later.remove('a');
    expect(await later.list()).toEqual([]);
    expect(mounts()).toBe(0);
  });

  it('finds a call that was interrupted, and makes the namespaces anew', async () => {
    mkdirSync(join(directory, 'a'), { recursive: true });
    writeFileSync(join(directory, 'a', 'net'), '');
    writeFileSync(join(directory, 'a', 'uts'), '');
    for (let i = 0; i < 2; i++) execFileSync('unshare', [`--net=${join(directory, 'a', 'net')}`, 'true']);
    expect(await namespaces.list()).toEqual(['a']);
    expect(await namespaces.find('a')).toEqual({ net: join(directory, 'a', 'net') });
    const paths = await namespaces.make({ id: 'a', types: ['net'] });
    expect(inside(paths, 'ip -o link show up')).toContain('lo:');
    expect(mounts()).toBe(1);
  });

  it('leaves nothing when it fails or is aborted', async () => {
    const sysctls = { 'net.core.no_such_setting': '1' };
    await expect(namespaces.make({ id: 'a', types: ['net'], sysctls })).rejects.toThrow('no_such_setting');
    expect(await namespaces.list()).toEqual([]);
    const abort = new AbortController();
    const making = namespaces.make({ id: 'a', types: ['net', 'ipc', 'uts'] }, abort.signal);
    abort.abort(new Error('enough'));
    await expect(making).rejects.toThrow('enough');
    expect(await namespaces.list()).toEqual([]);
  });

  it('makes namespaces that belong to a user namespace', async () => {
    const mapping = [{ containerID: 0, hostID: 100_000, length: 65_536 }];
    const paths = await namespaces.make({
      id: 'a',
      types: ['net', 'ipc', 'uts'],
      user: { uidMappings: mapping, gidMappings: mapping },
      hostname: 'u',
      sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0', 'kernel.shmmax': '4096' },
    });
    await namespaces.setSysctls('a', { 'net.ipv4.conf.lo.forwarding': '1', 'kernel.shmmax': '8192' });
    const files =
      '/proc/self/uid_map /proc/self/gid_map /proc/sys/kernel/shmmax /proc/sys/net/ipv4/ip_unprivileged_port_start';
    const output = inside(paths, `hostname; cat ${files} /proc/sys/net/ipv4/conf/lo/forwarding; ip link set lo down`);
    expect(output.split(/\s+/)).toEqual(['u', '0', '100000', '65536', '0', '100000', '65536', '8192', '0', '1', '']);
    await namespaces.remove('a');
    expect(mounts()).toBe(0);
  });

  it('makes many at once', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `pod${i}`);
    await Promise.all(ids.map((id) => namespaces.make({ id, types: ['net', 'ipc', 'uts'], hostname: id })));
    expect((await namespaces.list()).length).toBe(20);
    expect(mounts()).toBe(60);
  });
});
