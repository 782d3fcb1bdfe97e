import type { Node, Pod } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newPod, newQueue, nodeAdded, places, prioritySort, reject, type TestQueue } from './queue.test-data.ts';
import type { QueuedPodInfo } from './queued-pod-info.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const name = fc.constantFrom(...names);

const step = fc.oneof(
  fc.record({ verb: fc.constant('add' as const), name, priority: fc.nat(2), gated: fc.boolean() }),
  fc.record({ verb: fc.constant('ungate' as const), name }),
  fc.record({ verb: fc.constant('relabel' as const), name }),
  fc.record({ verb: fc.constant('delete' as const), name }),
  fc.record({ verb: fc.constant('activate' as const), name }),
  fc.record({ verb: fc.constant('pop' as const) }),
  fc.record({ verb: fc.constant('pop' as const) }),
  fc.record({ verb: fc.constant('bind' as const), which: fc.nat(9) }),
  fc.record({ verb: fc.constant('reject' as const), which: fc.nat(9) }),
  fc.record({ verb: fc.constant('fail' as const), which: fc.nat(9) }),
  fc.record({ verb: fc.constant('node' as const), isGood: fc.boolean() }),
  fc.record({ verb: fc.constant('wait' as const), seconds: fc.constantFrom(1, 3, 20, 400) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Flight {
  readonly queued: QueuedPodInfo;
  /** Whether an event since it was popped makes a retry worthwhile. */
  isWorthATry: boolean;
}

/** The expected state of the queue, compared with it after every step. */
class Model {
  readonly test: TestQueue;
  /** All existing pods without a node. */
  readonly pods = new Map<string, Pod>();
  readonly flights: Flight[] = [];
  #uid = 0;

  constructor(test: TestQueue) {
    this.test = test;
  }

  async take(step: Step): Promise<void> {
    const { queue, clock } = this.test;
    switch (step.verb) {
      case 'add': {
        if (this.pods.has(step.name)) return;
        const options = { priority: step.priority, uid: `${step.name}-${this.#uid++}` };
        const pod = newPod(step.name, { ...options, ...(step.gated && { gates: ['g'] }) });
        this.pods.set(step.name, pod);
        queue.add(pod);
        return;
      }
      case 'ungate':
        return this.#update(step.name, (pod) => ({ ...pod, spec: { ...pod.spec!, schedulingGates: [] } }));
      case 'relabel':
        return this.#update(step.name, (pod) => ({ ...pod, status: { message: `${this.#uid++}` } }));
      case 'delete': {
        const pod = this.pods.get(step.name);
        this.pods.delete(step.name);
        if (pod) queue.delete(pod);
        return;
      }
      case 'activate': {
        const pod = this.pods.get(step.name);
        if (!pod) return;
        queue.activate([pod]);
        for (const flight of this.flights) if (isOf(flight, pod)) flight.isWorthATry = true;
        return;
      }
      case 'pop':
        return this.#pop();
      case 'node': {
        const node: Node = { metadata: { name: 'n', ...(step.isGood && { labels: { good: 'yes' } }) } };
        queue.moveAllToActiveOrBackoffQueue(nodeAdded, undefined, node);
        if (step.isGood) for (const flight of this.flights) flight.isWorthATry = true;
        return;
      }
      case 'wait':
        return this.#wait(step.seconds, clock);
      default:
        return this.#land(step.verb, step.which);
    }
  }

  #update(of: string, change: (pod: Pod) => Pod): void {
    const old = this.pods.get(of);
    if (!old) return;
    const pod = change(old);
    this.pods.set(of, pod);
    this.test.queue.update(old, pod);
  }

  #pop(): void {
    const { queue } = this.test;
    const active = queue.contents.active.map(({ metadata }) => queue.get(`x/${metadata.name}`)!);
    const before = places(queue);
    const popped = queue.tryPop();
    if (!popped) {
      expect(active).toEqual([]);
      return;
    }
    // The popped pod is the first of the active ones, or one in backoff when none is active.
    for (const other of active) expect(other === popped || !prioritySort(other, popped)).toBe(true);
    expect(active.length > 0 ? before.active : before.backoff).toContain(popped.info.pod.metadata.name);
    expect(isGated(popped.info.pod)).toBe(false);
    expect(popped.info.pod).toBe(this.pods.get(popped.info.pod.metadata.name!));
    this.flights.push({ queued: popped, isWorthATry: false });
  }

  #land(how: 'bind' | 'reject' | 'fail', which: number): void {
    if (this.flights.length === 0) return;
    const { queue } = this.test;
    const [flight] = this.flights.splice(which % this.flights.length, 1);
    const { queued, isWorthATry } = flight!;
    const of = queued.info.pod.metadata.name!;
    const isAlive = this.pods.get(of)?.metadata.uid === queued.uid;
    if (how === 'bind' || !isAlive) {
      queue.done(queued.uid);
      if (isAlive) this.pods.delete(of);
      return;
    }
    expect(reject(queue, queued, how === 'reject' ? ['Affinity'] : [])).toBe(true);
    // The pod returns with its state as of when it was popped, so the model is set back to that.
    this.pods.set(of, queued.info.pod);
    const isReady = how === 'fail' || isWorthATry;
    expect(places(queue)[isReady ? 'backoff' : 'unschedulable']).toContain(of);
  }

  async #wait(seconds: number, clock: TestQueue['clock']): Promise<void> {
    const { queue } = this.test;
    const waiting = queue.contents.unschedulable.map(({ metadata }) => queue.get(`x/${metadata.name}`)!);
    const flushed = waiting.map(({ flushTimestamp }) => flushTimestamp);
    await clock.advance(seconds * 1000);
    // Longer than the maximum backoff plus its window.
    if (seconds > 11) expect(places(queue).backoff).toEqual([]);
    // After this time only gated pods are still waiting.
    if (seconds > 330) for (const queued of queue.contents.unschedulable) expect(isGated(queued)).toBe(true);
    // Pods that have waited too long are moved by an event, which is recorded for pods in flight too.
    if (waiting.every(({ flushTimestamp }, i) => flushTimestamp === flushed[i])) return;
    for (const flight of this.flights) flight.isWorthATry = true;
  }

  check(): void {
    const { active, backoff, unschedulable, inFlight } = places(this.test.queue);
    const flying = this.flights.filter(({ queued }) => this.#isAlive(queued)).map(({ queued }) => queued.key.slice(2));
    // Each pod is in exactly one queue, and the queues contain no others.
    expect([...active, ...backoff, ...unschedulable, ...flying].sort()).toEqual([...this.pods.keys()].sort());
    expect(inFlight).toBe(this.flights.length);
    for (const of of [...active, ...backoff]) expect(isGated(this.pods.get(of)!)).toBe(false);
    for (const of of [...active, ...backoff, ...unschedulable])
      expect(this.test.queue.get(`x/${of}`)?.info.pod).toBe(this.pods.get(of));
  }

  #isAlive(queued: QueuedPodInfo): boolean {
    return this.pods.get(queued.info.pod.metadata.name!)?.metadata.uid === queued.uid;
  }
}

const isGated = ({ spec }: Pod): boolean => !!spec?.schedulingGates?.length;
const isOf = ({ queued }: Flight, pod: Pod): boolean => queued.uid === pod.metadata.uid;

it('loses no pod, has no pod twice, and misses no event', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80, size: 'max' }), async (steps) => {
      const model = new Model(newQueue());
      for (const one of steps) {
        await model.take(one);
        model.check();
      }
      model.test.queue.close();
      expect(model.test.clock.pending).toBe(0);
      expect(model.test.errors).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
