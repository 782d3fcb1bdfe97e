import type { ClusterRole, ClusterRoleBinding } from '@coxswain/api/rbac/v1';
import { describe, expect, it } from 'vitest';
import { newAuthorization } from './authorization-modes.ts';
import { checkBindingEscalation, checkRoleEscalation } from './escalation-check.ts';
import { MemoryListers } from './memory-listers.test-data.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
const role: ClusterRole = { metadata: { name: 'r', finalizers: ['f'], managedFields: [] }, rules };
const binding: ClusterRoleBinding = {
  metadata: { name: 'b' },
  roleRef: { apiGroup, kind: 'ClusterRole', name: 'r' },
  subjects: [{ kind: 'User', apiGroup, name: 'x' }],
};

const escalator: ClusterRole = {
  metadata: { name: 'e' },
  rules: [{ verbs: ['escalate'], apiGroups: [apiGroup], resources: ['clusterroles'], resourceNames: ['r'] }],
};
const listers = new MemoryListers().set(
  { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', ...role },
  { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', ...escalator },
  {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'e' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'e' },
    subjects: [{ kind: 'User', apiGroup, name: 'eve' }],
  } as ClusterRoleBinding,
);
const { authorizer, rbac } = newAuthorization(['RBAC'], listers);
const as = (username: string) => ({ user: { username }, namespace: '', authorizer, rbac });

describe('an update of a role', () => {
  it('is checked even when its rules stay as they are', async () => {
    const changed = { ...role, metadata: { ...role.metadata, labels: { a: 'b' } } };
    const refused = await checkRoleEscalation(as('ann'), 'clusterroles', 'r', changed, role);
    expect(refused?.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "r" is forbidden: user "ann" (groups=[]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    );
  });

  it('is not checked when it changes only metadata for garbage collection', async () => {
    const changed = { ...role, metadata: { name: 'r', ownerReferences: [], managedFields: [{ manager: 'm' }] } };
    expect(await checkRoleEscalation(as('ann'), 'clusterroles', 'r', changed, role)).toBeUndefined();
  });

  it('is allowed with escalate on the name of the role, but its creation is not', async () => {
    const more = { ...role, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
    expect(await checkRoleEscalation(as('eve'), 'clusterroles', 'r', more, role)).toBeUndefined();
    expect(await checkRoleEscalation(as('eve'), 'clusterroles', '', more)).toMatchObject({ code: 403 });
  });

  it('may not remove aggregation without all permissions', async () => {
    const aggregating = { ...role, rules: [], aggregationRule: { clusterRoleSelectors: [{}] } };
    const refused = await checkRoleEscalation(as('ann'), 'clusterroles', 'r', { ...role, rules: [] }, aggregating);
    expect(refused?.message).toMatch(/must have cluster-admin privileges to use the aggregationRule$/);
  });
});

describe('an update of a binding', () => {
  it('is checked, unless it changes only metadata for garbage collection', async () => {
    const changed = { ...binding, subjects: [] };
    expect(await checkBindingEscalation(as('ann'), 'clusterrolebindings', changed, binding)).toMatchObject({
      code: 403,
    });
    const released = { ...binding, metadata: { name: 'b', finalizers: ['x'] } };
    expect(await checkBindingEscalation(as('ann'), 'clusterrolebindings', released, binding)).toBeUndefined();
  });
});
