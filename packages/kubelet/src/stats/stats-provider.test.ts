import type { Pod } from '@coxswain/api/core/v1';
import { FakeClock, silentLogger } from '@coxswain/client';
import { type ImageServiceHandlers, type RuntimeServiceHandlers, runtimeInProcess } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';
import { describe, expect, it } from 'vitest';
import { CadvisorMetrics } from './cadvisor-metrics.ts';
import type { MachineUsage } from './machine-figures.ts';
import type { NodeStatsSources } from './node-stats-sources.ts';
import { resourceMetrics } from './resource-metrics.ts';
import { StatsProvider } from './stats-provider.ts';

const at = '2026-01-01T00:00:00Z';
const timestamp = BigInt(Date.parse(at)) * 1_000_000n;
const value = (number: number) => ({ value: number });

const listed: RuntimeServiceHandlers = {
  listPodSandbox: async () => ({
    items: [
      {
        id: 's1',
        createdAt: timestamp,
        state: 'SANDBOX_READY' as const,
        metadata: { name: 'web', namespace: 'default', uid: 'u1' },
      },
    ],
  }),
  listContainers: async () => ({
    containers: [
      {
        id: 'c1',
        podSandboxId: 's1',
        createdAt: timestamp,
        state: 'CONTAINER_RUNNING' as const,
        metadata: { name: 'main' },
        image: { image: 'sha256:1', userSpecifiedImage: 'web:1' },
      },
    ],
  }),
};

const usage = (id: string, cpuNs: number) => ({
  attributes: { id, metadata: { name: 'main' } },
  cpu: { timestamp, usageCoreNanoSeconds: value(cpuNs) },
  memory: { timestamp, workingSetBytes: value(100), usageBytes: value(150), rssBytes: value(50) },
  swap: { timestamp, swapUsageBytes: value(5), swapAvailableBytes: value(10) },
  writableLayer: { timestamp, fsId: { mountpoint: '/images' }, usedBytes: value(1000), inodesUsed: value(3) },
});

/** A runtime that tells of sandboxes, and one that tells of containers only. */
const ofSandboxes: RuntimeServiceHandlers = {
  ...listed,
  listPodSandboxStats: async () => ({
    stats: [
      {
        attributes: { id: 's1' },
        linux: {
          cpu: { timestamp, usageCoreNanoSeconds: value(3e9), usageNanoCores: value(7) },
          memory: { timestamp, workingSetBytes: value(120) },
          network: {
            timestamp,
            defaultInterface: { name: 'eth0', rxBytes: value(11), txBytes: value(12) },
            interfaces: [{ name: 'eth0', rxBytes: value(11), txBytes: value(12) }],
          },
          process: { timestamp, processCount: value(4) },
          containers: [usage('c1', 2e9), usage('gone', 1e9)],
        },
      },
      { attributes: { id: 'gone' }, linux: {} },
    ],
  }),
};
const ofContainers: RuntimeServiceHandlers = {
  ...listed,
  listContainerStats: async () => ({ stats: [usage('c1', 2e9), usage('gone', 1e9)] }),
};

const images: ImageServiceHandlers = {
  imageFsInfo: async () => ({
    imageFilesystems: [{ timestamp, fsId: { mountpoint: '/images' }, usedBytes: value(4000), inodesUsed: value(40) }],
  }),
};

const machineUsage: MachineUsage = {
  cpuUsageNs: 60e9,
  memory: { availableBytes: 1, usageBytes: 2, workingSetBytes: 3, rssBytes: 4, pageFaults: 5, majorPageFaults: 6 },
  swap: { usageBytes: 7, availableBytes: 8 },
  interfaces: [{ name: 'ens1', rxBytes: 1, rxErrors: 0, txBytes: 2, txErrors: 0 }],
  defaultInterface: 'ens1',
  processes: { limit: 100, running: 10 },
  pressure: { cpu: undefined, memory: undefined, io: undefined },
  bootTimeMs: 0,
};

const fileSystem = { capacityBytes: 100, availableBytes: 60, usedBytes: 40, inodes: 10, inodesFree: 6, inodesUsed: 4 };

const machine: NodeStatsSources = {
  figures: {
    usage: async () => machineUsage,
    fileSystem: async () => fileSystem,
    directory: async (path) => (path === '/logs/u1/main' ? { bytes: 500, inodes: 2 } : undefined),
    hardware: async () => ({
      cpus: 2,
      memoryBytes: 64,
      swapBytes: 0,
      machineId: 'm',
      systemUuid: 's',
      bootId: 'b',
    }),
  },
  rootDirectory: '/var/lib/kubelet',
  logDirectory: ({ uid }, container) => `/logs/${uid}/${container}`,
  volumes: async () => [
    { name: 'disk', time: at, usedBytes: 20, inodesUsed: 1 },
    { name: 'memory', time: at, usedBytes: 30, inodesUsed: 1 },
  ],
};

