import type { UserInfo } from '@coxswain/api';
import type { AuthorizationAttributes, Authorizer } from '@coxswain/component-base/authorization';
import { describe, expect, it } from 'vitest';
import { Impersonation } from './impersonation.ts';
import { isImpersonationHeader } from './impersonation-headers.ts';
import { resourceAttributes } from './resource-attributes.ts';

/** Allows the given `VERB RESOURCE NAME`, and records all checks. */
function recording(...allowed: string[]) {
  const asked: string[] = [];
  const users: UserInfo[] = [];
  const authorizer: Authorizer = {
    async authorize({ verb, resource, subresource, name, user }: AuthorizationAttributes) {
      const question = [verb, subresource ? `${resource}/${subresource}` : resource, name].filter(Boolean).join(' ');
      asked.push(question);
      users.push(user);
      return { decision: allowed.includes(question) ? 'allow' : 'no opinion', reason: '' };
    },
    rulesFor: async () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
  return { asked, users, authorizer };
}
const listPods = (user: UserInfo) => resourceAttributes({ user, verb: 'list', resource: 'pods', namespace: 'n' });
const alice: UserInfo = { username: 'alice', groups: ['dev'] };
const agent: UserInfo = {
  username: 'system:serviceaccount:kube-system:agent',
  extra: { 'authentication.kubernetes.io/node-name': ['n1'], 'authentication.kubernetes.io/pod-name': ['p'] },
};

describe('Impersonation', () => {
  it('returns undefined for requests without impersonation', async () => {
    const { authorizer, asked } = recording();
    expect(await new Impersonation(authorizer).impersonatedUser({ accept: 'x' }, listPods(alice))).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('lets a service account impersonate the node that its pod runs on', async () => {
    const { authorizer, asked, users } = recording(
      'impersonate-on:associated-node:list pods',
      'impersonate:associated-node nodes *',
    );
    const headers = { 'impersonate-user': 'system:node:n1' };
    expect(await new Impersonation(authorizer).impersonatedUser(headers, listPods(agent))).toEqual({
      user: { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
      constraint: 'impersonate:associated-node',
    });
    expect(asked).toHaveLength(2);
    const keys = ['authentication.kubernetes.io/node-name', 'authentication.kubernetes.io/pod-name'];
    for (const { extra } of users) expect(extra).toEqual({ 'authentication.kubernetes.io/associated-node-keys': keys });
  });

  it.each<[string, string, UserInfo]>([
    ['another node', 'system:node:n2', agent],
    ['its node by a user that is not a service account', 'system:node:n1', { ...agent, username: 'alice' }],
    ['another user', 'bob', agent],
  ])('does not try associated-node for %s', async (_, username, requestor) => {
    const { authorizer, asked } = recording();
    const attempt = new Impersonation(authorizer).impersonatedUser(
      { 'impersonate-user': username },
      listPods(requestor),
    );
    await expect(attempt).rejects.toMatchObject({ code: 403 });
    expect(asked.filter((question) => question.includes('associated-node'))).toEqual([]);
  });

  it('checks permission for all groups first when there are many, and then for each', async () => {
    const each = ['a', 'b', 'c', 'd'];
    const user = ['impersonate-on:user-info:list pods', 'impersonate:user-info users bob'];
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': each };
    const all = recording(...user, 'impersonate:user-info groups *');
    const impersonated = await new Impersonation(all.authorizer).impersonatedUser(headers, listPods(alice));
    expect(impersonated?.user.groups).toEqual([...each, 'system:authenticated']);
    expect(all.asked).toEqual([...user, 'impersonate:user-info groups *']);

    const some = recording(...user, ...each.map((name) => `impersonate:user-info groups ${name}`));
    await new Impersonation(some.authorizer).impersonatedUser(headers, listPods(alice));
    expect(some.asked).toHaveLength(7);
  });

  it('checks uid, groups and extra in order, and reports the first error of the first mode', async () => {
    const allowed = [
      'impersonate users bob',
      'impersonate uids u',
      'impersonate groups g',
      'impersonate userextras/acme.io/a x',
    ];
    const { authorizer, asked } = recording(...allowed);
    const headers = {
      'impersonate-user': 'bob',
      'impersonate-uid': 'u',
      'impersonate-group': 'g',
      'impersonate-extra-acme.io%2fa': ['x', 'y'],
    };
    await expect(new Impersonation(authorizer).impersonatedUser(headers, listPods(alice))).rejects.toThrow(
      'pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "n"',
    );
    expect(asked).toEqual(['impersonate-on:user-info:list pods', ...allowed, 'impersonate userextras/acme.io/a y']);
  });

  it('tries the last successful mode of the requestor first, and reports its error', async () => {
    const { authorizer, asked } = recording('impersonate users bob');
    const impersonation = new Impersonation(authorizer);
    const bob = { user: { username: 'bob', groups: ['system:authenticated'] }, constraint: '' };
    expect(await impersonation.impersonatedUser({ 'impersonate-user': 'bob' }, listPods(alice))).toEqual(bob);
    asked.length = 0;
    await impersonation.impersonatedUser({ 'impersonate-user': 'bob' }, listPods(alice));
    expect(asked).toEqual(['impersonate users bob']);
    await expect(impersonation.impersonatedUser({ 'impersonate-user': 'eve' }, listPods(alice))).rejects.toThrow(
      'users "eve" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it('tries only unconstrained impersonation when the feature is off', async () => {
    const { authorizer, asked } = recording();
    const plain = new Impersonation(authorizer, false);
    await expect(plain.impersonatedUser({ 'impersonate-user': 'bob' }, listPods(alice))).rejects.toThrow('users "bob"');
    expect(asked).toEqual(['impersonate users bob']);
  });

  it('takes invalidly encoded keys literally, and keeps the key __proto__', async () => {
    const { authorizer } = recording(
      'impersonate users bob',
      'impersonate userextras/%zz a',
      'impersonate userextras/__proto__ b',
    );
    const headers = {
      'impersonate-user': 'bob',
      'impersonate-extra-%zz': 'a',
      'impersonate-extra-__proto__': 'b',
    };
    const impersonated = await new Impersonation(authorizer, false).impersonatedUser(headers, listPods(alice));
    expect(Object.entries(impersonated?.user.extra ?? {})).toEqual([
      ['%zz', ['a']],
      ['__proto__', ['b']],
    ]);
  });

  it('recognizes its headers', () => {
    const names = ['impersonate-user', 'impersonate-uid', 'impersonate-group', 'impersonate-extra-x', 'accept'];
    expect(names.filter(isImpersonationHeader)).toEqual(names.slice(0, 4));
  });
});
