import type { ClusterRole, ClusterRoleBinding } from '@coxswain/api/rbac/v1';
import { GroupResource, newConflict } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { MemoryClient } from '../memory-client.test-data.ts';
import { MemoryListers } from '../memory-listers.test-data.ts';
import { rbacPolicy } from './rbac-policy.ts';
import { reconcileRbacPolicy } from './reconcile-rbac-policy.ts';

const group = 'rbac.authorization.k8s.io';
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

function world() {
  const listers = new MemoryListers();
  const client = new MemoryClient(listers);
  const reconcile = () => reconcileRbacPolicy(client, listers);
  const clusterRole = (name: string) => listers.lister<ClusterRole>(group, 'clusterroles').get('', name)!;
  const clusterBinding = (name: string) =>
    listers.lister<ClusterRoleBinding>(group, 'clusterrolebindings').get('', name)!;
  return { listers, client, reconcile, clusterRole, clusterBinding };
}

describe('reconcileRbacPolicy', () => {
  it('creates all objects, and sends no requests when nothing is missing', async () => {
    const { client, reconcile, clusterRole } = world();
    const policy = rbacPolicy();
    const total = Object.values(policy).reduce((sum, objects: readonly object[]) => sum + objects.length, 0);
    expect(await reconcile()).toEqual({ created: total, updated: 0 });
    expect(clusterRole('system:node').rules).toEqual(
      policy.clusterRoles.find(({ metadata }) => metadata.name === 'system:node')?.rules,
    );
    client.requests.length = 0;
    expect(await reconcile()).toEqual({ created: 0, updated: 0 });
    expect(client.requests).toEqual([]);
  });

  it('adds missing rules, subjects and metadata, and removes nothing', async () => {
    const { listers, reconcile, clusterRole, clusterBinding } = world();
    await reconcile();
    const own = { verbs: ['dance'], apiGroups: [''], resources: ['pods'] };
    const half = { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews'] };
    const role = clusterRole('system:basic-user');
    listers.set({
      ...role,
      metadata: { ...role.metadata, labels: { mine: 'x' }, annotations: {} },
      rules: [own, half],
    } as ClusterRole);
    const binding = clusterBinding('system:public-info-viewer');
    const mine = { kind: 'User', apiGroup: group, name: 'mine' };
    listers.set({ ...binding, subjects: [mine] } as ClusterRoleBinding);
    expect(await reconcile()).toEqual({ created: 0, updated: 2 });
    expect(clusterRole('system:basic-user')).toMatchObject({
      metadata: {
        labels: { mine: 'x', 'kubernetes.io/bootstrapping': 'rbac-defaults' },
        annotations: { [autoUpdate]: 'true' },
      },
      rules: [
        own,
        half,
        { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectrulesreviews'] },
        { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
      ],
    });
    expect(clusterBinding('system:public-info-viewer').subjects).toEqual([
      mine,
      { kind: 'Group', apiGroup: group, name: 'system:authenticated' },
      { kind: 'Group', apiGroup: group, name: 'system:unauthenticated' },
    ]);
  });

  it('restores aggregation rules, and removes them from roles that must not have one', async () => {
    const { listers, reconcile, clusterRole } = world();
    await reconcile();
    const { aggregationRule, ...admin } = clusterRole('admin');
    const extra = { matchLabels: { x: 'y' } };
    listers.set(
      { ...admin, aggregationRule: { clusterRoleSelectors: [extra] } } as ClusterRole,
      { ...clusterRole('system:node'), aggregationRule } as ClusterRole,
    );
    expect(await reconcile()).toEqual({ created: 0, updated: 2 });
    expect(clusterRole('admin').aggregationRule?.clusterRoleSelectors).toEqual([
      extra,
      ...(aggregationRule?.clusterRoleSelectors ?? []),
    ]);
    expect(clusterRole('system:node')).not.toHaveProperty('aggregationRule');
  });

  it('does not change protected objects', async () => {
    const { listers, client, reconcile, clusterBinding } = world();
    await reconcile();
    const { subjects, ...binding } = clusterBinding('system:discovery');
    listers.set({
      ...binding,
      metadata: { ...binding.metadata, annotations: { [autoUpdate]: 'false' } },
    } as ClusterRoleBinding);
    client.requests.length = 0;
    await reconcile();
    expect(client.requests).toEqual([]);
  });

  it('recreates a binding with another role', async () => {
    const { listers, client, reconcile, clusterBinding } = world();
    await reconcile();
    const binding = clusterBinding('system:discovery');
    listers.set({
      ...binding,
      metadata: { ...binding.metadata, uid: 'u' },
      roleRef: { ...binding.roleRef, name: 'cluster-admin' },
    } as ClusterRoleBinding);
    client.requests.length = 0;
    await reconcile();
    expect(client.requests).toEqual([
      'delete clusterrolebindings/system:discovery',
      'create clusterrolebindings/system:discovery',
    ]);
    expect(clusterBinding('system:discovery').roleRef.name).toBe('system:discovery');
  });

  it('creates a missing binding with the subjects of its predecessor', async () => {
    const { listers, reconcile, clusterBinding } = world();
    await reconcile();
    const binding = clusterBinding('system:discovery');
    const subjects = [{ kind: 'Group', apiGroup: group, name: 'few' }];
    const annotations = { [autoUpdate]: 'false' };
    listers.set({ ...binding, subjects, metadata: { ...binding.metadata, annotations } } as ClusterRoleBinding);
    listers.of(group, 'clusterrolebindings').delete('', 'system:public-info-viewer');
    await reconcile();
    expect(clusterBinding('system:public-info-viewer')).toMatchObject({ subjects, metadata: { annotations } });
  });

  it('retries with the current object after a conflict', async () => {
    const { client, reconcile, clusterRole } = world();
    let conflicts = 0;
    client.intercept = (request) => {
      if (request !== 'create clusterroles/system:node' || conflicts > 1) return;
      conflicts++;
      throw newConflict(GroupResource.of(group, 'clusterroles'), 'system:node', 'changed');
    };
    await reconcile();
    expect(client.requests.filter((request) => request === 'get clusterroles/system:node')).toHaveLength(2);
    expect(clusterRole('system:node').rules).not.toHaveLength(0);
  });

  it('processes all objects before it reports an error', async () => {
    const { client, reconcile } = world();
    client.intercept = (request) => {
      if (request === 'create clusterroles/admin') throw new Error('disk full');
    };
    await expect(reconcile()).rejects.toThrow('disk full');
    client.intercept = () => {};
    expect(await reconcile()).toEqual({ created: 1, updated: 0 });
  });
});
