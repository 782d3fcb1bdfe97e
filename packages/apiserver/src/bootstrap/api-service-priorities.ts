/** The order in discovery of a group, and of a version within its group: the highest number comes first. */
export interface APIServicePriority {
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

const priorities: Readonly<Record<string, readonly [group: number, versions: Readonly<Record<string, number>>]>> = {
  '': [18000, { v1: 1 }],
  apps: [17800, { v1: 15 }],
  'events.k8s.io': [17750, { v1: 15 }],
  'authentication.k8s.io': [17700, { v1: 15 }],
  'authorization.k8s.io': [17600, { v1: 15 }],
  autoscaling: [17500, { v1: 15, v2: 30 }],
  batch: [17400, { v1: 15 }],
  'certificates.k8s.io': [17300, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'networking.k8s.io': [17200, { v1: 15, v1beta1: 9 }],
  policy: [17100, { v1: 15 }],
  'rbac.authorization.k8s.io': [17000, { v1: 15 }],
  'storage.k8s.io': [16800, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'admissionregistration.k8s.io': [16700, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  'apiextensions.k8s.io': [16700, { v1: 15 }],
  'scheduling.k8s.io': [16600, { v1: 15, v1alpha2: 2 }],
  'coordination.k8s.io': [16500, { v1: 15, v1beta1: 13, v1alpha2: 12 }],
  'node.k8s.io': [16300, { v1: 15 }],
  'discovery.k8s.io': [16200, { v1: 15 }],
  'resource.k8s.io': [16200, { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 }],
  'flowcontrol.apiserver.k8s.io': [16100, { v1: 21 }],
  'internal.apiserver.k8s.io': [16000, { v1alpha1: 9 }],
  'storagemigration.k8s.io': [15800, { v1beta1: 9 }],
};

/** Returns undefined when the group version is not built in. */
export function apiServicePriority(group: string, version: string): APIServicePriority | undefined {
  const [groupPriorityMinimum, versions] = Object.hasOwn(priorities, group) ? priorities[group]! : [0, {}];
  const versionPriority = Object.hasOwn(versions, version) ? versions[version] : undefined;
  return versionPriority === undefined ? undefined : { groupPriorityMinimum, versionPriority };
}
