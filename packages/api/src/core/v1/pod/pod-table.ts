import type { ContainerStateTerminated, ContainerStatus, Pod, PodCondition } from '../../../generated/core/v1.ts';
import { translateTimestampSince } from '../../../strategy/print.ts';
import { columns, type PrintContext, type TablePrinter } from '../../../strategy/table.ts';
import { isRestartableInitContainer } from './resources/pod-resources.ts';

/** Totals over the containers of a pod. */
class Summary {
  reason: string;
  ready = 0;
  restarts = 0;
  lastRestart: string | undefined;

  constructor(reason: string) {
    this.reason = reason;
  }

  count({ restartCount, lastState }: ContainerStatus): void {
    this.restarts += restartCount;
    const finished = lastState?.terminated?.finishedAt;
    // All times have the same format and zone, so comparing strings compares times.
    if (finished && (!this.lastRestart || finished > this.lastRestart)) this.lastRestart = finished;
  }
}

const endOf = ({ reason, signal, exitCode }: ContainerStateTerminated): string =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);

const isTrue = (conditions: readonly PodCondition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

/**
 * Adds the init containers up to the first that has not finished to the summary. Returns whether there is one, and the
 * totals of sidecars.
 */
function readInitContainers({ spec, status }: Pod, summary: Summary): { initializing: boolean; sidecars: Summary } {
  const sidecars = new Summary('');
  const containers = spec?.initContainers ?? [];
  const statuses = status?.initContainerStatuses ?? [];
  for (const [i, container] of statuses.entries()) {
    const sidecar = isRestartableInitContainer(containers.findLast(({ name }) => name === container.name));
    summary.count(container);
    if (sidecar) sidecars.count(container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (sidecar && container.started) {
      if (container.ready) summary.ready++;
      continue;
    }
    if (terminated) summary.reason = `Init:${endOf(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') summary.reason = `Init:${waiting.reason}`;
    else summary.reason = `Init:${i}/${containers.length}`;
    return { initializing: true, sidecars };
  }
  return { initializing: false, sidecars };
}

/** Adds the regular containers to the summary. They are visited in reverse, so that the first one with a reason determines it. */
function readContainers({ status }: Pod, summary: Summary): void {
  let running = false;
  let failure = '';
  for (const container of [...(status?.containerStatuses ?? [])].reverse()) {
    summary.count(container);
    const { waiting, terminated, running: runs } = container.state ?? {};
    if (waiting?.reason) summary.reason = waiting.reason;
    else if (terminated) {
      summary.reason = endOf(terminated);
      if (terminated.exitCode !== 0) failure = summary.reason;
    } else if (container.ready && runs) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  if (running && isTrue(status?.conditions, 'Ready')) summary.reason = 'Running';
  else if (failure) summary.reason = failure;
  else if (running) summary.reason = 'NotReady';
}

function summarize(pod: Pod): Summary {
  const { metadata, status = {} } = pod;
  const gated = status.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  const summary = new Summary(gated ? 'SchedulingGated' : status.reason || status.phase || '');
  const { initializing, sidecars } = readInitContainers(pod, summary);
  const initialized = status.conditions?.find(({ type }) => type === 'Initialized')?.status === 'True';
  if (!initializing || initialized) {
    summary.restarts = sidecars.restarts;
    summary.lastRestart = sidecars.lastRestart;
    readContainers(pod, summary);
  }
  if (metadata.deletionTimestamp) {
    if (status.reason === 'NodeLost') summary.reason = 'Unknown';
    else if (status.phase !== 'Failed' && status.phase !== 'Succeeded') summary.reason = 'Terminating';
  }
  return summary;
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === 'True',
  );
  return `${open.length}/${gates.length}`;
}

function row(pod: Pod, context: PrintContext): string[] {
  const { metadata, spec, status } = pod;
  const { reason, ready, restarts, lastRestart } = summarize(pod);
  const total =
    (spec?.containers ?? []).length + (spec?.initContainers ?? []).filter(isRestartableInitContainer).length;
  const ago = restarts > 0 && lastRestart ? ` (${translateTimestampSince(lastRestart, context)} ago)` : '';
  return [
    metadata.name ?? '',
    `${ready}/${total}`,
    reason,
    `${restarts}${ago}`,
    translateTimestampSince(metadata.creationTimestamp, context),
    status?.podIPs?.[0]?.ip || '<none>',
    spec?.nodeName || '<none>',
    status?.nominatedNodeName || '<none>',
    readinessGates(pod),
  ];
}

/** The table of pods. */
export const podTable: TablePrinter<Pod> = {
  columns: columns(
    'Name',
    'Ready',
    'Status',
    'Restarts',
    'Age',
    'IP (wide)',
    'Node (wide)',
    'Nominated Node (wide)',
    'Readiness Gates (wide)',
  ),
  row,
};
