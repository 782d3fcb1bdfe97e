/** What binder, provisioners and scheduler tell each other on claims and volumes. */
export const annotations = {
  /** On claims: they were bound once. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On volumes: it was not a user who chose the claim. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On claims: where the pod is going to be that they are for. */
  selectedNode: 'volume.kubernetes.io/selected-node',
} as const;
