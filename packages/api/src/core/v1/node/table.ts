import type { Node } from '../../../generated/core/v1.ts';
import { translateTimestampSince } from '../../../strategy/print.ts';
import { columns, type TablePrinter } from '../../../strategy/table.ts';

const rolePrefix = 'node-role.kubernetes.io/';
const roleLabel = 'kubernetes.io/role';

export const nodeTable: TablePrinter<Node> = {
  columns: columns(
    'Name',
    'Status',
    'Roles',
    'Age',
    'Version',
    'Internal-IP (wide)',
    'External-IP (wide)',
    'OS-Image (wide)',
    'Kernel-Version (wide)',
    'Container-Runtime (wide)',
  ),
  row(node, context) {
    const info = node.status?.nodeInfo;
    const kernel = info?.kernelVersion || '<unknown>';
    return [
      node.metadata.name ?? '',
      statusOf(node),
      rolesOf(node).join(',') || '<none>',
      translateTimestampSince(node.metadata.creationTimestamp, context),
      info?.kubeletVersion ?? '',
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      info?.osImage || '<unknown>',
      info?.architecture ? `${kernel} (${info.architecture})` : kernel,
      info?.containerRuntimeVersion || '<unknown>',
    ];
  },
};

function statusOf({ spec, status }: Node): string {
  // Of several Ready conditions, the last one counts.
  const ready = status?.conditions?.filter(({ type }) => type === 'Ready').pop();
  const text = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return spec?.unschedulable ? `${text},SchedulingDisabled` : text;
}

function rolesOf({ metadata: { labels } }: Node): string[] {
  const roles = Object.entries(labels ?? {}).map(([key, value]) =>
    key.startsWith(rolePrefix) ? key.slice(rolePrefix.length) : key === roleLabel ? value : '',
  );
  return [...new Set(roles)].filter((role) => role !== '').sort();
}

const addressOf = ({ status }: Node, type: string): string =>
  status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
