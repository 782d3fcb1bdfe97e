import type { ClusterRole, ClusterRoleBinding } from '@coxswain/api/rbac/v1';

/** The group of bootstrap tokens with which nodes join, in their Secret's `auth-extra-groups`. */
export const nodeTokenGroup = 'system:bootstrappers:kubeadm:default-node-token';

const getNodes = 'kubeadm:get-nodes';

/** The ClusterRoles with which kubeadm lets nodes join, beside those that every API server has. */
export const nodeBootstrapRoles: readonly ClusterRole[] = [
  { metadata: { name: getNodes }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['nodes'] }] },
];

/**
 * The ClusterRoleBindings with which kubeadm lets nodes join: whoever has a bootstrap token may request a node's client certificate, and
 * the controllers approve that and its renewals. Serving certificates are approved by people.
 */
export const nodeBootstrapBindings: readonly ClusterRoleBinding[] = [
  binding('kubeadm:kubelet-bootstrap', 'system:node-bootstrapper', nodeTokenGroup),
  binding(getNodes, getNodes, nodeTokenGroup),
  binding(
    'kubeadm:node-autoapprove-bootstrap',
    'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    nodeTokenGroup,
  ),
  binding(
    'kubeadm:node-autoapprove-certificate-rotation',
    'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    'system:nodes',
  ),
];

function binding(name: string, role: string, group: string): ClusterRoleBinding {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind: 'Group', name: group }],
  };
}
