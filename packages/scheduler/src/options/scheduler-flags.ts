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

/** The flags that are honoured, as `--help` groups them. */
export const flagGroups = {
  Misc: {
    config: flag(string, 'A KubeSchedulerConfiguration file; flags marked so say nothing where there is one'),
    'write-config-to': flag(string, 'Write the configuration, with its defaults, to this file and end'),
    master: flag(string, 'Address of the API server, instead of the kubeconfig’s'),
    'feature-gates': flag(stringArray, 'Features to turn on or off, such as ComponentFlagz=false', []),
  },
  'Leader election': {
    ...leaderElectionFlags('kube-scheduler'),
    'leader-elect-resource-lock': flag(string, 'By what leaders are elected; leases only', 'leases'),
  },
  ...servingFlagGroups(10259),
  'Deprecated (not with --config)': {
    kubeconfig: flag(string, 'How to reach the API server, and as whom'),
    'kube-api-qps': flag(float, 'Requests in a second to the API server, in the long run', 50),
    'kube-api-burst': flag(integer, 'Requests at once', 100),
    profiling: flag(boolean, 'Serve profiles of this process under /debug/pprof/', true),
    'contention-profiling': flag(boolean, 'Profiles locks of Go, of which there are none', true),
    'pod-max-in-unschedulable-pods-duration': flag(
      duration,
      'How long a pod waits for an event at most, with --config too',
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

/** What may be given, by the flags' names as TypeScript writes them. */
export type SchedulerCommandOptions = Given<typeof schedulerFlags>;

/** What they say once defaults are in place. */
export type SchedulerSettings = Completed<typeof schedulerFlags>;
