import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoreEventRecorder } from '../events/core-event-recorder.ts';
import { EventSeriesRecorder } from '../events/event-series-recorder.ts';
import { ClientSet } from '../kubernetes/client-set.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { InProcessTransport } from '../transport/index.ts';
import { LeaderElector } from './leader-elector.ts';
import { LeaseLock } from './lease-lock.ts';

let server: RunningApiServer;
let clients: ClientSet;
beforeAll(async () => {
  server = await startApiServer({ memory: true });
  const transport = new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] }));
  clients = new ClientSet(new RESTClient(transport));
});
afterAll(() => server.stop());

describe('leader election on a real API server', () => {
  it('hands the lease over, and records events', async () => {
    const leases = clients.coordination.v1.leases('default');
    const { events } = clients.core.v1;
    const recorder = new CoreEventRecorder({ events, source: { component: 'test' } });
    const candidate = (identity: string, onStartedLeading: () => void) => {
      const lock = new LeaseLock({ leases, name: 'job', identity, recorder, labels: { of: identity } });
      const stop = new AbortController();
      const times = { leaseDurationMs: 1500, renewDeadlineMs: 1000, retryPeriodMs: 10 };
      const elector = new LeaderElector({ lock, ...times, releaseOnCancel: true, callbacks: { onStartedLeading } });
      return { stop: () => stop.abort(), elector, done: elector.run(stop.signal) };
    };
    const led: string[] = [];
    await new Promise<void>((resolve) => {
      const a = candidate('a', () => {
        led.push('a');
        const b = candidate('b', () => {
          led.push('b');
          b.stop();
          void b.done.then(resolve);
        });
        a.stop();
      });
    });
    expect(led).toEqual(['a', 'b']);
    const lease = await leases.get('job');
    expect(lease.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 1 });
    expect(lease.metadata.labels).toEqual({ of: 'b' });
    await recorder.flush();
    const told = (await events('default').list()).items;
    expect(told.map((event) => event.message).sort()).toEqual([
      'a became leader',
      'a stopped leading',
      'b became leader',
      'b stopped leading',
    ]);
    expect(told[0]?.involvedObject).toMatchObject({ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', name: 'job' });
    await recorder.stop();
  });
});

describe('event recorders on a real API server', () => {
  const subject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'kube-system', uid: 'u' } };

  it('core/v1: counts repeated events, and creates deleted ones again', async () => {
    const { events } = clients.core.v1;
    const recorder = new CoreEventRecorder({ events, source: { component: 'test', host: 'h' } });
    for (let i = 0; i < 3; i++) recorder.event(subject, 'Warning', 'Broken', 'it is broken');
    await recorder.flush();
    const [event, ...others] = (await events('kube-system').list()).items;
    expect(others).toEqual([]);
    expect(event).toMatchObject({ count: 3, message: 'it is broken', source: { component: 'test', host: 'h' } });
    await events('kube-system').delete(event!.metadata.name!);
    recorder.event(subject, 'Warning', 'Broken', 'it is broken');
    await recorder.flush();
    expect((await events('kube-system').list()).items).toMatchObject([
      { count: 4, firstTimestamp: event!.firstTimestamp, metadata: { name: event!.metadata.name } },
    ]);
    await recorder.stop();
  });

  it('events.k8s.io/v1: writes a series', async () => {
    const { events } = clients.events.v1;
    const recorder = new EventSeriesRecorder({ events, reportingController: 'example.com/test', host: 'h' });
    const occurrence = { type: 'Normal', reason: 'Done', action: 'Doing', note: 'it is done' } as const;
    for (let i = 0; i < 3; i++) {
      recorder.event({ ...subject, metadata: { ...subject.metadata, namespace: 'default', name: 'y' } }, occurrence);
    }
    await recorder.flush();
    const found = (await events('default').list({ fieldSelector: 'reason=Done' })).items;
    expect(found).toMatchObject([
      { note: 'it is done', series: { count: 2 }, reportingInstance: 'example.com/test-h' },
    ]);
    await recorder.stop();
  });
});
