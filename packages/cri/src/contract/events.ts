import assert from 'node:assert/strict';
import type { ContractCases } from './runtime-under-test.ts';

export const eventCases: ContractCases = {
  'listeners receive the start and the end of containers, with their pods': async (test) => {
    const { runtime, podUid } = test;
    const podSandboxId = await test.sandbox();
    const containerId = await test.container(podSandboxId);
    const stop = new AbortController();
    const seen: string[] = [];
    const listening = (async () => {
      for await (const event of runtime.getContainerEvents({}, { signal: stop.signal })) {
        if (event.podSandboxStatus?.metadata?.uid !== podUid || event.containerId !== containerId) continue;
        seen.push(event.containerEventType);
      }
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    await runtime.startContainer({ containerId });
    await test.until(async () => seen.includes('CONTAINER_STARTED_EVENT'));
    await runtime.stopContainer({ containerId, timeout: 1 });
    await test.until(async () => seen.includes('CONTAINER_STOPPED_EVENT'));
    stop.abort();
    await listening;
    // Some runtimes also send new listeners what has happened before.
    const later = seen.filter((type) => type !== 'CONTAINER_CREATED_EVENT');
    assert.deepEqual([...new Set(later)], ['CONTAINER_STARTED_EVENT', 'CONTAINER_STOPPED_EVENT']);
  },
};
