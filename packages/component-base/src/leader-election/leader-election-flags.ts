import { flag } from '../flags/flag.ts';
import { boolean, duration, string } from '../flags/flag-types.ts';

/** The flags of leader election, as upstream's components have them. `name` is that of the component, and by default of its lease. */
export const leaderElectionFlags = (name: string) => ({
  'leader-elect': flag(boolean, 'Work only while no other does', true),
  'leader-elect-lease-duration': flag(duration, 'How long others wait without a sign of the leader', '15s'),
  'leader-elect-renew-deadline': flag(duration, 'How long the leader goes on without renewing', '10s'),
  'leader-elect-retry-period': flag(duration, 'How long between tries', '2s'),
  'leader-elect-resource-name': flag(string, 'Name of the lease', name),
  'leader-elect-resource-namespace': flag(string, 'Namespace of the lease', 'kube-system'),
});
