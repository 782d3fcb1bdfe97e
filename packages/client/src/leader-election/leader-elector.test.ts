import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { recordingMetrics } from '../workqueue/recording-metrics.test-data.ts';
import type { LeaderElectionOptions } from './leader-election-options.ts';
import { LeaderElector } from './leader-elector.ts';
import { LeaderHealthzAdaptor } from './leader-healthz-adaptor.ts';
import { LeaseLock } from './lease-lock.ts';
import { LeaseServer, type Network, unreachable } from './lease-server.test-data.ts';

/** Without jitter, candidates try every 2 s. */
const random = (): number => 0;

class Candidate {
  readonly log: string[] = [];
  readonly stop = new AbortController();
  readonly elector: LeaderElector;
  readonly done: Promise<void>;
  leading: AbortSignal | undefined;
  endWork: () => void = () => {};

  constructor(
    identity: string,
    server: LeaseServer,
    clock: FakeClock,
    options: Partial<LeaderElectionOptions> & { network?: Network; slowToEnd?: boolean } = {},
  ) {
    const recorder = {
      event: (_: unknown, type: string, reason: string, message: string) =>
        this.log.push(`event ${type} ${reason} ${message}`),
    };
    const lock = new LeaseLock({ leases: server.client(options.network), name: 'job', identity, recorder });
    this.elector = new LeaderElector({
      lock,
      clock,
      random,
      callbacks: {
        onStartedLeading: async (signal) => {
          this.leading = signal;
          this.log.push('started');
          await new Promise<void>((resolve) => {
            this.endWork = resolve;
            if (!options.slowToEnd) signal.addEventListener('abort', () => resolve());
          });
          this.log.push('work ended');
        },
        onStoppedLeading: () => this.log.push('stopped'),
        onNewLeader: (leader) => this.log.push(`leader ${leader}`),
      },
      ...options,
    });
    this.done = this.elector.run(this.stop.signal).then(() => {
      this.log.push('run ended');
    });
  }
}

const start = () => ({ clock: new FakeClock(Date.UTC(2026, 0, 1)), server: new LeaseServer() });

