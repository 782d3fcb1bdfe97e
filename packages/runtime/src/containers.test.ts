import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerConfig, PodSandboxConfig } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxName, containerProblem, ScratchRuntime } from './scratch-runtime.test-data.ts';

const problem = await containerProblem();

type Namespaces = NonNullable<
  NonNullable<NonNullable<Init<PodSandboxConfig>['linux']>['securityContext']>['namespaceOptions']
>;

describe.skipIf(problem)('containers', () => {
  let scratch: ScratchRuntime;
  let pods = 0;

  beforeAll(async () => {
    scratch = await ScratchRuntime.start();
    await scratch.images.addBusybox('registry.example/other:1', {
      User: 'ann',
      WorkingDir: '/tmp',
      Env: ['PATH=/bin', 'A=image', 'B=image'],
      Entrypoint: ['/bin/sh', '-c'],
      Cmd: ['echo $A $B $0; pwd; id', 'default'],
      StopSignal: 'SIGUSR1',
      Volumes: { '/etc': {} },
    });
  }, 30_000);
  afterAll(async () => {
    await scratch?.close();
    expect(await scratch?.left()).toEqual([]);
  }, 30_000);

  const runtime = () => scratch.cri.runtime;

  async function sandbox(namespaceOptions: Namespaces = {}, config: Init<PodSandboxConfig> = {}): Promise<string> {
    const name = `pod-${pods++}`;
    const { podSandboxId } = await runtime().runPodSandbox({
      config: {
        metadata: { name, namespace: 'default', uid: name },
        hostname: name,
        logDirectory: join(scratch.directory, 'logs', name),
        ...config,
        linux: {
          ...config.linux,
          securityContext: {
            ...config.linux?.securityContext,
            namespaceOptions: { pid: 'CONTAINER', ...namespaceOptions },
          },
        },
      },
    });
    return podSandboxId;
  }

  async function create(podSandboxId: string, script: string, config: Init<ContainerConfig> = {}): Promise<string> {
    const made = await runtime().createContainer({
      podSandboxId,
      config: {
        metadata: { name: 'main' },
        image: { image: busyboxName },
        command: script === '' ? [] : ['/bin/sh', '-c', script],
        logPath: `${config.metadata?.name ?? 'main'}.log`,
        ...config,
      },
    });
    return made.containerId;
  }

  async function start(...args: Parameters<typeof create>): Promise<string> {
    const containerId = await create(...args);
    await runtime().startContainer({ containerId });
    return containerId;
  }

  const status = async (containerId: string) => {
    const { status: found } = await runtime().containerStatus({ containerId });
    if (!found) throw new Error('no status');
    return found;
  };

  async function ended(containerId: string) {
    for (;;) {
      const now = await status(containerId);
      if (now.state === 'CONTAINER_EXITED') return now;
      await delay(20);
    }
  }

  /** What a container prints until it ends. */
  async function output(...args: Parameters<typeof create>): Promise<string> {
    const { logPath } = await ended(await start(...args));
    const lines = (await readFile(logPath, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => line.replace(/^\S+ \S+ F /, '')).join('\n');
  }

  it('run what their image says, as its user, with its own volumes', async () => {
    const image = { image: 'registry.example/other:1' };
    const envs = [{ key: 'A', value: Buffer.from('own') }];
    expect(await output(await sandbox(), '', { image, envs })).toBe(
      'own image default\n/tmp\nuid=1001(ann) gid=1002(ann) groups=1002(ann),1003(readers)',
    );
    const id = await start(await sandbox(), 'trap "exit 9" USR1; while :; do sleep 0.05; done', {
      image,
      command: ['/bin/sh', '-c', 'trap "exit 9" USR1; while :; do sleep 0.05; done'],
    });
    expect((await status(id)).user?.linux).toEqual({ uid: 1001, gid: 1002, supplementalGroups: [1002, 1003] });
    await runtime().stopContainer({ containerId: id, timeout: 10 });
    expect(await status(id)).toMatchObject({ exitCode: 9, reason: 'Error', stopSignal: 'SIGUSR1' });
  });

  it('get no groups of the image by the policy Strict, and the user and group of their security context', async () => {
    const linux = {
      securityContext: {
        runAsUser: { value: 1001 },
        runAsGroup: { value: 77 },
        supplementalGroups: [88],
        supplementalGroupsPolicy: 'Strict' as const,
      },
    };
    expect(await output(await sandbox(), 'id -u; id -g; id -G', { linux })).toBe('1001\n77\n77 88');
  });

  it('are confined: capabilities, masked paths, system calls, a root file system that cannot be written', async () => {
    const securityContext = {
      readonlyRootfs: true,
      noNewPrivs: true,
      maskedPaths: ['/proc/meminfo'],
      readonlyPaths: ['/proc/sys'],
      seccomp: { profileType: 'RuntimeDefault' as const },
      capabilities: { dropCapabilities: ['ALL'], addCapabilities: ['NET_BIND_SERVICE'] },
    };
    const script = `
      grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr '\\t' ' ' | sort
      cat /proc/meminfo | wc -c; for path in /x /proc/sys/kernel/panic; do touch $path 2>&1 | sed 's/.*: //'; done
      unshare -m true 2>&1 | sed 's/.*: //'; ls -d /dev/null /dev/shm`;
    expect((await output(await sandbox(), script, { linux: { securityContext } })).split('\n')).toEqual([
      'CapBnd: 0000000000000400',
      'CapEff: 0000000000000400',
      'NoNewPrivs: 1',
      'Seccomp: 2',
      '0',
      'Read-only file system',
      'Read-only file system',
      'Operation not permitted',
      '/dev/null',
      '/dev/shm',
    ]);
  });

  it('share the names, the memory and the network of their pod', async () => {
    const podSandboxId = await sandbox(
      {},
      {
        hostname: 'shared',
        dnsConfig: { servers: ['192.0.2.53'], searches: ['example'], options: ['ndots:5'] },
        linux: { sysctls: { 'net.core.somaxconn': '321', 'kernel.shm_rmid_forced': '1' } },
      },
    );
    await start(podSandboxId, 'echo data >/dev/shm/file; exec nc -l -p 80 -e echo hello', {
      metadata: { name: 'first' },
      linux: { securityContext: { runAsUser: { value: 1001 } } },
    });
    const script =
      'until [ "$(nc 127.0.0.1 80 </dev/null)" = hello ]; do sleep 0.05; done; cat /dev/shm/file; hostname; cat /etc/hostname /etc/resolv.conf; cat /proc/sys/net/core/somaxconn /proc/sys/kernel/shm_rmid_forced; echo $$';
    expect(await output(podSandboxId, script, { metadata: { name: 'second' } })).toBe(
      'data\nshared\nshared\nsearch example\nnameserver 192.0.2.53\noptions ndots:5\n321\n1\n1',
    );
  });

  it('share a PID namespace whose init takes orphans, and all end when it does', async () => {
    const podSandboxId = await sandbox({ pid: 'POD' });
    const linux = { securityContext: { namespaceOptions: { pid: 'POD' as const } } };
    const other = await start(podSandboxId, 'exec sleep 7777', { metadata: { name: 'other' }, linux });
    const script =
      'ps | grep -c "[s]leep 7777"; (sleep 0.1 &); sleep 0.3; ps | grep -c "\\[sleep\\]"; ls /proc/1/root 2>&1 | tail -n1';
    const text = await output(podSandboxId, script, { metadata: { name: 'looks' }, linux });
    expect(text).toMatch(/^1\n0\n.*Permission denied$/);
    // Their processes do not end with a PID namespace of their own, so they are killed one by one.
    await runtime().stopContainer({ containerId: other, timeout: 0 });
    expect((await status(other)).exitCode).toBe(137);
    const { info } = await runtime().podSandboxStatus({ podSandboxId, verbose: true });
    process.kill(JSON.parse(info.info ?? '{}').pid, 'SIGKILL');
    for (;;) {
      const { status: now } = await runtime().podSandboxStatus({ podSandboxId });
      if (now?.state === 'SANDBOX_NOTREADY') break;
      await delay(20);
    }
  });

  it('have everything with privileges', async () => {
    const podSandboxId = await sandbox({}, { linux: { securityContext: { privileged: true } } });
    const linux = { securityContext: { privileged: true, seccomp: { profileType: 'RuntimeDefault' as const } } };
    const script =
      'grep Seccomp: /proc/self/status | tr "\\t" " "; mount -t tmpfs none /tmp && mount | grep -c " /tmp type tmpfs"; [ -e /dev/kmsg ] && echo devices; echo 5 >/proc/sys/net/ipv4/tcp_retries1 && echo writes';
    expect(await output(podSandboxId, script, { linux })).toBe('Seccomp: 0\n1\ndevices\nwrites');
  });

  it('enter the PID namespace of another container', async () => {
    const podSandboxId = await sandbox();
    const targetId = await start(podSandboxId, 'exec sleep 8888');
    const linux = { securityContext: { namespaceOptions: { pid: 'TARGET' as const, targetId } } };
    const text = await output(podSandboxId, 'ps | grep -c "[s]leep 8888"; echo $$', {
      metadata: { name: 'debugger' },
      linux,
    });
    expect(text).toMatch(/^1\n(?!1$)\d+$/);
    expect((await status(targetId)).state).toBe('CONTAINER_RUNNING');
  });

  it('that want too much memory are killed for it', async () => {
    const linux = { resources: { memoryLimitInBytes: 16 * 2 ** 20 } };
    const id = await start(await sandbox(), 'exec tail /dev/zero', { linux });
    expect(await ended(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  it('that cannot be started say why', async () => {
    const id = await create(await sandbox(), '', { command: ['/no/such/program'] });
    await expect(runtime().startContainer({ containerId: id })).rejects.toThrow(
      /OCI runtime create failed: runc create failed: .*"\/no\/such\/program": stat \/no\/such\/program: no such file or directory/,
    );
    expect(await status(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 128, reason: 'StartError' });
  });

  it('see the mounts that they ask for', async () => {
    const directory = join(scratch.directory, 'volume');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'file'), 'content\n');
    const mounts = [
      { hostPath: directory, containerPath: '/data', readonly: true, recursiveReadOnly: true },
      { hostPath: join(scratch.directory, 'made'), containerPath: '/made' },
      { containerPath: '/image', image: { image: 'registry.example/other:1' }, imageSubPath: 'etc', readonly: true },
    ];
    const script =
      'cat /data/file; touch /data/x 2>&1 | sed "s/.*: //"; touch /made/x && ls /made; grep -c ann /image/passwd; touch /image/x 2>&1 | sed "s/.*: //"';
    expect(await output(await sandbox(), script, { mounts })).toBe(
      'content\nRead-only file system\nx\n1\nRead-only file system',
    );
    const unsharable = { hostPath: '/proc', containerPath: '/p', propagation: 'PROPAGATION_BIDIRECTIONAL' as const };
    await expect(create(await sandbox(), 'true', { mounts: [unsharable] })).rejects.toThrow(
      /is mounted on "\/proc" but it is not a shared mount/,
    );
  });

  it.each<[string, RegExp, Init<ContainerConfig>]>([
    ['an image that is not there', /failed to resolve image "none": not found/, { image: { image: 'none' } }],
    [
      'privileges in a pod without',
      /no privileged container allowed in sandbox/,
      { linux: { securityContext: { privileged: true } } },
    ],
    [
      'a user that is not there',
      /unable to find user nobody-knows/,
      { linux: { securityContext: { runAsUsername: 'nobody-knows' } } },
    ],
    ['CDI devices', /CDI devices are not supported/, { cdiDevices: [{ name: 'v/c=d' }] }],
    [
      'a user namespace',
      /user namespaces are not supported/,
      { linux: { securityContext: { namespaceOptions: { usernsOptions: { mode: 'POD' } } } } },
    ],
  ])('are refused for %s, and leave nothing', async (_, message, config) => {
    const podSandboxId = await sandbox();
    await expect(create(podSandboxId, 'true', config)).rejects.toThrow(message);
    // The name is free again.
    await create(podSandboxId, 'true');
  });

  it('have names of their own', async () => {
    const podSandboxId = await sandbox();
    const id = await create(podSandboxId, 'true');
    await expect(create(podSandboxId, 'true')).rejects.toThrow(`is reserved for "${id}"`);
    await runtime().removeContainer({ containerId: id });
    await create(podSandboxId, 'true');
  });

  it('of a pod that cannot be connected are not made, and nothing of it is left', async () => {
    scratch.network.failure = new Error('no addresses');
    await expect(sandbox({}, { metadata: { name: 'none', namespace: 'n', uid: 'u' } })).rejects.toThrow(
      /failed to setup network for sandbox "[0-9a-f]{64}": no addresses/,
    );
    scratch.network.failure = undefined;
    const { items } = await runtime().listPodSandbox({});
    expect(items.filter(({ metadata }) => metadata?.name === 'none')).toEqual([]);
  });

  it('go on while no runtime looks, and are found again with what has become of them', async () => {
    const podSandboxId = await sandbox();
    const shared = await sandbox({ pid: 'POD' });
    const goesOn = await start(podSandboxId, 'while :; do echo more; sleep 0.1; done', {
      metadata: { name: 'goes-on' },
    });
    const inShared = await start(shared, 'exec sleep 1000', {
      linux: { securityContext: { namespaceOptions: { pid: 'POD' } } },
    });
    const ends = await start(podSandboxId, 'until [ -e /tmp/end ]; do sleep 0.05; done; exit 4', {
      metadata: { name: 'ends' },
      mounts: [{ hostPath: join(scratch.directory, 'shared-tmp'), containerPath: '/tmp' }],
    });
    const created = await create(podSandboxId, 'exit 5', { metadata: { name: 'created' } });
    const before = await status(goesOn);
    await scratch.stop();
    await writeFile(join(scratch.directory, 'shared-tmp', 'end'), '');
    while (!(await readFile(join(scratch.directory, 'state/exits', ends), 'utf8').catch(() => ''))) await delay(20);
    await scratch.open();
    expect(await status(goesOn)).toEqual(before);
    expect(await status(ends)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 4, reason: 'Error' });
    expect((await status(inShared)).state).toBe('CONTAINER_RUNNING');
    await runtime().startContainer({ containerId: created });
    expect((await ended(created)).exitCode).toBe(5);
    const { exitCode } = await runtime().execSync({ containerId: goesOn, cmd: ['true'], timeout: 10 });
    expect(exitCode).toBe(0);
    await runtime().stopContainer({ containerId: goesOn, timeout: 0 });
    expect((await status(goesOn)).exitCode).toBe(137);
  });

  it('that have ended without a trace are told from those that go on', async () => {
    const id = await start(await sandbox(), 'exec sleep 1000');
    const monitor = Number(await readFile(join(scratch.directory, 'state/bundles', id, 'conmon.pid'), 'utf8'));
    process.kill(monitor, 'SIGKILL');
    expect((await status(id)).state).toBe('CONTAINER_RUNNING');
    const { info } = await runtime().containerStatus({ containerId: id, verbose: true });
    process.kill(JSON.parse(info.info ?? '{}').pid, 'SIGKILL');
    expect(await ended(id)).toMatchObject({ exitCode: 255, reason: 'Unknown' });
  });

  it('of a machine that was started again are gone, and can be removed', async () => {
    const podSandboxId = await sandbox();
    const id = await start(podSandboxId, 'exec sleep 1000');
    await runtime().stopContainer({ containerId: id, timeout: 0 });
    const never = await create(podSandboxId, 'true', { metadata: { name: 'never' } });
    await scratch.stop();
    // What is in the memory of the machine is lost.
    await scratch.unpin(podSandboxId);
    await rm(join(scratch.directory, 'state/bundles'), { recursive: true });
    await scratch.open();
    const { status: now } = await runtime().podSandboxStatus({ podSandboxId });
    expect(now?.state).toBe('SANDBOX_NOTREADY');
    await expect(runtime().startContainer({ containerId: never })).rejects.toThrow('is not running');
    await runtime().stopPodSandbox({ podSandboxId });
    await runtime().removePodSandbox({ podSandboxId });
    await expect(runtime().containerStatus({ containerId: id })).rejects.toThrow('NotFound');
  });
});
