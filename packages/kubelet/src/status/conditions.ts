import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '@coxswain/api/core/v1';
import { isSidecar } from '../pods/restart-rules.ts';

export interface ConditionInput {
  readonly pod: Pod;
  /** The status that the kubelet computed before this one. */
  readonly old: PodStatus;
  readonly phase: PodStatus['phase'];
  /** The statuses of init and main containers. */
  readonly statuses: readonly ContainerStatus[];
  /** Conditions that are not the kubelet's own, such as those of readiness gates. */
  readonly others: readonly PodCondition[];
  readonly hasSandbox: boolean;
}

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

/** Returns the conditions that every pod has, in upstream's order and without transition times. */
export function podConditions(input: ConditionInput): PodCondition[] {
  const { pod, hasSandbox } = input;
  const containersReady = containersReadyVerdict(input);
  const verdicts: [string, Verdict][] = [
    ['PodReadyToStartContainers', { status: hasSandbox ? 'True' : 'False' }],
    ['Initialized', initializedVerdict(input)],
    ['Ready', readyVerdict(input, containersReady)],
    ['ContainersReady', containersReady],
    ['PodScheduled', { status: 'True' }],
  ];
  return verdicts.map(([type, verdict]) => conditionOf(type, verdict, pod));
}

/** Returns the conditions `Ready` and `ContainersReady` of a pod that has ended. They don't depend on its containers' states. */
export function terminalReadiness(pod: Pod, phase: PodStatus['phase']): PodCondition[] {
  const verdict = { status: 'False', reason: phase === 'Failed' ? 'PodFailed' : 'PodCompleted' };
  return ['Ready', 'ContainersReady'].map((type) => conditionOf(type, verdict, pod));
}

function conditionOf(type: string, verdict: Verdict, { metadata: { generation } }: Pod): PodCondition {
  return { type, ...(generation !== undefined && { observedGeneration: Number(generation) }), ...verdict };
}

function containersReadyVerdict({ pod: { spec }, phase, statuses }: ConditionInput): Verdict {
  const containers = [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])];
  const { unknown, without } = sortOut(containers, statuses, (_, status) => status.ready);
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const message = problems(unknown, 'unready', without);
  return message === '' ? { status: 'True' } : { status: 'False', reason: 'ContainersNotReady', message };
}

function readyVerdict({ pod: { spec }, others }: ConditionInput, containersReady: Verdict): Verdict {
  if (containersReady.status !== 'True') return containersReady;
  const messages = (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = others.find(({ type }) => type === conditionType);
    if (!condition)
      return `corresponding condition of pod readiness gate ${JSON.stringify(conditionType)} does not exist.`;
    if (condition.status === 'True') return [];
    return `the status of pod readiness gate ${JSON.stringify(conditionType)} is not "True", but ${condition.status}`;
  });
  if (messages.length === 0) return { status: 'True' };
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}

function initializedVerdict({ pod: { spec }, old, phase, statuses }: ConditionInput): Verdict {
  const { unknown, without } = sortOut(spec?.initContainers ?? [], statuses, (container, { started, ready }) =>
    isSidecar(container) ? started === true : ready,
  );
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'True', reason: 'PodCompleted' };
  const hasMainStarted = statuses.some(
    ({ name, state }) =>
      (state?.running || state?.terminated) && spec?.containers.some((container) => container.name === name),
  );
  // Sidecars may be waiting for a restart then.
  if (hasMainStarted) return { status: 'True' };
  const message = problems(unknown, 'incomplete', without);
  // A pod stays initialized when all of its containers are restarted.
  const wasInitialized = old.conditions?.some(({ type, status }) => type === 'Initialized' && status === 'True');
  if (message === '' || wasInitialized) return { status: 'True' };
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function sortOut(
  containers: readonly Container[],
  statuses: readonly ContainerStatus[],
  isGood: (container: Container, status: ContainerStatus) => boolean,
): { unknown: string[]; without: string[] } {
  const unknown: string[] = [];
  const without: string[] = [];
  for (const container of containers) {
    const status = statuses.find(({ name }) => name === container.name);
    if (!status) unknown.push(container.name);
    else if (!isGood(container, status)) without.push(container.name);
  }
  return { unknown, without };
}

const problems = (unknown: readonly string[], adjective: string, without: readonly string[]): string =>
  [
    ...(unknown.length > 0 ? [`containers with unknown status: [${unknown.join(' ')}]`] : []),
    ...(without.length > 0 ? [`containers with ${adjective} status: [${without.join(' ')}]`] : []),
  ].join(', ');