describe('LeaderElector', () => {
  it.each<{ name: string; options: Partial<LeaderElectionOptions>; identity?: string; message: string }>([
    {
      name: 'a lease no longer than the renew deadline',
      options: { leaseDurationMs: 10_000 },
      message: 'leaseDuration must be greater than renewDeadline',
    },
    {
      name: 'a renew deadline too short for retries',
      options: { renewDeadlineMs: 2400 },
      message: 'renewDeadline must be greater than retryPeriod*JitterFactor',
    },
    {
      name: 'a retry period of zero',
      options: { retryPeriodMs: 0 },
      message: 'retryPeriod must be greater than zero',
    },
    {
      name: 'a lease duration of zero',
      options: { leaseDurationMs: 0, renewDeadlineMs: -1, retryPeriodMs: -2 },
      message: 'leaseDuration must be greater than zero',
    },
    { name: 'no identity', options: {}, identity: '', message: 'Lock identity is empty' },
  ])('refuses $name', ({ options, identity = 'a', message }) => {
    const lock = new LeaseLock({ leases: new LeaseServer().client(), name: 'job', identity });
    expect(() => new LeaderElector({ lock, callbacks: { onStartedLeading() {} }, ...options })).toThrow(message);
  });

  it('creates the lease, leads, and renews it every retry period', async () => {
    const { clock, server } = start();
    const a = new Candidate('a', server, clock);
    await clock.advance(0);
    expect(a.log).toEqual(['leader a', 'event Normal LeaderElection a became leader', 'started']);
    expect(a.elector.isLeader).toBe(true);
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await clock.advance(6000);
    expect(server.requests).toEqual(['get', 'create', 'update', 'update', 'update']);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:06.000000Z',
      leaseTransitions: 0,
    });
    a.stop.abort();
    await a.done;
    expect(clock.pending).toBe(0);
  });

  it('waits while another leads, and takes over when that has not renewed for the lease duration', async () => {
    const { clock, server } = start();
    let isCut = false;
    const network: Network = { sending: async () => (isCut ? Promise.reject(unreachable()) : undefined) };
    const a = new Candidate('a', server, clock, { network });
    await clock.advance(0);
    const b = new Candidate('b', server, clock);
    await clock.advance(30_000);
    expect([a.elector.isLeader, b.elector.isLeader, b.elector.leader]).toEqual([true, false, 'a']);
    isCut = true;
    await clock.advance(9999);
    expect(a.elector.isLeader).toBe(true);
    await clock.advance(1);
    expect([a.elector.isLeader, a.leading?.aborted, b.elector.isLeader]).toEqual([false, true, false]);
    await a.done;
    await clock.advance(8000);
    expect([b.elector.isLeader, b.log.filter((line) => line.startsWith('leader'))]).toEqual([
      true,
      ['leader a', 'leader b'],
    ]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    b.stop.abort();
    await b.done;
  });

  it('continues after a short failure by reading the lease again', async () => {
    const { clock, server } = start();
    let failures = 0;
    const { metrics, values } = recordingMetrics();
    const network: Network = {
      // The update was applied but its response is lost, so the known resourceVersion is outdated.
      answering: async (verb) => (verb === 'update' && failures-- > 0 ? Promise.reject(unreachable()) : undefined),
    };
    const a = new Candidate('a', server, clock, { network, metrics, name: 'jobs' });
    await clock.advance(0);
    failures = 1;
    await clock.advance(2000);
    expect(server.requests.slice(2)).toEqual(['update', 'get', 'update']);
    expect(values).toEqual({
      'leader_election_master_status{jobs}': 1,
      'leader_election_slowpath_total{jobs}': 1,
    });
    expect(a.leading?.aborted).toBe(false);
    a.stop.abort();
    await a.done;
    expect(values).toMatchObject({ 'leader_election_master_status{jobs}': 0 });
  });

  it('stops at the deadline even if a request hangs', async () => {
    const { clock, server } = start();
    let hangs = false;
    const network: Network = { sending: () => (hangs ? new Promise(() => {}) : Promise.resolve()) };
    const a = new Candidate('a', server, clock, { network });
    await clock.advance(0);
    hangs = true;
    await clock.advance(9999);
    expect(a.leading?.aborted).toBe(false);
    await clock.advance(1);
    expect(a.leading?.aborted).toBe(true);
    expect(String(a.leading?.reason)).toBe('Error: leadership of default/job was lost: the renew deadline has passed');
    await a.done;
    expect(a.log.slice(3)).toEqual([
      'stopped',
      'work ended',
      'event Normal LeaderElection a stopped leading',
      'run ended',
    ]);
    expect(clock.pending).toBe(0);
  });

  it.each<{ name: string; change: (server: LeaseServer) => void; isLost: boolean }>([
    {
      name: 'another candidate holds the lease',
      change: (server) => Object.assign(server.lease!.spec!, { holderIdentity: 'x' }),
      isLost: true,
    },
    {
      name: 'the holder was cleared',
      change: (server) => Object.assign(server.lease!.spec!, { holderIdentity: '' }),
      isLost: true,
    },
    {
      name: 'only its labels were changed',
      change: () => {},
      isLost: false,
    },
    {
      name: 'it was deleted',
      change: (server) => {
        server.lease = undefined;
      },
      isLost: false,
    },
  ])('notices that $name', async ({ change, isLost }) => {
    const { clock, server } = start();
    const a = new Candidate('a', server, clock);
    await clock.advance(0);
    server.lease!.metadata.resourceVersion = 'changed';
    change(server);
    await clock.advance(2000);
    expect(a.leading?.aborted).toBe(isLost);
    expect(server.lease?.spec?.holderIdentity === 'a').toBe(!isLost);
    a.stop.abort();
    await a.done;
  });

  it('releases the lease on cancellation after the work has ended, and keeps it until then', async () => {
    const { clock, server } = start();
    const a = new Candidate('a', server, clock, { releaseOnCancel: true, slowToEnd: true });
    await clock.advance(0);
    const b = new Candidate('b', server, clock);
    a.stop.abort();
    expect([a.leading?.aborted, a.elector.isLeader]).toEqual([true, false]);
    await clock.advance(60_000);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'a', renewTime: '2026-01-01T00:01:00.000000Z' });
    expect(b.leading).toBeUndefined();
    a.endWork();
    await a.done;
    expect(server.lease?.spec).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: '2026-01-01T00:01:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    });
    expect(a.log.slice(3)).toEqual([
      'work ended',
      'event Normal LeaderElection a stopped leading',
      'leader ',
      'stopped',
      'run ended',
    ]);
    await clock.advance(2000);
    expect([b.elector.isLeader, server.lease?.spec?.leaseTransitions]).toEqual([true, 1]);
    b.stop.abort();
    await b.done;
  });

  it('lets the lease expire on cancellation without releaseOnCancel', async () => {
    const { clock, server } = start();
    const a = new Candidate('a', server, clock);
    await clock.advance(0);
    a.stop.abort();
    await a.done;
    expect(server.lease?.spec?.holderIdentity).toBe('a');
  });

  it('releases a lease on cancellation even if it did not receive the response to its creation', async () => {
    const { clock, server } = start();
    const network: Network = { answering: (verb) => (verb === 'create' ? new Promise(() => {}) : Promise.resolve()) };
    const a = new Candidate('a', server, clock, { network, releaseOnCancel: true });
    await clock.advance(0);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    a.stop.abort();
    await a.done;
    expect(a.log).toEqual(['stopped', 'run ended']);
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(clock.pending).toBe(0);
  });

  it('calls onStoppedLeading even if it never led', async () => {
    const { clock, server } = start();
    const a = new Candidate('a', server, clock);
    await clock.advance(0);
    const b = new Candidate('b', server, clock, { releaseOnCancel: true });
    await clock.advance(5000);
    b.stop.abort();
    await b.done;
    expect(b.log).toEqual(['leader a', 'stopped', 'run ended']);
    expect(a.elector.isLeader).toBe(true);
    a.stop.abort();
    await a.done;
  });

  it('rejects with the failure of the work, and releases the lease', async () => {
    const { clock, server } = start();
    const lock = new LeaseLock({ leases: server.client(), name: 'job', identity: 'a' });
    const broken = new Error('broken');
    const callbacks = { onStartedLeading: () => Promise.reject(broken) };
    const elector = new LeaderElector({ lock, clock, releaseOnCancel: true, callbacks });
    await expect(elector.run(new AbortController().signal)).rejects.toBe(broken);
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  it('keeps leading when onStartedLeading returns no promise', async () => {
    const { clock, server } = start();
    const lock = new LeaseLock({ leases: server.client(), name: 'job', identity: 'a', labels: { app: 'x' } });
    const elector = new LeaderElector({ lock, clock, callbacks: { onStartedLeading() {} } });
    const stop = new AbortController();
    const done = elector.run(stop.signal);
    await clock.advance(20_000);
    expect(elector.isLeader).toBe(true);
    expect(server.lease?.metadata.labels).toEqual({ app: 'x' });
    await expect(elector.run(stop.signal)).rejects.toThrow('running already');
    stop.abort();
    await done;
  });

  it('fails its health check when it should have stopped long ago', async () => {
    const { clock, server } = start();
    let isCut = false;
    const network: Network = { sending: async () => (isCut ? Promise.reject(unreachable()) : undefined) };
    const health = new LeaderHealthzAdaptor(5000);
    health.check();
    const a = new Candidate('a', server, clock, { network, slowToEnd: true });
    health.setLeaderElection(a.elector);
    await clock.advance(0);
    isCut = true;
    await clock.advance(20_000);
    health.check();
    await clock.advance(1);
    expect(() => health.check()).toThrow('failed election to renew leadership on lease job');
    a.endWork();
    await a.done;
    health.check();
  });
});
