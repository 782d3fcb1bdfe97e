import { FakeClock, Indexer, Reflector, silentLogger, WorkQueue } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { kubernetesBuildInfo } from './kubernetes-build-info.ts';
import { MetricsRegistry } from './metrics-registry.ts';

const newRegistry = (): MetricsRegistry => new MetricsRegistry(() => new Date('2026-01-01T00:00:00Z'));
const linesOf = (registry: MetricsRegistry, prefix: string): string[] =>
  registry
    .text()
    .split('\n')
    .filter((line) => line.startsWith(prefix));

describe('MetricsRegistry', () => {
  it('returns the same metric for the same name', () => {
    const registry = newRegistry();
    const definition = { name: 'things_total', help: 'Things.', labels: ['kind'] };
    registry.counter(definition).add(1, 'a');
    registry.counter(definition).add(2, 'a');
    expect(linesOf(registry, 'things_total')).toEqual(['things_total{kind="a"} 3']);
    expect(() => registry.gauge(definition)).toThrow('the metric things_total is a counter');
  });

  it('has the metrics of a work queue, under upstream’s names', async () => {
    const registry = newRegistry();
    const clock = new FakeClock();
    const queue = new WorkQueue<string>({ name: 'deployment', clock, metrics: registry });
    queue.add('default/web');
    expect(linesOf(registry, 'workqueue_depth')).toEqual(['workqueue_depth{name="deployment"} 1']);
    await clock.advance(20);
    const item = await queue.get();
    expect(linesOf(registry, 'workqueue_adds_total')).toEqual(['workqueue_adds_total{name="deployment"} 1']);
    expect(linesOf(registry, 'workqueue_queue_duration_seconds_sum')).toEqual([
      'workqueue_queue_duration_seconds_sum{name="deployment"} 0.02',
    ]);
    expect(linesOf(registry, 'workqueue_queue_duration_seconds_bucket{name="deployment",le="0.1"}')).toEqual([
      'workqueue_queue_duration_seconds_bucket{name="deployment",le="0.1"} 1',
    ]);
    expect(item).toBeDefined();
    queue.shutDown();
  });

  it('removes the metrics of a reflector when it stops', async () => {
    const registry = newRegistry();
    const clock = new FakeClock();
    const gone = { list: () => Promise.reject(new Error('gone')), watch: () => Promise.reject(new Error('gone')) };
    const started = (name: string, signal: AbortSignal): Promise<void> =>
      new Reflector(gone, new Indexer(), { name, clock, logger: silentLogger, metrics: registry }).run(signal);
    const [stay, stop] = [new AbortController(), new AbortController()];
    const running = [started('pods', stay.signal), started('widgets.example.com', stop.signal)];
    await clock.advance(1000);
    expect(linesOf(registry, 'reflector_').filter((line) => line.includes('widgets.example.com'))).not.toEqual([]);
    stop.abort();
    await running[1];
    expect(linesOf(registry, 'reflector_').filter((line) => line.includes('widgets.example.com'))).toEqual([]);
    expect(linesOf(registry, 'reflector_errors_total{')).toEqual([expect.stringContaining('name="pods"')]);
    stay.abort();
    await running[0];
  });

  it('has kubernetes_build_info only when it is registered', () => {
    const registry = newRegistry();
    expect(registry.text()).not.toContain('kubernetes_build_info');
    registry.register([kubernetesBuildInfo()]);
    expect(linesOf(registry, 'kubernetes_build_info')).toEqual([expect.stringContaining('git_version="v1.36.4"')]);
  });

  it('has metrics of the process', () => {
    const registry = newRegistry();
    expect(linesOf(registry, 'process_cpu_seconds_total')).toHaveLength(1);
    expect(registry.startTimeSeconds).toBeLessThan(Date.parse('2026-01-01T00:00:00Z') / 1000);
  });
});
