/** The required apiVersion and kind of a configuration file. */
export const configurationKind = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
} as const;
