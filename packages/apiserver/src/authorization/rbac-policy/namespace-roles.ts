import { events, type RoleTable } from './rule-notation.ts';

const leaderLocking = [
  'read,create,update coordination.k8s.io: leases',
  'read,create,update coordination.k8s.io: leasecandidates',
];

/** The roles in system namespaces. */
export const namespaceRoles: Readonly<Record<string, RoleTable>> = {
  'kube-public': {
    'system:controller:bootstrap-signer': [
      'read core: configmaps',
      'update core: configmaps named cluster-info',
      events,
    ],
  },
  'kube-system': {
    'extension-apiserver-authentication-reader': ['read core: configmaps named extension-apiserver-authentication'],
    'system:controller:bootstrap-signer': ['read core: secrets'],
    'system:controller:cloud-provider': ['read,create core: configmaps'],
    'system:controller:token-cleaner': ['read,delete core: secrets', events],
    'system::leader-locking-kube-controller-manager': leaderLocking,
    'system::leader-locking-kube-scheduler': leaderLocking,
  },
};
