import { FakeClock, silentLogger } from '@coxswain/client';
import { type RuntimeServiceHandlers, runtimeInProcess } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubeRuntime } from './kube-runtime.ts';
import { PodLifecycleEvents } from './pod-lifecycle-events.ts';
import { defaultRuntimeSettings } from './runtime-settings.ts';

describe('changes of pods', () => {
  let clock: FakeClock;
  let stop: AbortController;
  let running: Promise<void>;
  /** The uids that were reported since the last look. */
  let reported: string[];
  let lists: number;
  let sandboxes: readonly string[];
  /** Sends an event of a pod, or breaks the stream. */
  let send: (uid: string | Error) => void;

  beforeEach(() => {
    clock = new FakeClock();
    stop = new AbortController();
    [reported, lists, sandboxes] = [[], 0, []];
    send = () => {};
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  function follow(getContainerEvents: RuntimeServiceHandlers['getContainerEvents']): void {
    const handlers: RuntimeServiceHandlers = {
      listPodSandbox: async () => {
        lists++;
        return { items: sandboxes.map((uid) => ({ id: uid, labels: { 'io.kubernetes.pod.uid': uid } })) };
      },
      listContainers: async () => ({ containers: [] }),
      ...(getContainerEvents && { getContainerEvents }),
    };
    const runtime = new KubeRuntime({
      cri: runtimeInProcess(handlers, {}),
      machine: { terminationMessage: async () => undefined, logs: { read: async function* () {} } },
      settings: defaultRuntimeSettings,
      clock,
    });
    const onPod = (uid: string): void => void reported.push(uid);
    running = new PodLifecycleEvents({ runtime, clock, logger: silentLogger, onPod }).run(stop.signal);
  }

  /** A stream that sends what `send` is called with. */
  async function* stream() {
    for (;;) {
      const uid = await new Promise<string | Error>((resolve) => {
        send = resolve;
      });
      if (uid instanceof Error) throw uid;
      yield { containerId: uid, podSandboxStatus: { id: uid, metadata: { uid } } };
    }
  }

  const listsWithin = async (timeMs: number): Promise<number> => {
    const before = lists;
    await clock.advance(timeMs);
    return lists - before;
  };

  it('are found by listing every second if the runtime has no events', async () => {
    follow(() => {
      throw new RpcError('Unimplemented', 'unknown method');
    });
    await clock.advance(0);
    sandboxes = ['web'];
    expect(await listsWithin(10_000)).toBe(10);
    expect(reported).toEqual(['web']);
    sandboxes = [];
    await clock.advance(1000);
    expect(reported).toEqual(['web', 'web']);
  });

  it('are told by events at once, and lists every minute find those without an event', async () => {
    follow(stream);
    await clock.advance(0);
    send('web');
    await clock.advance(0);
    expect(reported).toEqual(['web']);
    await clock.advance(1000);
    expect(await listsWithin(120_000)).toBe(2);
    sandboxes = ['lost'];
    await clock.advance(60_000);
    expect(reported).toEqual(['web', 'lost']);
  });

  it('are found by listing while the stream of events is broken, which is opened again', async () => {
    follow(stream);
    await clock.advance(0);
    send('web');
    await clock.advance(1000);
    send(new RpcError('Unavailable', 'the runtime was killed'));
    // It is open again after a second, but has no events yet.
    await clock.advance(2000);
    expect(await listsWithin(10_000)).toBe(10);
    send('again');
    await clock.advance(0);
    expect(reported).toEqual(['web', 'again']);
  });
});
