import { flag } from '../flags/flag.ts';
import { boolean, duration, string } from '../flags/flag-types.ts';

/** Upstream's leader election flags. `name` is the name of the component and the default name of its lease. */
export const leaderElectionFlags = (name: string) => ({
  'leader-elect': flag(boolean, 'Run a leader election, and work only as the leader', true),
  'leader-elect-lease-duration': flag(
    duration,
    'How long other candidates wait after the last renewal before they take the lease',
    '15s',
  ),
  'leader-elect-renew-deadline': flag(duration, 'How long the leader retries a renewal before it stops leading', '10s'),
  'leader-elect-retry-period': flag(duration, 'How long to wait between attempts to acquire or renew the lease', '2s'),
  'leader-elect-resource-name': flag(string, 'Name of the lease', name),
  'leader-elect-resource-namespace': flag(string, 'Namespace of the lease', 'kube-system'),
});
