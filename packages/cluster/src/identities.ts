/** Who somebody is to the API server. */
export interface Identity {
  readonly username: string;
  readonly groups: readonly string[];
}

const authenticated = 'system:authenticated';

/** May do everything. */
export const administrator: Identity = { username: 'kubernetes-admin', groups: ['system:masters', authenticated] };

/** May list and watch everything, which is what caches need; for the rest each controller has an account of its own. */
export const controllerManager: Identity = { username: 'system:kube-controller-manager', groups: [authenticated] };

export const scheduler: Identity = { username: 'system:kube-scheduler', groups: [authenticated] };

/** A kubelet, which may touch its own node, its pods, and what these refer to. */
export const kubeletOf = (node: string): Identity => ({
  username: `system:node:${node}`,
  groups: ['system:nodes', authenticated],
});

/** A service account of the namespace in which the system's own are. */
export const systemAccount = (name: string): Identity => ({
  username: `system:serviceaccount:kube-system:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', authenticated],
});
