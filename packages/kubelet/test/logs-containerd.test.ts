import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { systemClock } from '@coxswain/client';
import { type ContainerRuntime, connectRuntime } from '@coxswain/cri';
import { busyboxImage, type Containerd, containerdProblem, startContainerd } from '@coxswain/cri/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContainerGarbageCollector } from '../src/garbage-collection/container-garbage-collector.ts';
import { ImageGarbageCollector } from '../src/garbage-collection/image-garbage-collector.ts';
import { ContainerLogManager } from '../src/logs/container-log-manager.ts';
import { LogFiles } from '../src/logs/log-files.ts';
import { KubeRuntime } from '../src/runtime/kube-runtime.ts';
import { defaultRuntimeSettings } from '../src/runtime/runtime-settings.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of logs of containers. ${problem}`);

const { signal } = new AbortController();
const uid = 'uid-1';
const labels = {
  'io.kubernetes.pod.uid': uid,
  'io.kubernetes.pod.name': 'web',
  'io.kubernetes.pod.namespace': 'default',
};

describe.skipIf(problem)('with a real containerd', () => {
  const recorded = recordLogs();
  const common = { clock: systemClock, logger: recorded.logger, nodeName: 'n1' };
  const recorder = { event: () => {}, annotatedEvent: () => {} };
  let directory: string;
  let root: string;
  let containerd: Containerd;
  let cri: ContainerRuntime;
  let runtime: KubeRuntime;
  let logs: LogFiles;
  const isGone = { value: false };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cox-kubelet-logs-'));
    root = join(directory, 'logs');
    containerd = await startContainerd({ directory: join(directory, 'containerd'), podCIDR: '10.213.23.0/24' });
    cri = await connectRuntime(containerd.endpoint);
    logs = new LogFiles({ ...common, service: cri.runtime, root });
    const machine = { logs, terminationMessage: async () => undefined };
    runtime = new KubeRuntime({ cri, machine, settings: defaultRuntimeSettings, clock: systemClock });
  });
  afterAll(async () => {
    cri?.close();
    await containerd?.close();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  const manager = (maxSizeBytes: number): ContainerLogManager =>
    new ContainerLogManager({ ...common, service: cri.runtime, maxSizeBytes, maxFiles: 100 });

  /** Starts a container in a new pod in the node's network. */
  async function start(script: string): Promise<{ id: string; logPath: string }> {
    const logDirectory = join(root, `default_web_${uid}`);
    await mkdir(join(logDirectory, 'main'), { recursive: true });
    const sandboxConfig = {
      metadata: { name: 'web', namespace: 'default', uid, attempt: 0 },
      labels,
      logDirectory,
      linux: { securityContext: { namespaceOptions: { network: 'NODE' } } },
    } as const;
    const { podSandboxId } = await cri.runtime.runPodSandbox({ config: sandboxConfig });
    const { image } = await cri.images.imageStatus({ image: { image: busyboxImage } });
    const config = {
      metadata: { name: 'main', attempt: 0 },
      image: { image: image?.id ?? '' },
      command: ['/bin/sh', '-c', script],
      labels: { ...labels, 'io.kubernetes.container.name': 'main' },
      logPath: 'main/0.log',
    };
    const { containerId } = await cri.runtime.createContainer({ podSandboxId, config, sandboxConfig });
    await cri.runtime.startContainer({ containerId });
    return { id: containerId, logPath: join(logDirectory, 'main', '0.log') };
  }

  it('a follower gets each line of a container once and in order while its log is rotated', async () => {
    const lines = 200_000;
    // Line 7 is long, so the runtime writes it in parts.
    const script = `awk 'BEGIN { for (i = 0; i < ${lines}; i++) { if (i == 7) { for (j = 0; j < 50000; j++) printf "x" } print i } }'`;
    const container = await start(`${script}; sleep 3; echo the end`);
    let text = '';
    let rotations = 0;
    const follow = async (): Promise<void> => {
      for await (const chunk of logs.read(container, { follow: true })) text += Buffer.from(chunk).toString();
    };
    let hasEnded = false;
    const following = follow().finally(() => {
      hasEnded = true;
    });
    const rotating = manager(100_000);
    while (!hasEnded) {
      await rotating.rotateLogs(signal);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await following;
    rotations = (await readdir(join(root, `default_web_${uid}`, 'main'))).length - 1;
    const expected = Array.from({ length: lines }, (_, i) => (i === 7 ? `${'x'.repeat(50_000)}7` : String(i)));
    expect(text === [...expected, 'the end', ''].join('\n')).toBe(true);
    expect(rotations).toBeGreaterThanOrEqual(2);
    expect(recorded.lines).toEqual([]);
  });

  it('a deleted pod leaves nothing behind, and its image is removed when the disk is full', async () => {
    const images = new ImageGarbageCollector({
      ...common,
      runtime,
      recorder,
      policy: { minAgeMs: 0, highThresholdPercent: 0, lowThresholdPercent: 0 },
    });
    const names = async (): Promise<string[]> =>
      (await cri.images.listImages({})).images.flatMap(({ repoTags }) => repoTags).sort();
    const collect = async (): Promise<void> => images.deleteUnusedImages(signal);
    await collect();
    expect(await names()).toContain(busyboxImage);
    const dead = new ContainerGarbageCollector({
      ...common,
      runtime,
      recorder,
      logs: manager(-1),
      pods: { shouldPodContentBeRemoved: () => isGone.value, shouldPodRuntimeBeRemoved: () => isGone.value },
      podLogsDirectory: root,
      containerLogsDirectory: join(directory, 'links'),
    });
    await dead.collect(signal);
    expect((await cri.runtime.listContainers({})).containers).toHaveLength(1);
    isGone.value = true;
    await cri.runtime.stopPodSandbox({ podSandboxId: (await cri.runtime.listPodSandbox({})).items[0]?.id ?? '' });
    await dead.collect(signal);
    expect((await cri.runtime.listContainers({})).containers).toEqual([]);
    expect((await cri.runtime.listPodSandbox({})).items).toEqual([]);
    expect(await readdir(root)).toEqual([]);
    await expect(images.collect(signal)).rejects.toThrow('Insufficient free disk space');
    // The image of sandboxes is kept for new ones.
    expect(await names()).toEqual(['registry.example/pause:1']);
  });
});
