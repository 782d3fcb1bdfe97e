export { rbacPolicy } from './rbac-policy.ts';
export { reconcileRbacPolicy } from './reconcile-rbac-policy.ts';
