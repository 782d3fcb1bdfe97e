import type { UserInfo } from '@coxswain/api';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '@coxswain/api/rbac/v1';
import type { AuthorizationAttributes } from '@coxswain/component-base/authorization';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryListers } from './memory-listers.test-data.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { resourceAttributes } from './resource-attributes.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = 'rbac.authorization.k8s.io/v1';

const clusterRole = (name: string, ...rules: PolicyRule[]): ClusterRole => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
});
const clusterBinding = (name: string, role: string, ...subjects: Subject[]): ClusterRoleBinding => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup, kind: 'ClusterRole', name: role },
  subjects,
});
const user = (name: string): Subject => ({ kind: 'User', apiGroup, name });
const readPods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const getPods = resourceAttributes({ user: { username: 'ann' }, verb: 'get', resource: 'pods' });

describe('RbacAuthorizer', () => {
  it('follows created, changed and deleted bindings and roles', async () => {
    const listers = new MemoryListers().set(clusterRole('r', readPods));
    const authorizer = new RbacAuthorizer(listers);
    await authorizer.synced;
    const decision = async () => (await authorizer.authorize(getPods)).decision;
    expect(await decision()).toBe('no opinion');
    listers.set(clusterBinding('b', 'r', user('ann')));
    expect(await decision()).toBe('allow');
    listers.set(clusterBinding('b', 'r', user('bob')));
    expect(await decision()).toBe('no opinion');
    listers.set(clusterBinding('b', 'r', user('ann')), clusterRole('r'));
    expect(await decision()).toBe('no opinion');
    listers.set(clusterRole('r', readPods));
    expect(await decision()).toBe('allow');
    listers.of(apiGroup, 'clusterrolebindings').delete('', 'b');
    expect(await decision()).toBe('no opinion');
  });

  it('includes objects from before it was created, and stops watching when closed', async () => {
    const listers = new MemoryListers().set(clusterRole('r', readPods), clusterBinding('b', 'r', user('ann')));
    const authorizer = new RbacAuthorizer(listers);
    expect(await authorizer.authorize(getPods)).toEqual({
      decision: 'allow',
      reason: 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "ann"',
    });
    authorizer.close();
    expect(listers.followers).toBe(0);
  });

  it('lists the rules of the roles, cluster role bindings first, and each binding once', async () => {
    const urls: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/x'] };
    const named: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['n'] };
    const listers = new MemoryListers().set(
      clusterRole('r', readPods, urls),
      clusterRole('s', named),
      clusterBinding('z', 'r', user('ann'), { kind: 'Group', apiGroup, name: 'g' }),
      clusterBinding('a', 'gone', user('ann')),
      {
        ...clusterBinding('b', 's', user('ann')),
        kind: 'RoleBinding',
        metadata: { name: 'b', namespace: 'n' },
      } as RoleBinding,
    );
    const rules = await new RbacAuthorizer(listers).rulesFor({ username: 'ann', groups: ['g'] }, 'n');
    expect(rules).toEqual({
      resourceRules: [readPods, named],
      nonResourceRules: [urls],
      incomplete: false,
      evaluationError: 'clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
  });
});

/* Few distinct names, so that the objects refer to each other. */
const pick = <T>(...items: T[]) => fc.constantFrom(...items);
const namespaces = pick('n1', 'n2');
const names = pick('a', 'b', 'c');
const some = (...items: string[]) => fc.subarray(items, { minLength: 1 });
const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record(
    {
      verbs: some('get', 'list', '*'),
      apiGroups: some('', 'apps', '*'),
      resources: some('pods', 'pods/scale', 'deployments', '*/scale', '*'),
      resourceNames: some('x', 'y'),
    },
    { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
  ),
  fc.record({ verbs: some('get', 'list', '*'), nonResourceURLs: some('/x', '/x/*', '/y*', '*') }),
);
const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: pick('User', 'Group', 'Nobody'), name: names }),
  fc.record(
    { kind: fc.constant('ServiceAccount'), name: names, namespace: namespaces },
    { requiredKeys: ['kind', 'name'] },
  ),
);
const roleRef = fc.record({ apiGroup: fc.constant(apiGroup), kind: pick('Role', 'ClusterRole'), name: names });

