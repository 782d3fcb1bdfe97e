/**
 * Subjects of bindings, by the name that role and binding share: `User NAME`, `Group NAME`, or
 * `ServiceAccount NAMESPACE/NAME`.
 */
export type BindingTable = Readonly<Record<string, readonly string[]>>;

const authenticated = 'Group system:authenticated';

/** The bindings of controllers to their service accounts are not included; see `controller-roles.ts`. */
export const clusterRoleBindings: BindingTable = {
  'cluster-admin': ['Group system:masters'],
  'system:monitoring': ['Group system:monitoring'],
  'system:discovery': [authenticated],
  'system:basic-user': [authenticated],
  'system:public-info-viewer': [authenticated, 'Group system:unauthenticated'],
  'system:node-proxier': ['User system:kube-proxy'],
  'system:kube-controller-manager': ['User system:kube-controller-manager'],
  'system:kube-dns': ['ServiceAccount kube-system/kube-dns'],
  'system:kube-scheduler': ['User system:kube-scheduler'],
  'system:volume-scheduler': ['User system:kube-scheduler'],
  // No subjects: the Node authorizer authorizes nodes.
  'system:node': [],
  'system:service-account-issuer-discovery': ['Group system:serviceaccounts'],
  '@ClusterTrustBundle system:cluster-trust-bundle-discovery': ['Group system:serviceaccounts'],
};

/** Role bindings by namespace. `BINDING of ROLE` where their names differ. */
export const namespaceRoleBindings: Readonly<Record<string, BindingTable>> = {
  'kube-public': {
    'system:controller:bootstrap-signer': ['ServiceAccount kube-system/bootstrap-signer'],
  },
  'kube-system': {
    'system::extension-apiserver-authentication-reader of extension-apiserver-authentication-reader': [
      'User system:kube-controller-manager',
      'User system:kube-scheduler',
    ],
    'system::leader-locking-kube-controller-manager': [
      'User system:kube-controller-manager',
      'ServiceAccount kube-system/kube-controller-manager',
      'ServiceAccount kube-system/leader-election-controller',
    ],
    'system::leader-locking-kube-scheduler': [
      'User system:kube-scheduler',
      'ServiceAccount kube-system/kube-scheduler',
    ],
    'system:controller:bootstrap-signer': ['ServiceAccount kube-system/bootstrap-signer'],
    'system:controller:cloud-provider': ['ServiceAccount kube-system/cloud-provider'],
    'system:controller:token-cleaner': ['ServiceAccount kube-system/token-cleaner'],
  },
};
