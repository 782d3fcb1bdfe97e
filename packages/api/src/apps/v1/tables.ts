import { GroupVersion, labels } from '@coxswain/apimachinery';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../generated/apps/v1.ts';
import type { PodTemplateSpec } from '../../generated/core/v1.ts';
import { formatLabels, translateTimestampSince } from '../../strategy/print.ts';
import { columns, type TablePrinter } from '../../strategy/table.ts';
import { selectorOf } from './selector.ts';

/** Returns the names and images of a template's containers. */
export function containerCells(template: PodTemplateSpec | undefined): [names: string, images: string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

const wideColumns = ['Containers (wide)', 'Images (wide)', 'Selector (wide)'];

export const deploymentTable: TablePrinter<Deployment> = {
  columns: columns('Name', 'Ready', 'Up-to-date', 'Available', 'Age', ...wideColumns),
  row: ({ metadata, spec, status }, context) => [
    metadata.name ?? '',
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    translateTimestampSince(metadata.creationTimestamp, context),
    ...containerCells(spec?.template),
    selectorOf(spec?.selector)?.toString() ?? '<invalid>',
  ],
};

export const replicaSetTable: TablePrinter<ReplicaSet> = {
  columns: columns('Name', 'Desired:integer', 'Current:integer', 'Ready:integer', 'Age', ...wideColumns),
  row: ({ metadata, spec, status }, context) => [
    metadata.name ?? '',
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    translateTimestampSince(metadata.creationTimestamp, context),
    ...containerCells(spec?.template),
    labels.formatLabelSelector(spec?.selector),
  ],
};

export const statefulSetTable: TablePrinter<StatefulSet> = {
  columns: columns('Name', 'Ready', 'Age', 'Containers (wide)', 'Images (wide)'),
  row: ({ metadata, spec, status }, context) => [
    metadata.name ?? '',
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    translateTimestampSince(metadata.creationTimestamp, context),
    ...containerCells(spec?.template),
  ],
};

export const daemonSetTable: TablePrinter<DaemonSet> = {
  columns: columns(
    'Name',
    'Desired:integer',
    'Current:integer',
    'Ready:integer',
    'Up-to-date:integer',
    'Available:integer',
    'Node Selector',
    'Age',
    ...wideColumns,
  ),
  row: ({ metadata, spec, status }, context) => [
    metadata.name ?? '',
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    formatLabels(spec?.template.spec?.nodeSelector),
    translateTimestampSince(metadata.creationTimestamp, context),
    ...containerCells(spec?.template),
    labels.formatLabelSelector(spec?.selector),
  ],
};

export const controllerRevisionTable: TablePrinter<ControllerRevision> = {
  columns: columns('Name', 'Controller', 'Revision', 'Age'),
  row: ({ metadata, revision }, context) => [
    metadata.name ?? '',
    controllerName(metadata.ownerReferences?.find(({ controller }) => controller)),
    revision,
    translateTimestampSince(metadata.creationTimestamp, context),
  ],
};

function controllerName(owner: { apiVersion: string; kind: string; name: string } | undefined): string {
  if (!owner) return '<none>';
  const { group } = GroupVersion.parse(owner.apiVersion);
  return `${(group ? `${owner.kind}.${group}` : owner.kind).toLowerCase()}/${owner.name}`;
}
