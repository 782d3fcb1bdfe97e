import type { ContainerStatus, Pod, Probe } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/client';
import { textFormat } from '@coxswain/component-base/metrics';
import { describe, expect, it } from 'vitest';
import { ProbeManager } from './probe-manager.ts';
import { ProbeMetrics } from './probe-metrics.ts';
import { ProbeError, type ProbeRequest, type ProbeResult } from './prober.ts';

type Answer = ProbeResult['outcome'] | Error | Promise<ProbeResult>;

interface Scene {
  readonly readiness?: Probe;
  readonly liveness?: Probe;
  readonly startup?: Probe;
  /** What the pod's status said when the kubelet came. */
  readonly before?: Partial<ContainerStatus>;
  readonly random?: number;
}

/** A pod with one container that is probed, from half a second after the pod came. */
class Probing {
  readonly clock = new FakeClock();
  readonly metrics = new ProbeMetrics();
  /** When which probe asked, in seconds since the pod came. */
  asked: string[] = [];
  readonly told: string[] = [];
  readonly events: string[] = [];
  readonly requests: ProbeRequest[] = [];
  answer: (request: ProbeRequest) => Answer = () => 'Success';
  readonly #pod: Pod;
  readonly manager: ProbeManager;
  #running = { id: 'c1', startedAtMs: 0 };

