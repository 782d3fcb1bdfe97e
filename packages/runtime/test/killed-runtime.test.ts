import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, rmdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '@coxswain/apimachinery/random';
import { type ContainerRuntime, connectRuntime } from '@coxswain/cri';
import { busyboxFiles, busyboxImage, ociArchive } from '@coxswain/cri/testing';
import { readMountInfo } from '@coxswain/linux';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openImages } from '../src/open-images.ts';
import { containerProblem } from '../src/scratch-runtime.test-data.ts';

const problem = await containerProblem();

/** How often the runtime is killed. The long run is for people: `COXSWAIN_RUNTIME_KILLS=200 npx vitest run packages/runtime/test/killed`. */
const kills = Number(process.env.COXSWAIN_RUNTIME_KILLS ?? 6);
const workers = 3;
const seed = process.env.COXSWAIN_SEED ?? 'killed runtime';
const bridge = 'coxkill0';

/** What a client knows of its containers, because the runtime has said so. */
interface Known {
  readonly running: Set<string>;
  readonly removed: Set<string>;
}

describe.skipIf(problem)('a runtime that is killed at any moment', () => {
  const random = seededRandom(seed);
  let directory: string;
  let program: string;
  let child: ChildProcess | undefined;
  const endpoint = () => `unix://${directory}/cri.sock`;
  const cgroup = () => `/cox-${directory.slice(-6)}`;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cox-rt-'));
    const images = await openImages({ root: join(directory, 'root/images') });
    const archive = ociArchive({ name: busyboxImage, files: await busyboxFiles(), command: ['/bin/sh'] });
    await images.store.load(
      (async function* () {
        yield archive;
      })(),
    );
    await images.close();
    await build({
      configFile: false,
      logLevel: 'error',
      ssr: { external: ['@grpc/grpc-js', 'ws', 'smol-toml'], resolve: { conditions: ['coxswain-source'] } },
      build: {
        ssr: fileURLToPath(new URL('./killed-runtime.test-data.ts', import.meta.url)),
        outDir: directory,
        emptyOutDir: false,
        rollupOptions: { output: { entryFileNames: 'runtime.mjs' } },
      },
    });
    await symlink(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(directory, 'node_modules'));
    program = join(directory, 'runtime.mjs');
  }, 60_000);
  afterAll(async () => {
    child?.kill('SIGKILL');
    // The cgroups of pods are the kubelet's, which is this test.
    for (const hierarchy of await readdir('/sys/fs/cgroup')) {
      const parent = join('/sys/fs/cgroup', hierarchy, cgroup());
      for (const pod of await readdir(parent).catch(() => [])) await rmdir(join(parent, pod)).catch(() => {});
      await rmdir(parent).catch(() => {});
    }
    await rm(directory, { recursive: true, force: true });
  });

  async function start(): Promise<ChildProcess> {
    const words = [program, join(directory, 'root'), join(directory, 'state'), endpoint(), '10.213.18.0/24', bridge];
    const started = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    await Promise.race([
      once(started.stdout, 'data'),
      once(started, 'exit').then(() => Promise.reject(new Error('the runtime did not start'))),
    ]);
    return started;
  }

  /** Makes and removes pods until the runtime is gone. */
  async function work(cri: ContainerRuntime, name: string, known: Known): Promise<void> {
    const { runtime } = cri;
    for (let attempt = 0; ; attempt++) {
      const uid = `${name}-${random.uuid()}`;
      const pid = attempt % 3 === 0 ? ('POD' as const) : ('CONTAINER' as const);
      const config = {
        metadata: { name, namespace: 'default', uid, attempt },
        hostname: name,
        logDirectory: join(directory, 'logs', uid),
        linux: { cgroupParent: `${cgroup()}/${uid}`, securityContext: { namespaceOptions: { pid } } },
      };
      const { podSandboxId } = await runtime.runPodSandbox({ config });
      const containers: string[] = [];
      for (const script of ['exec sleep 1000', 'exit 3']) {
        const request = {
          podSandboxId,
          config: {
            metadata: { name: script.replace(/\W/g, '') },
            image: { image: busyboxImage },
            command: ['/bin/sh', '-c', script],
            logPath: `${containers.length}.log`,
            linux: { securityContext: { namespaceOptions: { pid } } },
          },
        };
        const { containerId } = await runtime.createContainer(request);
        containers.push(containerId);
        await runtime.startContainer({ containerId });
        if (script.startsWith('exec')) known.running.add(containerId);
      }
      const [first = ''] = containers;
      await runtime.execSync({ containerId: first, cmd: ['true'], timeout: 10 });
      if (attempt % 2 === 1) continue;
      // From here on it may be gone, whatever the answer.
      known.running.delete(first);
      await runtime.stopPodSandbox({ podSandboxId });
      await runtime.removePodSandbox({ podSandboxId });
      for (const id of containers) known.removed.add(id);
    }
  }

  /** All that belongs to pods, on the whole machine. */
  async function left(): Promise<string[]> {
    const mounts = (await readMountInfo()).map(({ mountPoint }) => mountPoint);
    const found = mounts.filter((path) => path.startsWith(`${directory}/`));
    for (const pid of await readdir('/proc')) {
      const words = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
      if (words.includes(directory) && Number(pid) !== child?.pid && !words.includes('flock'))
        found.push(words.replaceAll('\0', ' '));
    }
    for (const name of [
      'state/bundles',
      'state/exits',
      'state/shm',
      'state/processes',
      'state/runc',
      'state/namespaces',
      'root/containers',
      'root/sandboxes',
    ]) {
      for (const entry of await readdir(join(directory, name)).catch(() => [])) found.push(`${name}/${entry}`);
    }
    for (const hierarchy of await readdir('/sys/fs/cgroup')) {
      for (const pod of await readdir(join('/sys/fs/cgroup', hierarchy, cgroup())).catch(() => [])) {
        const inside = await readdir(join('/sys/fs/cgroup', hierarchy, cgroup(), pod)).catch(() => []);
        for (const container of inside) if (/^[0-9a-f]{64}$/.test(container)) found.push(`${hierarchy} ${container}`);
      }
    }
    return found;
  }

  it(
    'knows all containers afterwards, and leaves nothing of them when they are removed',
    async () => {
      const known: Known = { running: new Set(), removed: new Set() };
      for (let kill = 0; kill < kills; kill++) {
        const process_ = await start();
        const cri = await connectRuntime(endpoint());
        const working = Array.from({ length: workers }, (_, index) =>
          work(cri, `worker-${index}`, known).catch(() => {}),
        );
        await delay(100 + random.integer(4000));
        process_.kill('SIGKILL');
        await Promise.all(working);
        cri.close();
      }
      // Otherwise the kills came too early to test anything.
      expect(known.running.size).toBeGreaterThan(0);
      await start();
      const cri = await connectRuntime(endpoint());
      const { containers } = await cri.runtime.listContainers({});
      const states = new Map(containers.map(({ id, state }) => [id, state]));
      for (const id of known.running) expect([id, states.get(id)]).toEqual([id, 'CONTAINER_RUNNING']);
      for (const id of known.removed) expect(states.has(id), `${id} is here again`).toBe(false);
      for (const { id, metadata } of containers) {
        const { status } = await cri.runtime.containerStatus({ containerId: id });
        if (metadata?.name === 'exit3' && status?.state === 'CONTAINER_EXITED')
          expect([3, 128]).toContain(status.exitCode);
      }
      const { items } = await cri.runtime.listPodSandbox({});
      for (const { id: podSandboxId } of items) {
        await cri.runtime.stopPodSandbox({ podSandboxId });
        await cri.runtime.removePodSandbox({ podSandboxId });
      }
      for (let tries = 0; tries < 50 && (await left()).length > 0; tries++) await delay(100);
      expect(await left()).toEqual([]);
      cri.close();
      child?.kill('SIGTERM');
      if (child) await once(child, 'exit');
    },
    120_000 + kills * 30_000,
  );
});
