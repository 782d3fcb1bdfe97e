import type { Pod } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/client';
import { expect, it } from 'vitest';
import { PodEvents } from '../pods/pod-events.ts';
import type { RuntimeContainer, RuntimePod } from '../runtime/runtime-pod.ts';
import { ContainerKiller } from './kill-pod.ts';

const container = (name: string, restartPolicy?: 'Always') => ({ name, ...(restartPolicy && { restartPolicy }) });

const pod: Pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'u' },
  spec: {
    terminationGracePeriodSeconds: 30,
    initContainers: [container('proxy', 'Always')],
    containers: [container('first'), container('second')],
  },
};

const running = (name: string): RuntimeContainer => ({
  ...{ id: `${name}-id`, sandboxId: 's', name, restartCount: 0, hash: '', image: '', imageRef: '', state: 'Running' },
  ...{ createdAtMs: 1, startedAtMs: 1, finishedAtMs: 0, exitCode: 0, reason: '', message: '' },
  ...{ resources: undefined, user: undefined },
});

const runtimePod: RuntimePod = {
  ...{ uid: 'u', name: 'web', namespace: 'default' },
  sandboxes: [{ id: 's', attempt: 0, isReady: true, ips: [] }],
  containers: ['proxy', 'first', 'second'].map(running),
};

it('if a container cannot be stopped, the others are stopped in order, and no rejection is unhandled', async () => {
  const calls: string[] = [];
  const killer = new ContainerKiller({
    runtime: {
      async stopContainer(id) {
        calls.push(id);
        if (id === 'first-id') throw new Error('the runtime is down');
      },
      async stopPodSandbox(id) {
        calls.push(id);
      },
    },
    hooks: { run: async () => {} },
    events: new PodEvents({ event: () => {}, annotatedEvent: () => {} }),
    clock: new FakeClock(),
  });
  await expect(killer.killPod(pod, runtimePod)).rejects.toThrow('the runtime is down');
  // The sandbox is kept, because killing the pod is retried.
  expect(calls).toEqual(['first-id', 'second-id', 'proxy-id']);
});
