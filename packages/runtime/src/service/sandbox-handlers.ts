import type { RuntimeServiceHandlers } from '@coxswain/cri';
import {
  containerStatus,
  listedSandboxOf,
  noticeEndOfInit,
  nowOf,
  type RuntimeContext,
  removeSandbox,
  runSandbox,
  sandboxStatus,
  stopSandbox,
} from '../lifecycle/index.ts';
import type { StatsReader } from '../stats/index.ts';
import { batches } from './batches.ts';
import { containersOf, sandboxesOf } from './filters.ts';
import { infoOf } from './verbose-info.ts';

/** The calls about sandboxes. */
export function sandboxHandlers(context: RuntimeContext, stats: StatsReader) {
  const { sandboxes } = context;
  return {
    async runPodSandbox(request, { signal }) {
      return { podSandboxId: (await runSandbox(context, request, signal)).id };
    },
    async stopPodSandbox({ podSandboxId }, { signal }) {
      const sandbox = sandboxes.find(podSandboxId);
      if (sandbox) await stopSandbox(context, sandbox, signal);
      return {};
    },
    async removePodSandbox({ podSandboxId }, { signal }) {
      const sandbox = sandboxes.find(podSandboxId);
      if (sandbox) await removeSandbox(context, sandbox, signal);
      stats.forget(podSandboxId);
      return {};
    },
    async podSandboxStatus({ podSandboxId, verbose }) {
      const sandbox = sandboxes.get(podSandboxId);
      await noticeEndOfInit(context, sandbox);
      const containers = containersOf(context, { id: '', podSandboxId: sandbox.id, labelSelector: {} });
      const { net = '' } = verbose ? await context.namespaces.find(sandbox.id) : {};
      const details = { pid: sandbox.state.init?.pid ?? 0, networkNamespace: net, directory: sandbox.directory };
      return {
        status: sandboxStatus(sandbox),
        info: infoOf(verbose, details),
        containersStatuses: containers.map((container) => containerStatus(container)),
        timestamp: nowOf(context.clock),
      };
    },
    async listPodSandbox({ filter }) {
      return { items: sandboxesOf(context, filter).map(listedSandboxOf) };
    },
    async *streamPodSandboxes({ filter }) {
      for (const batch of batches(sandboxesOf(context, filter))) yield { podSandboxes: batch.map(listedSandboxOf) };
    },
    async podSandboxStats({ podSandboxId }) {
      const sandbox = sandboxes.get(podSandboxId);
      if (!sandbox.isReady)
        throw new Error(
          `failed to get pod sandbox stats since sandbox ${JSON.stringify(sandbox.id)} is not in ready state`,
        );
      return { stats: await stats.sandbox(sandbox) };
    },
    async listPodSandboxStats({ filter }) {
      const ready = sandboxesOf(context, filter).filter(({ isReady }) => isReady);
      return { stats: await Promise.all(ready.map((sandbox) => stats.sandbox(sandbox))) };
    },
    async *streamPodSandboxStats({ filter }) {
      const ready = sandboxesOf(context, filter).filter(({ isReady }) => isReady);
      for (const batch of batches(ready))
        yield { podSandboxStats: await Promise.all(batch.map((sandbox) => stats.sandbox(sandbox))) };
    },
    // The pod's cgroup is the caller's: there is nothing that depends on its size here.
    async updatePodSandboxResources({ podSandboxId }) {
      sandboxes.get(podSandboxId);
      return {};
    },
  } satisfies RuntimeServiceHandlers;
}
