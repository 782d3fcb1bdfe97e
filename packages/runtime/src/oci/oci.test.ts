import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LinuxContainerResources, Mount } from '@coxswain/cri';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerCapabilities } from './capabilities.ts';
import { containerMounts } from './container-mounts.ts';
import { defaultSeccompProfile } from './default-seccomp-profile.ts';
import { cgroupsPath, linuxResources, updatedResources } from './linux-resources.ts';
import { appArmorProfile, seccompProfile } from './security-profiles.ts';

const own = ['CAP_CHOWN', 'CAP_SYS_ADMIN', 'CAP_NET_ADMIN'];
const asked = (addCapabilities: string[], dropCapabilities: string[] = [], addAmbientCapabilities: string[] = []) => ({
  addCapabilities,
  dropCapabilities,
  addAmbientCapabilities,
});

describe('capabilities', () => {
  it('are the fourteen of containerd by default', () => {
    expect(containerCapabilities(undefined, false, own).bounding).toHaveLength(14);
  });

  it.each([
    ['added to none', asked(['NET_ADMIN'], ['ALL']), ['CAP_NET_ADMIN']],
    ['taken from all', asked(['ALL'], ['SYS_ADMIN']), ['CAP_CHOWN', 'CAP_NET_ADMIN']],
    ['written with their prefix', asked(['CAP_SYS_ADMIN'], ['ALL']), ['CAP_SYS_ADMIN']],
  ])('are %s', (_, capabilities, expected) => {
    expect(containerCapabilities(capabilities, false, own).effective).toEqual(expected);
  });

  it('are those of this process with privileges, whatever is asked for', () => {
    expect(containerCapabilities(asked([], ['ALL']), true, own).permitted).toEqual(own);
  });

  it('stay ambient if that is asked for, and only those that the container has', () => {
    const { ambient, inheritable } = containerCapabilities(
      asked(['NET_ADMIN'], ['ALL'], ['NET_ADMIN', 'SYS_ADMIN']),
      false,
      own,
    );
    expect([ambient, inheritable]).toEqual([['CAP_NET_ADMIN'], ['CAP_NET_ADMIN']]);
  });
});

describe('resources', () => {
  const resources = LinuxContainerResources.complete({ cpuShares: 512, memoryLimitInBytes: 1000 });

  it('limit what is asked for, and no swap beyond the memory', () => {
    expect(linuxResources(resources, { version: 1, swap: true, hugePages: false })).toEqual({
      cpu: { shares: 512 },
      memory: { limit: 1000, swap: 1000 },
    });
    expect(linuxResources(resources, { version: 1, swap: false, hugePages: false }).memory).toEqual({ limit: 1000 });
  });

  it('are refused for huge pages that cannot be limited', () => {
    const pages = LinuxContainerResources.complete({ hugepageLimits: [{ pageSize: '2MB', limit: 1 }] });
    expect(() => linuxResources(pages, { version: 2, swap: false, hugePages: false })).toThrow(
      'hugetlb cgroup controller is missing',
    );
  });

  it('keep what an update leaves out', () => {
    const update = LinuxContainerResources.complete({ cpuQuota: 5, unified: { 'memory.high': '7' } });
    expect(updatedResources(resources, update)).toMatchObject({
      cpuShares: 512,
      cpuQuota: 5,
      memoryLimitInBytes: 1000,
      unified: { 'memory.high': '7' },
    });
  });

  it.each([
    ['/kubepods/pod1', 'cgroupfs', '/kubepods/pod1/id'],
    ['', 'cgroupfs', '/coxswain/id'],
    ['/kubepods.slice/kubepods-pod1.slice', 'systemd', 'kubepods-pod1.slice:cri-coxswain:id'],
    ['', 'systemd', 'system.slice:cri-coxswain:id'],
  ] as const)('are in a cgroup below %j with %s', (parent, driver, expected) => {
    expect(cgroupsPath(parent, 'id', driver)).toBe(expected);
  });
});

