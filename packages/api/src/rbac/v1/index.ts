import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { clusterRoleStrategy, roleStrategy } from './role.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy, setBindingDefaults } from './role-binding.ts';

/** That nobody grants more than they have is not checked here: it needs to know who asks and what they may. */
export const behaviour: GroupVersionBehaviour = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  defaults: { RoleBinding: setBindingDefaults, ClusterRoleBinding: setBindingDefaults },
  strategies: {
    Role: roleStrategy,
    ClusterRole: clusterRoleStrategy,
    RoleBinding: roleBindingStrategy,
    ClusterRoleBinding: clusterRoleBindingStrategy,
  },
};
