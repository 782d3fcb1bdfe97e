import type { RuntimeServiceHandlers } from '@coxswain/cri';
import {
  containerStatus,
  createContainer,
  execSync,
  listedContainerOf,
  noticeLostContainer,
  type RuntimeContext,
  removeContainer,
  reopenLog,
  startContainer,
  stopContainer,
  updateResources,
} from '../lifecycle/index.ts';
import type { StatsReader } from '../stats/index.ts';
import { batches } from './batches.ts';
import { containersOf } from './filters.ts';
import { infoOf } from './verbose-info.ts';

/** The calls about containers, but for those that answer with a URL. */
export function containerHandlers(context: RuntimeContext, stats: StatsReader) {
  const { containers } = context;
  return {
    async createContainer(request, { signal }) {
      return { containerId: (await createContainer(context, request, signal)).id };
    },
    async startContainer({ containerId }) {
      await startContainer(context, containers.get(containerId));
      return {};
    },
    async stopContainer({ containerId, timeout }, { signal }) {
      const container = containers.find(containerId);
      if (container) await stopContainer(context, container, timeout, signal);
      return {};
    },
    async removeContainer({ containerId }, { signal }) {
      const container = containers.find(containerId);
      if (container) await removeContainer(context, container, signal);
      stats.forget(containerId);
      return {};
    },
    async listContainers({ filter }) {
      return { containers: containersOf(context, filter).map(listedContainerOf) };
    },
    async *streamContainers({ filter }) {
      for (const batch of batches(containersOf(context, filter))) yield { containers: batch.map(listedContainerOf) };
    },
    async containerStatus({ containerId, verbose }) {
      const container = containers.get(containerId);
      await noticeLostContainer(context, container);
      const { description, state } = container;
      const details = {
        sandboxID: description.sandboxId,
        pid: state.process?.pid ?? 0,
        bundle: context.monitor.bundleOf(container.id),
      };
      return { status: containerStatus(container), info: infoOf(verbose, details) };
    },
    async updateContainerResources({ containerId, linux }) {
      if (linux) await updateResources(context, containers.get(containerId), linux);
      return {};
    },
    async reopenContainerLog({ containerId }) {
      await reopenLog(context, containers.get(containerId));
      return {};
    },
    async execSync({ containerId, cmd, timeout }, { signal }) {
      return await execSync(context, containers.get(containerId), { cmd, timeoutSeconds: timeout }, signal);
    },
    async containerStats({ containerId }) {
      return { stats: await stats.container(containers.get(containerId)) };
    },
    async listContainerStats({ filter }) {
      const running = containersOf(context, filter).filter(({ isRunning }) => isRunning);
      return { stats: await Promise.all(running.map((container) => stats.container(container))) };
    },
    async *streamContainerStats({ filter }) {
      const running = containersOf(context, filter).filter(({ isRunning }) => isRunning);
      for (const batch of batches(running))
        yield { containerStats: await Promise.all(batch.map((container) => stats.container(container))) };
    },
  } satisfies RuntimeServiceHandlers;
}
