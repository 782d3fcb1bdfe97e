import type { ContainerFilter, ContainerStatsFilter, PodSandboxFilter, PodSandboxStatsFilter } from '@coxswain/cri';
import { containerStateOf, type RuntimeContext, sandboxStateOf } from '../lifecycle/index.ts';
import type { Container, Sandbox } from '../model/index.ts';

type Labels = Readonly<Record<string, string>>;

const matches = (labels: Labels, selector: Labels | undefined): boolean =>
  Object.entries(selector ?? {}).every(([name, value]) => labels[name] === value);

/** The sandboxes that a filter lets through. One that is being made is not among them. */
export function sandboxesOf(
  { sandboxes }: RuntimeContext,
  filter: (PodSandboxStatsFilter & Pick<Partial<PodSandboxFilter>, 'state'>) | undefined,
): Sandbox[] {
  const { id = '', state, labelSelector } = filter ?? {};
  return [...sandboxes.values()].filter(
    (sandbox) =>
      sandbox.state.phase !== 'making' &&
      sandbox.id.startsWith(id) &&
      (!state || sandboxStateOf(sandbox) === state.state) &&
      matches(sandbox.config.labels, labelSelector),
  );
}

/** The containers that a filter lets through. One that is being made is not among them. */
export function containersOf(
  { containers }: RuntimeContext,
  filter: (ContainerStatsFilter & Pick<Partial<ContainerFilter>, 'state'>) | undefined,
): Container[] {
  const { id = '', podSandboxId = '', state, labelSelector } = filter ?? {};
  return [...containers.values()].filter(
    (container) =>
      container.state.phase !== 'making' &&
      container.id.startsWith(id) &&
      container.description.sandboxId.startsWith(podSandboxId) &&
      (!state || containerStateOf(container) === state.state) &&
      matches(container.config.labels, labelSelector),
  );
}