  constructor({ readiness, liveness, startup, before, random = 0 }: Scene) {
    const container = {
      name: 'web',
      ...(readiness && { readinessProbe: readiness }),
      ...(liveness && { livenessProbe: liveness }),
      ...(startup && { startupProbe: startup }),
    };
    this.#pod = {
      metadata: { name: 'p', namespace: 'default', uid: 'u' },
      spec: { containers: [container] },
      ...(before && {
        status: {
          containerStatuses: [
            { name: 'web', image: '', imageID: '', ready: false, restartCount: 0, containerID: 'cri://c1', ...before },
          ],
        },
      }),
    };
    const startMs = this.clock.now();
    this.manager = new ProbeManager({
      prober: {
        probe: async (request) => {
          this.asked.push(`${request.kind} ${(this.clock.now() - startMs) / 1000}`);
          this.requests.push(request);
          const answer = this.answer(request);
          if (answer instanceof Error) throw answer;
          return typeof answer === 'string' ? { outcome: answer, output: 'because' } : await answer;
        },
      },
      clock: this.clock,
      random: () => random,
      runtimeName: () => 'cri',
      hostIPs: () => ['192.0.2.1'],
      metrics: this.metrics,
      onResult: () => this.told.push(this.state),
      onUnhealthy: (_pod, _container, reason, message) => this.events.push(`${reason}: ${message}`),
    });
  }

  /** Begins with a pod whose container starts after half a second, or has run for long. */
  async start(ranForMs = -500): Promise<this> {
    this.manager.update(this.#pod, { sandboxes: [], containers: [] });
    await this.clock.advance(Math.max(0, -ranForMs));
    this.#running = { id: 'c1', startedAtMs: this.clock.now() - Math.max(0, ranForMs) };
    this.look();
    await this.clock.advance(0);
    return this;
  }

  /** The pod is looked at. */
  look(state = 'Running'): void {
    const sandboxes = [{ ips: ['10.0.0.1'] }];
    this.manager.update(this.#pod, { sandboxes, containers: [{ name: 'web', state, ...this.#running }] });
  }

  restart(id: string): void {
    this.#running = { id, startedAtMs: this.clock.now() };
    this.look();
  }

  get state(): string {
    const { id } = this.#running;
    const is = (text: string, holds: boolean): string => `${holds ? '' : 'not '}${text}`;
    const [started, ready] = [this.manager.isStarted(`cri://${id}`), this.manager.isReady(`cri://${id}`)];
    return `${is('started', started)}, ${is('ready', ready)}, failed ${this.manager.failed(id) ?? 'nothing'}`;
  }

  /** Returns who asked since the last call. */
  takeAsked(): string[] {
    return this.asked.splice(0);
  }
}

const period = { periodSeconds: 10 };

describe('a readiness probe', () => {
  it('asks as soon as its initial delay is over, and then in periods', async () => {
    const probing = await new Probing({ readiness: { ...period, initialDelaySeconds: 3 } }).start();
    expect(probing.state).toBe('started, not ready, failed nothing');
    await probing.clock.advance(30_000);
    expect(probing.asked).toEqual(['Readiness 3.5', 'Readiness 13.5', 'Readiness 23.5']);
    expect(probing.told).toEqual(['started, ready, failed nothing']);
  });

  it('asks when the pod is looked at as long as it does not pass', async () => {
    const probing = new Probing({ readiness: period });
    probing.answer = () => 'Failure';
    await probing.start();
    await probing.clock.advance(4000);
    probing.answer = () => 'Success';
    probing.look();
    await probing.clock.advance(4000);
    probing.look();
    await probing.clock.advance(8000);
    expect(probing.asked).toEqual(['Readiness 0.5', 'Readiness 4.5', 'Readiness 14.5']);
  });

  it('counts answers against its thresholds', async () => {
    const probing = new Probing({ readiness: { ...period, successThreshold: 2, failureThreshold: 3 } });
    const answers: Answer[] = ['Success', 'Success', 'Failure', 'Failure', 'Warning', 'Failure', 'Failure', 'Failure'];
    probing.answer = () => answers.shift() ?? 'Failure';
    await probing.start();
    await probing.clock.advance(75_000);
    expect(probing.told).toEqual(['started, ready, failed nothing', 'started, not ready, failed nothing']);
    expect(probing.events).toEqual([
      'Unhealthy: Readiness probe failed: because',
      'Unhealthy: Readiness probe failed: because',
      'ProbeWarning: Readiness probe warning: because',
      ...Array.from({ length: 3 }, () => 'Unhealthy: Readiness probe failed: because'),
    ]);
  });

  it('tries three times to ask, and leaves what it knows if it cannot', async () => {
    const probing = new Probing({ readiness: period });
    await probing.start();
    probing.answer = () => new Error('runtime is away');
    await probing.clock.advance(10_000);
    probing.answer = () => new ProbeError('cut off', 'failure');
    await probing.clock.advance(10_000);
    expect(probing.asked).toHaveLength(7);
    expect(probing.state).toBe('started, ready, failed nothing');
    expect(probing.events).toEqual([
      'Unhealthy: Readiness probe errored and resulted in unknown state: runtime is away',
      'Unhealthy: Readiness probe errored and resulted in failure state: cut off',
    ]);
  });

  it('asks at the address of its pod', async () => {
    const probing = await new Probing({ readiness: period }).start();
    expect(probing.requests[0]?.podIP).toBe('10.0.0.1');
  });
});

describe('a liveness probe', () => {
  it('asks in periods that are counted from when the pod came', async () => {
    const probing = await new Probing({ liveness: { ...period, initialDelaySeconds: 12 } }).start();
    await probing.clock.advance(35_000);
    expect(probing.asked).toEqual(['Liveness 20', 'Liveness 30']);
    expect(probing.state).toBe('started, ready, failed nothing');
  });

  it('does not ask again once it has failed, until there is another container', async () => {
    const probing = new Probing({ liveness: { ...period, failureThreshold: 2 } });
    probing.answer = () => 'Failure';
    await probing.start();
    await probing.clock.advance(60_000);
    expect(probing.takeAsked()).toEqual(['Liveness 10', 'Liveness 20']);
    expect(probing.told).toEqual(['started, ready, failed Liveness']);
    probing.restart('c2');
    await probing.clock.advance(15_000);
    expect(probing.takeAsked()).toEqual(['Liveness 70']);
    expect(probing.state).toBe('started, ready, failed nothing');
  });

  it('that takes longer than its period asks again at once, and then in its periods', async () => {
    const probing = new Probing({ liveness: period });
    const answers: ((result: ProbeResult) => void)[] = [];
    probing.answer = () => new Promise((resolve) => answers.push(resolve));
    await probing.start();
    await probing.clock.advance(24_500);
    answers[0]?.({ outcome: 'Success', output: '' });
    await probing.clock.advance(0);
    answers[1]?.({ outcome: 'Success', output: '' });
    await probing.clock.advance(5500);
    expect(probing.asked).toEqual(['Liveness 10', 'Liveness 25', 'Liveness 30']);
  });

  it('is aborted when the container ends', async () => {
    const probing = new Probing({ liveness: period });
    probing.answer = () => new Promise(() => {});
    await probing.start();
    await probing.clock.advance(10_000);
    probing.look('Exited');
    expect(probing.requests[0]?.signal.aborted).toBe(true);
    await probing.clock.advance(60_000);
    expect(probing.asked).toHaveLength(1);
  });
});

describe('a startup probe', () => {
  const scene = { startup: { periodSeconds: 5, failureThreshold: 2 }, readiness: period, liveness: period };

  it('lets the others wait until it has passed, and asks no more', async () => {
    const probing = new Probing(scene);
    probing.answer = ({ kind }) => (kind === 'Startup' && probing.asked.length < 2 ? 'Failure' : 'Success');
    await probing.start();
    expect(probing.state).toBe('not started, not ready, failed nothing');
    await probing.clock.advance(30_000);
    expect(probing.asked).toEqual([
      'Startup 5',
      'Startup 10',
      'Liveness 10',
      'Readiness 10',
      'Liveness 20',
      'Readiness 20',
      'Liveness 30',
      'Readiness 30',
    ]);
  });

  it('that fails for good lets the container be restarted', async () => {
    const probing = new Probing(scene);
    probing.answer = () => 'Failure';
    await probing.start();
    await probing.clock.advance(60_000);
    expect(probing.asked).toEqual(['Startup 5', 'Startup 10']);
    expect(probing.told).toEqual(['not started, not ready, failed Startup']);
  });

  it('is over when the pod ends, as is the liveness probe; readiness is still asked for', async () => {
    const probing = new Probing(scene);
    probing.answer = ({ kind }) => (kind === 'Readiness' ? 'Success' : 'Failure');
    await probing.start();
    await probing.clock.advance(5000);
    probing.manager.stopLivenessAndStartup('u');
    await probing.clock.advance(20_000);
    expect(probing.asked).toEqual(['Startup 5', 'Readiness 5.5', 'Readiness 15.5', 'Readiness 25.5']);
    expect(probing.state).toBe('started, ready, failed nothing');
  });
});

describe('a kubelet that was restarted', () => {
  const hour = 3_600_000;

  it('keeps what was said of a container, and asks in a random part of the period', async () => {
    const scene = { readiness: period, liveness: period, startup: period, before: { ready: true, started: true } };
    const probing = await new Probing({ ...scene, random: 0.3 }).start(hour);
    expect(probing.state).toBe('started, ready, failed nothing');
    await probing.clock.advance(15_000);
    expect(probing.asked).toEqual(['Liveness 3', 'Readiness 3', 'Liveness 13', 'Readiness 13']);
  });

  it('does not ask for a random time if the container is new', async () => {
    const probing = await new Probing({ readiness: period, random: 0.3 }).start();
    expect(probing.asked).toEqual(['Readiness 0.5']);
  });
});

it('metrics are there as long as the pod is', async () => {
  const probing = new Probing({ readiness: period });
  const answers: Answer[] = ['Success', 'Failure', 'Failure'];
  probing.answer = () => answers.shift() ?? new Error('away');
  await probing.start();
  await probing.clock.advance(50_000);
  const lines = (): string[] =>
    textFormat(probing.metrics.families)
      .split('\n')
      .filter((line) => /^prober_probe_total|_count/.test(line));
  const labels = 'container="web",namespace="default",pod="p"';
  expect(lines()).toEqual([
    `prober_probe_duration_seconds_count{${labels},probe_type="Readiness"} 1`,
    `prober_probe_total{${labels},pod_uid="u",probe_type="Readiness",result="failed"} 2`,
    `prober_probe_total{${labels},pod_uid="u",probe_type="Readiness",result="successful"} 1`,
  ]);
  probing.manager.remove('u');
  expect(lines()).toEqual([]);
  expect(probing.clock.pending).toBe(0);
});
