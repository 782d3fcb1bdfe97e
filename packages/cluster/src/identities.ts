/** A user of the API server. */
export interface Identity {
  readonly username: string;
  readonly groups: readonly string[];
}

const authenticated = 'system:authenticated';

/** Has all rights. */
export const administrator: Identity = { username: 'kubernetes-admin', groups: ['system:masters', authenticated] };

/** May list and watch everything, as caches need. For all else each controller has its own service account. */
export const controllerManager: Identity = { username: 'system:kube-controller-manager', groups: [authenticated] };

export const scheduler: Identity = { username: 'system:kube-scheduler', groups: [authenticated] };

/** Returns the identity of a node's kubelet. It may access its own node, its pods, and the objects these refer to. */
export const kubeletOf = (node: string): Identity => ({
  username: `system:node:${node}`,
  groups: ['system:nodes', authenticated],
});

/** Returns the identity of a service account in kube-system. */
export const systemAccount = (name: string): Identity => ({
  username: `system:serviceaccount:kube-system:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', authenticated],
});
