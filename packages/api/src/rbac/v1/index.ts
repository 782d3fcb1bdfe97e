import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { clusterRoleStrategy, roleStrategy } from './role.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy, setBindingDefaults } from './role-binding.ts';

/** Privilege escalation is not checked here: that needs the requesting user and an authorizer. */
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
