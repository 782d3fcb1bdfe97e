import assert from 'node:assert/strict';
import { failsWith, sandboxStatus } from './assertions.ts';
import type { ContractCases } from './runtime-under-test.ts';

export const sandboxCases: ContractCases = {
  'the runtime reports its name, and is ready': async ({ runtime }) => {
    const { runtimeName, runtimeVersion, runtimeApiVersion } = await runtime.version({});
    assert.ok(runtimeName !== '' && runtimeVersion !== '', 'name or version is empty');
    assert.equal(runtimeApiVersion, 'v1');
    const { status } = await runtime.status({});
    // Runtimes may have conditions of their own.
    const conditions = status?.conditions.map(({ type, status: is }) => `${type}=${is}`) ?? [];
    for (const condition of ['NetworkReady=true', 'RuntimeReady=true']) assert.ok(conditions.includes(condition));
  },

  'a sandbox that runs is ready, has an address, and is as it was described': async (test) => {
    const id = await test.sandbox({ attempt: 3 });
    const { state, metadata, labels, annotations, createdAt, network } = await sandboxStatus(test.runtime, id);
    assert.equal(state, 'SANDBOX_READY');
    assert.deepEqual(metadata, { name: 'web', namespace: 'default', uid: test.podUid, attempt: 3 });
    assert.equal(labels['io.kubernetes.pod.uid'], test.podUid);
    assert.equal(annotations.note, 'of the sandbox');
    assert.ok(createdAt > 0n, 'it was created at no time');
    assert.match(network?.ip ?? '', /^[0-9a-f.:]+$/);
  },

  "a sandbox in the node's network has no address of its own": async (test) => {
    const id = await test.sandbox({ network: 'NODE' });
    const { network, linux } = await sandboxStatus(test.runtime, id);
    assert.equal(network?.ip ?? '', '');
    assert.equal(linux?.namespaces?.options?.network, 'NODE');
  },

  'sandboxes are listed by label, id and state': async (test) => {
    const { runtime, podUid } = test;
    const [first, second] = [await test.sandbox(), await test.sandbox({ attempt: 1 })];
    await runtime.stopPodSandbox({ podSandboxId: first });
    const labelSelector = { 'io.kubernetes.pod.uid': podUid };
    const idsOf = async (filter: object): Promise<string[]> => {
      const { items } = await runtime.listPodSandbox({ filter: { labelSelector, ...filter } });
      return items.map(({ id }) => id).sort();
    };
    assert.deepEqual(await idsOf({}), [first, second].sort());
    assert.deepEqual(await idsOf({ id: first }), [first]);
    assert.deepEqual(await idsOf({ state: { state: 'SANDBOX_READY' } }), [second]);
    assert.deepEqual(await idsOf({ labelSelector: { ...labelSelector, other: 'x' } }), []);
  },

  'a sandbox that is stopped is not ready, and its containers have ended': async (test) => {
    const { runtime } = test;
    const podSandboxId = await test.sandbox();
    const containerId = await test.container(podSandboxId);
    await runtime.startContainer({ containerId });
    await runtime.stopPodSandbox({ podSandboxId });
    assert.equal((await sandboxStatus(runtime, podSandboxId)).state, 'SANDBOX_NOTREADY');
    assert.equal((await runtime.containerStatus({ containerId })).status?.state, 'CONTAINER_EXITED');
  },

  'stopping and removing a sandbox can be repeated': async (test) => {
    const { runtime } = test;
    const podSandboxId = await test.sandbox();
    const containerId = await test.container(podSandboxId);
    for (const _ of [1, 2]) await runtime.stopPodSandbox({ podSandboxId });
    for (const _ of [1, 2]) await runtime.removePodSandbox({ podSandboxId });
    await failsWith('NotFound', runtime.podSandboxStatus({ podSandboxId }));
    await failsWith('NotFound', runtime.containerStatus({ containerId }));
  },
};
