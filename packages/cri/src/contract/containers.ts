import assert from 'node:assert/strict';
import { containerStatus, failsWith } from './assertions.ts';
import type { ContractCases } from './runtime-under-test.ts';

export const containerCases: ContractCases = {
  'a container is created, starts and is stopped': async (test) => {
    const { runtime } = test;
    const containerId = await test.container(await test.sandbox(), { attempt: 2 });
    const created = await containerStatus(runtime, containerId);
    assert.equal(created.state, 'CONTAINER_CREATED');
    assert.deepEqual(created.metadata, { name: 'main', attempt: 2 });
    assert.equal(created.labels['io.kubernetes.container.name'], 'main');
    assert.equal(created.annotations.note, 'of the container');
    assert.notEqual(created.imageRef, '');

    await runtime.startContainer({ containerId });
    const running = await containerStatus(runtime, containerId);
    assert.equal(running.state, 'CONTAINER_RUNNING');
    assert.ok(running.startedAt >= created.createdAt, 'it started before it was created');

    await runtime.stopContainer({ containerId, timeout: 1 });
    const ended = await containerStatus(runtime, containerId);
    assert.equal(ended.state, 'CONTAINER_EXITED');
    assert.ok(ended.finishedAt >= running.startedAt, 'it ended before it started');
  },

  'a container starts only once': async (test) => {
    const { runtime } = test;
    const containerId = await test.container(await test.sandbox());
    await runtime.startContainer({ containerId });
    await assert.rejects(runtime.startContainer({ containerId }));
  },

  'the exit code and reason show how a container ended': async (test) => {
    const { runtime } = test;
    const podSandboxId = await test.sandbox();
    const ended = async (script: string, attempt: number) => {
      const containerId = await test.container(podSandboxId, { script, attempt });
      await runtime.startContainer({ containerId });
      await test.until(async () => (await containerStatus(runtime, containerId)).state === 'CONTAINER_EXITED');
      const { exitCode, reason } = await containerStatus(runtime, containerId);
      return `${reason} ${exitCode}`;
    };
    assert.equal(await ended('exit 0', 0), 'Completed 0');
    assert.equal(await ended('exit 3', 1), 'Error 3');
  },

  'stopping and removing a container can be repeated': async (test) => {
    const { runtime } = test;
    const containerId = await test.container(await test.sandbox());
    await runtime.startContainer({ containerId });
    for (const _ of [1, 2]) await runtime.stopContainer({ containerId, timeout: 1 });
    for (const _ of [1, 2]) await runtime.removeContainer({ containerId });
    await failsWith('NotFound', runtime.containerStatus({ containerId }));
  },

  'a container that runs is removed, too': async (test) => {
    const { runtime } = test;
    const containerId = await test.container(await test.sandbox());
    await runtime.startContainer({ containerId });
    await runtime.removeContainer({ containerId });
    await failsWith('NotFound', runtime.containerStatus({ containerId }));
  },

  'containers are listed by label, sandbox and state': async (test) => {
    const { runtime, podUid } = test;
    const podSandboxId = await test.sandbox();
    const [first, second] = [
      await test.container(podSandboxId, { name: 'a' }),
      await test.container(podSandboxId, { name: 'b' }),
    ];
    await runtime.startContainer({ containerId: second });
    const labelSelector = { 'io.kubernetes.pod.uid': podUid };
    const idsOf = async (filter: object): Promise<string[]> => {
      const { containers } = await runtime.listContainers({ filter: { labelSelector, ...filter } });
      return containers.map(({ id }) => id).sort();
    };
    assert.deepEqual(await idsOf({}), [first, second].sort());
    assert.deepEqual(await idsOf({ podSandboxId }), [first, second].sort());
    assert.deepEqual(await idsOf({ id: first }), [first]);
    assert.deepEqual(await idsOf({ state: { state: 'CONTAINER_RUNNING' } }), [second]);
    const byName = { ...labelSelector, 'io.kubernetes.container.name': 'a' };
    assert.deepEqual(await idsOf({ labelSelector: byName }), [first]);
  },

  "a running container's limits can be changed, and are reported": async (test) => {
    const { runtime } = test;
    const containerId = await test.container(await test.sandbox());
    await runtime.startContainer({ containerId });
    const linux = { cpuPeriod: 100_000, cpuQuota: 50_000, cpuShares: 256, memoryLimitInBytes: 128 * 2 ** 20 };
    await runtime.updateContainerResources({ containerId, linux });
    const { resources } = await containerStatus(runtime, containerId);
    if (!resources?.linux) return; // Runtimes need not report them.
    const { cpuQuota, cpuShares, memoryLimitInBytes } = resources.linux;
    assert.deepEqual([cpuQuota, cpuShares, memoryLimitInBytes], [50_000, 256, 128 * 2 ** 20]);
  },

  'running containers have stats': async (test) => {
    const { runtime, podUid } = test;
    const containerId = await test.container(await test.sandbox());
    await runtime.startContainer({ containerId });
    const filter = { labelSelector: { 'io.kubernetes.pod.uid': podUid } };
    const { stats } = await runtime.listContainerStats({ filter });
    assert.deepEqual(
      stats.map(({ attributes }) => attributes?.id),
      [containerId],
    );
    assert.notEqual(stats[0]?.cpu?.usageCoreNanoSeconds, undefined);
    assert.notEqual(stats[0]?.memory?.workingSetBytes, undefined);
  },

  'a call that is aborted rejects with the reason': async (test) => {
    const reason = new Error('not needed any more');
    const call = test.runtime.listContainers({}, { signal: AbortSignal.abort(reason) });
    await assert.rejects(call, reason);
  },
};