type Stored = ClusterRole | Role | ClusterRoleBinding | RoleBinding;
interface Step {
  kind: 'Role' | 'ClusterRole' | 'RoleBinding' | 'ClusterRoleBinding';
  namespace: string;
  name: string;
  rules: PolicyRule[];
  subjects: Subject[];
  roleRef: { apiGroup: string; kind: string; name: string };
  gone: boolean;
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: pick('Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'),
  namespace: namespaces,
  name: names,
  rules: fc.array(rule, { maxLength: 2 }),
  subjects: fc.array(subject, { maxLength: 3 }),
  roleRef,
  gone: fc.boolean(),
});
const request: fc.Arbitrary<AuthorizationAttributes> = fc
  .record({
    user: fc.record({
      username: fc.oneof(
        names,
        fc.tuple(namespaces, names).map(([ns, name]) => `system:serviceaccount:${ns}:${name}`),
      ),
      groups: fc.uniqueArray(names, { maxLength: 2 }),
    }),
    verb: pick('get', 'list'),
    resource: pick('pods', 'deployments'),
    resourceRequest: fc.boolean(),
    apiGroup: pick('', 'apps'),
    subresource: pick('', 'scale', 'status'),
    namespace: pick('', 'n1', 'n2'),
    name: pick('', 'x', 'y'),
    path: pick('/x', '/x/1', '/yz', '/z'),
  })
  .map(resourceAttributes);

/** The semantics of RBAC without any index. */
function naive(objects: readonly Stored[], attributes: AuthorizationAttributes): boolean {
  const of = (kind: string) => objects.filter((object) => object.kind === kind);
  const bindings = [...of('ClusterRoleBinding'), ...of('RoleBinding')] as (ClusterRoleBinding | RoleBinding)[];
  return bindings.some((binding) => {
    const { namespace = '' } = binding.metadata;
    if (namespace !== '' && namespace !== attributes.namespace) return false;
    if (!(binding.subjects ?? []).some((one) => isFor(one, namespace, attributes.user))) return false;
    const roles = of(binding.roleRef.kind) as Role[];
    const role = roles.find(
      ({ kind, metadata }) =>
        metadata.name === binding.roleRef.name && (kind !== 'Role' || metadata.namespace === (namespace || undefined)),
    );
    return (role?.rules ?? []).some((one) => ruleAllows(one, attributes));
  });
}

function isFor(one: Subject, bindingNamespace: string, { username, groups = [] }: UserInfo): boolean {
  if (one.kind === 'User') return one.name === username;
  if (one.kind === 'Group') return groups.includes(one.name);
  const namespace = one.namespace ?? bindingNamespace;
  return (
    one.kind === 'ServiceAccount' && namespace !== '' && username === `system:serviceaccount:${namespace}:${one.name}`
  );
}

function ruleAllows(one: PolicyRule, attributes: AuthorizationAttributes): boolean {
  const has = (list: string[] | undefined, item: string) => list?.includes(item) || list?.includes('*') || false;
  if (!has(one.verbs, attributes.verb)) return false;
  const { path, resource, subresource } = attributes;
  if (!attributes.resourceRequest) {
    return (one.nonResourceURLs ?? []).some((url) =>
      url.endsWith('*') ? path.startsWith(url.replace(/\*+$/, '')) : url === path,
    );
  }
  return (
    has(one.apiGroups, attributes.apiGroup) &&
    (subresource === ''
      ? has(one.resources, resource)
      : has(one.resources, `${resource}/${subresource}`) || has(one.resources, `*/${subresource}`)) &&
    (!one.resourceNames?.length || one.resourceNames.includes(attributes.name))
  );
}

it('RbacAuthorizer decides like a naive implementation after any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 8 }),
      fc.array(step, { maxLength: 12 }),
      fc.array(request, { minLength: 1, maxLength: 20 }),
      async (before, after, requests) => {
        const listers = new MemoryListers();
        const objects = new Map<string, Stored>();
        const take = ({ kind, namespace, name, gone, rules, subjects, roleRef }: Step) => {
          const scope = kind.startsWith('Cluster') ? {} : { namespace };
          const key = `${kind}/${scope.namespace ?? ''}/${name}`;
          if (gone) {
            objects.delete(key);
            listers.of(apiGroup, `${kind.toLowerCase()}s`).delete(scope.namespace ?? '', name);
            return;
          }
          const content = kind.endsWith('Binding') ? { subjects, roleRef } : { rules };
          const object = { apiVersion, kind, metadata: { name, ...scope }, ...content } as Stored;
          objects.set(key, object);
          listers.set(object);
        };
        before.forEach(take);
        const authorizer = new RbacAuthorizer(listers);
        after.forEach(take);
        for (const attributes of requests) {
          const { decision } = await authorizer.authorize(attributes);
          expect(decision === 'allow').toBe(naive([...objects.values()], attributes));
        }
      },
    ),
    { numRuns: 300 },
  );
});
