import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from '@coxswain/api/core/v1';
import { attach, exec, execOutput, openPortForward } from '@coxswain/client';
import { type ContainerRuntime, connectRuntime } from '@coxswain/cri';
import { busyboxImage, type Containerd, containerdProblem, startContainerd } from '@coxswain/cri/testing';
import { findCgroups } from '@coxswain/linux';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CadvisorMetrics } from '../src/stats/cadvisor-metrics.ts';
import { SessionCluster, sessionNodes } from './session-cluster.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`sessions with containerd are not tested: ${problem}`);

let containerd: Containerd;
let runtime: ContainerRuntime;
let cluster: SessionCluster;

/** A script that prints each line that it reads, with a word before it. */
const main = 'while read line; do echo "read $line"; done';
/** A script of a server that sends back what each connection sends. */
const echo = 'exec nc -ll -p 8080 -e cat';

/** Without it, containerd 2.1 has no statistics of sandboxes. */
const cgroupParent = `/cox-sessions-${process.pid}`;

async function startPod({ metadata: { name = '', namespace = '', uid = '' } }: Pod): Promise<void> {
  const labels = {
    'io.kubernetes.pod.name': name,
    'io.kubernetes.pod.namespace': namespace,
    'io.kubernetes.pod.uid': uid,
  };
  const config = {
    metadata: { name, namespace, uid },
    labels,
    logDirectory: cluster.directory,
    linux: { cgroupParent },
  };
  const { podSandboxId } = await runtime.runtime.runPodSandbox({ config });
  for (const [container, tty, script] of [
    ['main', false, main],
    ['terminal', true, main],
    ['server', false, echo],
  ] as const) {
    const { containerId } = await runtime.runtime.createContainer({
      podSandboxId,
      sandboxConfig: config,
      config: {
        metadata: { name: container },
        image: { image: busyboxImage },
        command: ['/bin/sh', '-c', script],
        labels: { ...labels, 'io.kubernetes.container.name': container },
        logPath: `${name}-${container}.log`,
        stdin: container !== 'server',
        tty,
        linux: {},
      },
    });
    await runtime.runtime.startContainer({ containerId });
  }
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries > 400) throw new Error('the condition does not hold after twenty seconds');
    await delay(50);
  }
}

/** Returns whether a process of this machine has the text in its arguments. */
async function isRunning(text: string): Promise<boolean> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (words.includes(text)) return true;
  }
  return false;
}

/** Returns the connections of this process, which both servers run in. */
async function openSockets(): Promise<number> {
  const fds = await readdir('/proc/self/fd');
  const links = await Promise.all(
    fds.map(async (fd) => {
      return await readlink(`/proc/self/fd/${fd}`).catch(() => '');
    }),
  );
  return links.filter((link) => link.startsWith('socket:')).length;
}

