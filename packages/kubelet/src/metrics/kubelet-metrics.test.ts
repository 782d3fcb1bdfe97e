import { FakeClock } from '@coxswain/client';
import { MetricsRegistry } from '@coxswain/component-base/metrics';
import { runtimeInProcess } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';
import { expect, it } from 'vitest';
import { countedRuntime } from './counted-runtime.ts';
import { KubeletMetrics } from './kubelet-metrics.ts';

const newRegistry = (): MetricsRegistry => new MetricsRegistry(() => new Date('2026-01-01T00:00:00Z'));
const linesOf = (registry: MetricsRegistry, pattern: RegExp): string[] =>
  registry
    .text()
    .split('\n')
    .filter((line) => pattern.test(line) && !line.startsWith('#'));

it('calls of the runtime are counted and timed', async () => {
  const registry = newRegistry();
  const clock = new FakeClock();
  const runtime = countedRuntime(
    runtimeInProcess(
      {
        listContainers: async () => {
          await clock.advance(2000);
          return {};
        },
        runPodSandbox: () => Promise.reject(new RpcError('Unknown', 'odd')),
      },
      { imageFsInfo: async () => ({}) },
    ),
    new KubeletMetrics(registry),
    clock,
  );
  expect(await runtime.runtime.listContainers({})).toEqual({ containers: [] });
  await expect(runtime.runtime.runPodSandbox({ runtimeHandler: 'kata' })).rejects.toThrow('odd');
  await runtime.images.imageFsInfo({});
  expect(linesOf(registry, /^kubelet_runtime_operations(_errors)?_total/)).toEqual(
    [
      'kubelet_runtime_operations_errors_total{operation_type="run_podsandbox"} 1',
      'kubelet_runtime_operations_total{operation_type="image_fs_info"} 1',
      'kubelet_runtime_operations_total{operation_type="list_containers"} 1',
      'kubelet_runtime_operations_total{operation_type="run_podsandbox"} 1',
    ].sort(),
  );
  expect(linesOf(registry, /^kubelet_runtime_operations_duration_seconds_sum.*list_containers/)).toEqual([
    'kubelet_runtime_operations_duration_seconds_sum{operation_type="list_containers"} 2',
  ]);
  expect(linesOf(registry, /^kubelet_run_podsandbox_errors_total/)).toEqual([
    'kubelet_run_podsandbox_errors_total{runtime_handler="kata"} 1',
  ]);
});

it('has the names that dashboards use', () => {
  const registry = newRegistry();
  const metrics = new KubeletMetrics(registry);
  metrics.node('n1', 2);
  metrics.running(3, { running: 5, exited: 1 });
  metrics.podWorker('sync', 0.2);
  metrics.podRuns(2, 3);
  metrics.relisted(0.01, 1, new Date(5000));
  metrics.volumes([{ plugin: 'kubernetes.io/empty-dir', state: 'actual_state_of_world', count: 2 }]);
  metrics.imagePulled(3, 20 * 2 ** 20);
  for (const line of [
    'kubelet_node_name{node="n1"} 1',
    'kubelet_running_pods 3',
    'kubelet_running_containers{container_state="running"} 5',
    'kubelet_pod_worker_duration_seconds_count{operation_type="sync"} 1',
    'kubelet_pod_start_duration_seconds_sum 2',
    'kubelet_pleg_relist_duration_seconds_count 1',
    'kubelet_pleg_last_seen_seconds 5',
    'volume_manager_total_volumes{plugin_name="kubernetes.io/empty-dir",state="actual_state_of_world"} 2',
    'kubelet_image_pull_duration_seconds_sum{image_size_in_bytes="10MB-100MB"} 3',
  ]) {
    expect(registry.text().split('\n')).toContain(line);
  }
});

it('counts requests while they last', () => {
  const registry = newRegistry();
  const metrics = new KubeletMetrics(registry);
  const request = { method: 'GET', path: 'exec', serverType: 'readwrite', isLongRunning: true } as const;
  const ended = metrics.requestBegan(request);
  const labels = 'long_running="true",method="GET",path="exec",server_type="readwrite"';
  expect(linesOf(registry, /^kubelet_http_inflight/)).toEqual([`kubelet_http_inflight_requests{${labels}} 1`]);
  ended(0.5);
  expect(linesOf(registry, /^kubelet_http_(inflight|requests_total|requests_duration_seconds_sum)/)).toEqual([
    `kubelet_http_inflight_requests{${labels}} 0`,
    `kubelet_http_requests_duration_seconds_sum{${labels}} 0.5`,
    `kubelet_http_requests_total{${labels}} 1`,
  ]);
});
