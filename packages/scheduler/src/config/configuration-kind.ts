/** What a configuration file has to say of itself. */
export const configurationKind = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
} as const;