describe('security profiles', () => {
  const security = {
    privileged: false,
    seccomp: undefined,
    seccompProfilePath: '',
    apparmor: undefined,
    apparmorProfile: '',
  };
  const ruleOf = (profile: ReturnType<typeof defaultSeccompProfile>, name: string) =>
    profile.syscalls.filter(({ names }) => names.includes(name));

  it('of system calls open with the capabilities', () => {
    expect(ruleOf(defaultSeccompProfile([], 'x64'), 'mount')).toEqual([]);
    expect(ruleOf(defaultSeccompProfile(['CAP_SYS_ADMIN'], 'x64'), 'mount')).toMatchObject([
      { action: 'SCMP_ACT_ALLOW' },
    ]);
    expect(ruleOf(defaultSeccompProfile([], 'x64'), 'clone3')).toEqual([
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
    ]);
    expect(ruleOf(defaultSeccompProfile([], 's390x'), 'clone')[0]?.args?.[0]?.index).toBe(1);
  });

  it('of system calls are none without one, with privileges, and by their old names', async () => {
    const runtimeDefault = { profileType: 'RuntimeDefault' as const, localhostRef: '' };
    expect(await seccompProfile(security, [], 'x64')).toBeUndefined();
    expect(await seccompProfile({ ...security, privileged: true, seccomp: runtimeDefault }, [], 'x64')).toBeUndefined();
    expect(await seccompProfile({ ...security, seccompProfilePath: 'runtime/default' }, [], 'x64')).toBeDefined();
    const missing = { ...security, seccompProfilePath: 'localhost//no/such/profile.json' };
    await expect(seccompProfile(missing, [], 'x64')).rejects.toThrow(
      'cannot load seccomp profile "/no/such/profile.json"',
    );
  });

  it('of AppArmor are refused where there is none', async () => {
    const local = { ...security, apparmor: { profileType: 'Localhost' as const, localhostRef: 'mine' } };
    await expect(appArmorProfile(local, false)).rejects.toThrow('apparmor is not supported');
    expect(await appArmorProfile(security, false)).toBeUndefined();
    await expect(appArmorProfile(local, true, '/none')).rejects.toThrow('apparmor profile not found mine');
  });
});

describe('mounts', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cox-mounts-'));
  });
  afterAll(() => rm(directory, { recursive: true }));
  const mount = (containerPath: string, more: object = {}): Mount =>
    Mount.complete({ hostPath: join(directory, 'a'), containerPath, ...more });
  const mounts = async (own: Mount[], sandbox: Mount[] = []) => {
    const request = { mounts: own, sandboxMounts: sandbox, isPrivileged: false, hasRecursiveReadOnly: true };
    return (await containerMounts(request)).mounts;
  };

  it('come after those that they are inside of', async () => {
    const binds = (await mounts([mount('/a/b/c'), mount('/a'), mount('/x/y')])).filter(({ type }) => type === 'bind');
    expect(binds.map(({ destination }) => destination)).toEqual(['/a', '/x/y', '/a/b/c']);
  });

  it('replace those of the system and of the sandbox', async () => {
    const all = await mounts([mount('/dev'), mount('/etc/hosts')], [mount('/etc/hosts', { readonly: true })]);
    const destinations = all.map(({ destination }) => destination);
    expect(destinations).not.toContain('/dev/pts');
    expect(destinations.filter((path) => path === '/etc/hosts')).toHaveLength(1);
    expect(all.find(({ destination }) => destination === '/etc/hosts')?.options).toContain('rw');
  });

  it.each([
    [{ recursiveReadOnly: true }, 'conflicts with RW mount'],
    [
      { recursiveReadOnly: true, readonly: true, propagation: 'PROPAGATION_HOST_TO_CONTAINER' },
      'needs private propagation',
    ],
  ])('are refused with %j', async (more, message) => {
    await expect(mounts([mount('/a', { hostPath: '/', ...more })])).rejects.toThrow(message);
  });
});
