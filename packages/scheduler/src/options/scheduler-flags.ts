import { loggingFlags } from '@coxswain/component-base/logs';
import {
  boolean,
  type Completed,
  duration,
  flag,
  float,
  type Given,
  integer,
  string,
  stringArray,
} from '@coxswain/component-base';
import { leaderElectionFlags } from '@coxswain/component-base/leader-election';
import { servingFlagGroups } from '@coxswain/component-base/serving';

/** The supported flags, grouped as in `--help`. */
export const flagGroups = {
  Misc: {
    config: flag(string, 'A KubeSchedulerConfiguration file; with it, flags marked "not with --config" have no effect'),
    'write-config-to': flag(string, 'Write the configuration, with its defaults, to this file and exit'),
    master: flag(string, 'Address of the API server, instead of the kubeconfig’s'),
    'feature-gates': flag(stringArray, 'Features to turn on or off, such as ComponentFlagz=false', []),
  },
  'Leader election': {
    ...leaderElectionFlags('kube-scheduler'),
    'leader-elect-resource-lock': flag(string, 'Kind of lock for leader election; only leases', 'leases'),
  },
  ...servingFlagGroups(10259),
  'Deprecated (not with --config)': {
    kubeconfig: flag(string, 'Kubeconfig with address and credentials for the API server'),
    'kube-api-qps': flag(float, 'Average rate of requests per second to the API server', 50),
    'kube-api-burst': flag(integer, 'Burst of requests to the API server above that rate', 100),
    profiling: flag(boolean, 'Serve profiles of this process under /debug/pprof/', true),
    'contention-profiling': flag(boolean, 'Without effect: it profiles locks of Go', true),
    'pod-max-in-unschedulable-pods-duration': flag(
      duration,
      'How long a pod waits for an event at most; also with --config',
      '5m0s',
    ),
  },
  Logs: loggingFlags,
} as const;

/** By name. */
export const schedulerFlags = {
  ...flagGroups.Misc,
  ...flagGroups['Leader election'],
  ...flagGroups['Secure serving'],
  ...flagGroups.Authentication,
  ...flagGroups.Authorization,
  ...flagGroups['Deprecated (not with --config)'],
  ...flagGroups.Logs,
};

/** The given values of the flags, by camelCase name. */
export type SchedulerCommandOptions = Given<typeof schedulerFlags>;

/** The values of the flags with defaults. */
export type SchedulerSettings = Completed<typeof schedulerFlags>;
