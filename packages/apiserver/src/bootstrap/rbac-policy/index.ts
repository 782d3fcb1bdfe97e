export { nodeRules, type RbacPolicy, rbacPolicy } from './rbac-policy.ts';
export { type Reconciled, reconcileRbacPolicy } from './reconcile-rbac-policy.ts';
