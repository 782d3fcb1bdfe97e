import type { Deployment, DeploymentSpec, DeploymentStatus, ReplicaSet } from '@coxswain/api/apps/v1';

/** Returns a deployment with the fields that the server sets. */
export const deploymentOf = (spec: Partial<DeploymentSpec> = {}, status: DeploymentStatus = {}): Deployment => ({
  metadata: { name: 'web', namespace: 'default', uid: 'deployment', generation: 1 },
  spec: {
    replicas: 10,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    progressDeadlineSeconds: 600,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } } },
    ...spec,
  },
  status,
});

/** Returns a ReplicaSet of this size. By default all of its pods are available. */
export function setOf(
  name: string,
  size: number,
  { available = size, annotations = {} }: { available?: number; annotations?: Record<string, string> } = {},
): ReplicaSet {
  return {
    metadata: { name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z', annotations },
    spec: { replicas: size, selector: { matchLabels: { app: 'web' } } },
    status: { replicas: size, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  };
}