const pod: Pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'u1' },
  spec: {
    containers: [],
    volumes: [
      { name: 'disk', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
    ],
  },
};

function statsOf(handlers: RuntimeServiceHandlers, on?: NodeStatsSources) {
  const { runtime, images: imageService } = runtimeInProcess(handlers, images);
  const clock = new FakeClock(Date.parse(at));
  const stats = new StatsProvider({
    nodeName: 'n1',
    runtime: { service: runtime, images: imageService },
    clock,
    machine: on,
    pods: () => [pod],
  });
  return { stats, clock, runtime };
}

describe('the summary', () => {
  it('has the figures of sandboxes, containers and the machine', async () => {
    const { node, pods } = await statsOf(ofSandboxes, machine).stats.summary('all');
    expect(pods).toHaveLength(1);
    expect(pods[0]).toMatchObject({
      podRef: { name: 'web', namespace: 'default', uid: 'u1' },
      startTime: at,
      cpu: { time: at, usageCoreNanoSeconds: 3e9, usageNanoCores: 7 },
      memory: { workingSetBytes: 120 },
      network: { name: 'eth0', rxBytes: 11, interfaces: [{ name: 'eth0', txBytes: 12 }] },
      process_stats: { process_count: 4 },
      volume: [{ name: 'disk' }, { name: 'memory' }],
      // The writable layer, the log, and the volume on disk.
      'ephemeral-storage': { usedBytes: 1520, inodesUsed: 6, capacityBytes: 100, availableBytes: 60 },
    });
    expect(pods[0]?.containers).toMatchObject([
      {
        name: 'main',
        startTime: at,
        cpu: { usageCoreNanoSeconds: 2e9 },
        memory: { workingSetBytes: 100, usageBytes: 150, rssBytes: 50 },
        swap: { swapUsageBytes: 5 },
        rootfs: { usedBytes: 1000, inodesUsed: 3, capacityBytes: 100, inodesFree: 6 },
        logs: { usedBytes: 500, inodesUsed: 2 },
      },
    ]);
    expect(node).toMatchObject({
      nodeName: 'n1',
      startTime: '1970-01-01T00:00:00Z',
      cpu: { usageCoreNanoSeconds: 60e9 },
      memory: { workingSetBytes: 3 },
      network: { name: 'ens1', rxBytes: 1 },
      fs: { capacityBytes: 100, usedBytes: 40, inodesUsed: 4 },
      runtime: { imageFs: { usedBytes: 4000, capacityBytes: 100 }, containerFs: { usedBytes: 4000 } },
      rlimit: { maxpid: 100, curproc: 10 },
    });
  });

  it('has no more than CPU and memory if only these are asked for', async () => {
    const { node, pods } = await statsOf(ofSandboxes, machine).stats.summary('cpu and memory');
    expect(Object.keys(node).sort()).toEqual(['cpu', 'memory', 'nodeName', 'startTime', 'swap']);
    expect(Object.keys(pods[0]!).sort()).toEqual(['containers', 'cpu', 'memory', 'podRef', 'startTime', 'swap']);
    expect(Object.keys(pods[0]!.containers[0]!).sort()).toEqual(['cpu', 'memory', 'name', 'startTime', 'swap']);
  });

  it.each([
    ['does not know figures of sandboxes', ofContainers],
    [
      'fails for sandboxes',
      { ...ofContainers, listPodSandboxStats: () => Promise.reject(new RpcError('Unknown', 'odd')) },
    ],
  ])('has the sums of containers for a runtime that %s', async (_, handlers) => {
    const { pods } = await statsOf(handlers, machine).stats.summary('all');
    expect(pods).toMatchObject([
      { cpu: { usageCoreNanoSeconds: 2e9 }, memory: { workingSetBytes: 100 }, swap: { swapUsageBytes: 5 } },
    ]);
  });

  it('has the sums of its pods for a node without a machine', async () => {
    const { node } = await statsOf(ofContainers).stats.summary('all');
    expect(node).toEqual({
      nodeName: 'n1',
      startTime: null,
      cpu: { time: at, usageCoreNanoSeconds: 2e9 },
      memory: { time: at, workingSetBytes: 100, usageBytes: 150, rssBytes: 50 },
      swap: { time: at, swapUsageBytes: 5, swapAvailableBytes: 10 },
    });
  });

  it('fails with the runtime', async () => {
    const broken = { ...listed, listContainers: () => Promise.reject(new RpcError('Unavailable', 'gone')) };
    await expect(statsOf(broken).stats.summary('all')).rejects.toThrow('gone');
  });
});

