/** Annotations by which PV controller, provisioners and scheduler communicate on claims and volumes. */
export const annotations = {
  /** On claims: binding was completed. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On volumes: the claim was chosen by a controller, not by a user. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On claims: the node of the pod to provision for. */
  selectedNode: 'volume.kubernetes.io/selected-node',
} as const;
