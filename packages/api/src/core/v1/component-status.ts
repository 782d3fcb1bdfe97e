import type { ComponentStatus } from '../../generated/core/v1.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

/** The strategy of ComponentStatus, which is read-only: the server queries the components on each request. */
export const componentStatusStrategy: Strategy<ComponentStatus> = {
  table: {
    columns: columns('Name', 'Status', 'Message', 'Error'),
    row({ metadata, conditions }) {
      const healthy = conditions?.find(({ type }) => type === 'Healthy');
      const status = healthy ? (healthy.status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown';
      return [metadata.name ?? '', status, healthy?.message ?? '', healthy?.error ?? ''];
    },
  },
};