describe('metrics of resources', () => {
  it('have upstream’s names, and the times of their values', async () => {
    const text = await resourceMetrics(statsOf(ofSandboxes, machine).stats, silentLogger);
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const ms = Date.parse(at);
    expect(lines).toEqual([
      `container_cpu_usage_seconds_total{container="main",namespace="default",pod="web"} 2 ${ms}`,
      `container_memory_working_set_bytes{container="main",namespace="default",pod="web"} 100 ${ms}`,
      `container_start_time_seconds{container="main",namespace="default",pod="web"} 1.7672256e+09`,
      `container_swap_limit_bytes{container="main",namespace="default",pod="web"} 15 ${ms}`,
      `container_swap_usage_bytes{container="main",namespace="default",pod="web"} 5 ${ms}`,
      `node_cpu_usage_seconds_total 60 ${ms}`,
      `node_memory_working_set_bytes 3 ${ms}`,
      `node_swap_usage_bytes 7 ${ms}`,
      `pod_cpu_usage_seconds_total{namespace="default",pod="web"} 3 ${ms}`,
      `pod_memory_working_set_bytes{namespace="default",pod="web"} 120 ${ms}`,
      `pod_swap_usage_bytes{namespace="default",pod="web"} 5 ${ms}`,
      'resource_scrape_error 0',
    ]);
    expect(text).toContain('# TYPE pod_cpu_usage_seconds_total counter\n');
  });

  it('tell that there was an error', async () => {
    const broken = { ...listed, listContainers: () => Promise.reject(new RpcError('Unavailable', 'gone')) };
    const text = await resourceMetrics(statsOf(broken, machine).stats, silentLogger);
    expect(text).toMatch(/^resource_scrape_error 1$/m);
  });
});

describe('metrics of cAdvisor', () => {
  it('are computed for a runtime without metrics', async () => {
    const { stats, runtime } = statsOf(ofSandboxes, machine);
    const text = await new CadvisorMetrics(runtime, stats).text();
    const main = 'container="main",';
    const rest = 'id="/c1",image="web:1",name="c1",namespace="default",pod="web"';
    const ms = Date.parse(at);
    for (const line of [
      `container_cpu_usage_seconds_total{${main}cpu="total",${rest}} 2 ${ms}`,
      `container_memory_working_set_bytes{${main}${rest}} 100 ${ms}`,
      `container_fs_usage_bytes{${main}${rest}} 1000 ${ms}`,
      'container_network_receive_bytes_total{container="",id="/s1",image="",interface="eth0",name="s1",namespace="default",pod="web"} 11',
      `container_memory_working_set_bytes{container="",id="/",image="",name="",namespace="",pod=""} 3 ${ms}`,
      'machine_cpu_cores{boot_id="b",machine_id="m",system_uuid="s"} 2',
      'machine_memory_bytes{boot_id="b",machine_id="m",system_uuid="s"} 64',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });

  it('are the runtime’s own if it has some', async () => {
    const own: RuntimeServiceHandlers = {
      ...listed,
      listMetricDescriptors: async () => ({
        descriptors: [{ name: 'container_threads', help: 'Threads', labelKeys: ['pod', 'container'] }],
      }),
      listPodSandboxMetrics: async () => ({
        podMetrics: [
          {
            podSandboxId: 's1',
            metrics: [{ name: 'unknown', labelValues: [], value: value(1) }],
            containerMetrics: [
              {
                containerId: 'c1',
                metrics: [
                  {
                    name: 'container_threads',
                    metricType: 'GAUGE' as const,
                    labelValues: ['we"b', 'main'],
                    value: value(3),
                    timestamp,
                  },
                  {
                    name: 'container_threads',
                    metricType: 'GAUGE' as const,
                    labelValues: ['too few'],
                    value: value(3),
                  },
                ],
              },
            ],
          },
        ],
      }),
    };
    const { stats, runtime } = statsOf(own);
    expect(await new CadvisorMetrics(runtime, stats).text()).toBe(
      `# HELP container_threads Threads\n# TYPE container_threads gauge\ncontainer_threads{container="main",pod="we\\"b"} 3 ${Date.parse(at)}\n`,
    );
  });
});
