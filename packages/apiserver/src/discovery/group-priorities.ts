/** The priority of a group version in discovery, as in an APIService. Higher values come first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

/** The priority of groups that are not in `ranks`, such as those of custom resources. */
const unranked = 1000;

const ranks: ReadonlyMap<string, number> = new Map([
  ['apiregistration.k8s.io', 20000],
  ['', 18000],
  ['apps', 17800],
  ['events.k8s.io', 17750],
  ['authentication.k8s.io', 17700],
  ['authorization.k8s.io', 17600],
  ['autoscaling', 17500],
  ['batch', 17400],
  ['certificates.k8s.io', 17300],
  ['networking.k8s.io', 17200],
  ['policy', 17100],
  ['rbac.authorization.k8s.io', 17000],
  ['storage.k8s.io', 16800],
  ['admissionregistration.k8s.io', 16700],
  ['apiextensions.k8s.io', 16700],
  ['scheduling.k8s.io', 16600],
  ['coordination.k8s.io', 16500],
  ['node.k8s.io', 16300],
  ['discovery.k8s.io', 16200],
  ['resource.k8s.io', 16200],
  ['flowcontrol.apiserver.k8s.io', 16100],
  ['internal.apiserver.k8s.io', 16000],
  ['storagemigration.k8s.io', 15800],
]);

/** Returns the priority of a group. All versions get the same, so they are ordered as Kubernetes versions. */
export const priorityOf = (group: string): Priority => ({ group: ranks.get(group) ?? unranked, version: 100 });