describe.skipIf(problem)('sessions with a real containerd', () => {
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'cox-containerd-'));
    containerd = await startContainerd({ directory, podCIDR: '10.213.14.0/24' });
    runtime = await connectRuntime(containerd.endpoint);
    cluster = await SessionCluster.start(runtime);
    for (const pod of cluster.pods) await startPod(pod);
  });
  afterAll(async () => {
    await cluster?.stop();
    runtime?.close();
    await containerd?.close();
    const cgroups = await findCgroups({ driver: 'cgroupfs' });
    await cgroups.destroy(cgroups.name(cgroupParent));
  });

  describe.each(sessionNodes)('on a node that is %s', (node) => {
    const target = { namespace: 'default', pod: `on-${node}` };
    const sh = (script: string) => ({ ...target, command: ['/bin/sh', '-c', script] });

    it('run commands, with their output and exit code', async () => {
      expect(await execOutput(cluster.clients.rest, sh('echo out; echo err >&2; exit 7'))).toEqual({
        exitCode: 7,
        stdout: 'out\n',
        stderr: 'err\n',
      });
      expect(await execOutput(cluster.clients.rest, sh('true'))).toMatchObject({ exitCode: 0 });
    });

    it('fail with the reason if a command cannot be run', async () => {
      const missing = execOutput(cluster.clients.rest, { ...target, command: ['/no/such/program'] });
      await expect(missing).rejects.toThrow(/no such file or directory/);
      const other = execOutput(cluster.clients.rest, { ...target, container: 'none', command: ['true'] });
      await expect(other).rejects.toThrow('container none is not valid for pod');
    });

    it('transfer megabytes of input and output, and the end of the input', async () => {
      const input = randomBytes(3_000_000);
      const hash = createHash('sha256');
      const result = await exec(cluster.clients.rest, {
        ...target,
        command: ['cat'],
        stdin: (async function* () {
          for (let at = 0; at < input.length; at += 50_000) yield input.subarray(at, at + 50_000);
        })(),
        stdout: (chunk) => void hash.update(chunk),
      });
      expect(result).toEqual({ exitCode: 0 });
      expect(hash.digest('hex')).toBe(createHash('sha256').update(input).digest('hex'));
    });

    it('give a terminal the size of the client’s', async () => {
      let text = '';
      const sizes = (async function* () {
        yield { width: 91, height: 17 };
      })();
      await exec(cluster.clients.rest, {
        ...sh('while [ "$(stty size 2>/dev/null)" != "17 91" ]; do sleep 0.1; done; stty size; tty'),
        stdout: (chunk) => {
          text += Buffer.from(chunk).toString();
        },
        tty: true,
        resize: sizes,
      });
      expect(text).toMatch(/^17 91\r\n\/dev\/pts\/\d+\r\n$/);
    });

    it('attach to the process of a container', async () => {
      let text = '';
      const gone = new AbortController();
      const attached = attach(cluster.clients.rest, {
        ...target,
        container: 'main',
        signal: gone.signal,
        stdin: (async function* () {
          yield 'hello\n';
          await until(() => text.includes('hello'));
        })(),
        stdout: (chunk) => {
          text += Buffer.from(chunk).toString();
        },
      }).catch(() => {});
      await until(() => text === 'read hello\n');
      gone.abort();
      await attached;
      // The container keeps running.
      expect(await execOutput(cluster.clients.rest, sh('true'))).toMatchObject({ exitCode: 0 });
    });

    it.each(['spdy', 'channels'] as const)('forward a megabyte both ways to a port (%s)', async (protocol) => {
      const connection = await openPortForward(cluster.clients.rest, { ...target, protocol });
      const stream = await connection.open(8080);
      const input = randomBytes(1_000_000);
      const sending = (async () => {
        for (let at = 0; at < input.length; at += 20_000) await stream.write(input.subarray(at, at + 20_000));
      })();
      sending.catch(() => {});
      const hash = createHash('sha256');
      let length = 0;
      for await (const chunk of stream.chunks()) {
        hash.update(chunk);
        length += chunk.length;
        if (length === input.length) break;
      }
      await sending;
      stream.close();
      connection.close();
      await connection.closed;
      expect(hash.digest('hex')).toBe(createHash('sha256').update(input).digest('hex'));
    });

    it('fail if nothing listens on the port', async () => {
      const connection = await openPortForward(cluster.clients.rest, { ...target, protocol: 'spdy' });
      const stream = await connection.open(9);
      await expect(
        (async () => {
          for await (const _ of stream.chunks());
        })(),
      ).rejects.toThrow(/refused/);
      connection.close();
    });

    it('leave no processes or connections behind when the client disconnects', async () => {
      const before = await openSockets();
      const mark = `sleep-of-${node}-${process.pid}`;
      const gone = new AbortController();
      let said = '';
      const running = exec(cluster.clients.rest, {
        ...target,
        command: ['/bin/sh', '-c', 'echo up; read line; exit 0', mark],
        signal: gone.signal,
        stdin: (async function* () {
          await new Promise((resolve) => gone.signal.addEventListener('abort', resolve));
        })(),
        stdout: (chunk) => {
          said += Buffer.from(chunk).toString();
        },
      });
      running.catch(() => {});
      await until(() => said === 'up\n');
      expect(await isRunning(mark)).toBe(true);
      gone.abort();
      await expect(running).rejects.toThrow();
      await until(async () => !(await isRunning(mark)));
      await until(async () => (await openSockets()) <= before);
    });
  });

  it('have figures beside them', async () => {
    const { stats } = cluster.host;
    await stats.summary('cpu and memory');
    await delay(1100);
    const { node, pods } = await stats.summary('all');
    expect(pods.map(({ podRef }) => podRef.name).sort()).toEqual(['on-local', 'on-secured']);
    const [pod] = pods;
    expect(pod?.containers.map(({ name }) => name).sort()).toEqual(['main', 'server', 'terminal']);
    for (const { cpu, memory } of [node, pod!, ...pod!.containers]) {
      expect(cpu?.usageCoreNanoSeconds).toBeGreaterThan(0);
      expect(cpu?.usageNanoCores).toBeGreaterThanOrEqual(0);
      expect(memory?.workingSetBytes).toBeGreaterThan(0);
    }
    expect(node.fs?.capacityBytes).toBeGreaterThan(0);
    expect(node.runtime?.imageFs?.capacityBytes).toBeGreaterThan(0);
    const text = await new CadvisorMetrics(runtime.runtime, stats).text();
    expect(text).toMatch(/^container_memory_working_set_bytes\{container="main",.*pod="on-local"\} [1-9]/m);
    expect(text).toMatch(/^container_network_receive_bytes_total\{.*interface="eth0",.*pod="on-local"\} [1-9]/m);
    expect(text).toMatch(/^machine_cpu_cores\{.*\} [1-9]/m);
  });
});
