import { expect, it } from 'vitest';
import type { QueuedPod } from '../../framework/plugin.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { fakeHandle } from '../fake-handle.test-data.ts';
import { prioritySort } from './index.ts';

const queued = (priority: number | undefined, timestamp: number): QueuedPod => ({
  info: new PodInfo({ metadata: { name: 'p' }, spec: { containers: [], ...(priority !== undefined && { priority }) } }),
  timestamp,
  attempts: 1,
  initialAttemptTimestamp: undefined,
  unschedulablePlugins: new Set(),
  pendingPlugins: new Set(),
  gatingPlugin: undefined,
});

it.each<[string, QueuedPod, QueuedPod, boolean]>([
  ['higher priority is first', queued(2, 9), queued(1, 1), true],
  ['lower priority is not first', queued(1, 1), queued(2, 9), false],
  ['a missing priority counts as zero', queued(undefined, 9), queued(-1, 1), true],
  ['among equals the older is first', queued(1, 1), queued(1, 2), true],
  ['among equals the younger is not first', queued(1, 2), queued(1, 1), false],
  ['neither is first with equal priority and age', queued(1, 1), queued(1, 1), false],
])('%s', (_, a, b, expected) => {
  expect(prioritySort.create(undefined, fakeHandle()).less?.(a, b)).toBe(expected);
});
