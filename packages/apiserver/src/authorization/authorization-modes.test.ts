import { describe, expect, it } from 'vitest';
import { type AuthorizationMode, newAuthorization } from './authorization-modes.ts';
import { MemoryListers } from './memory-listers.test-data.ts';
import { resourceAttributes } from './resource-attributes.ts';

const node = { username: 'system:node:n', groups: ['system:nodes'] };
const master = { username: 'x', groups: ['system:masters'] };
const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};
const nothing = { resourceRules: [], nonResourceRules: [], incomplete: false };

const authorizer = (...modes: AuthorizationMode[]) => newAuthorization(modes, new MemoryListers()).authorizer;
const listSecrets = (user: typeof node) =>
  resourceAttributes({ user, verb: 'list', resource: 'secrets', namespace: 'ns' });

describe('authorization modes', () => {
  it('decide in their order, and all their reasons are reported', async () => {
    expect(await authorizer('Node', 'AlwaysDeny', 'RBAC').authorize(listSecrets(node))).toEqual({
      decision: 'no opinion',
      reason: 'No Object name found\nEverything is forbidden.',
    });
    expect(await authorizer('AlwaysDeny', 'AlwaysAllow').authorize(listSecrets(node))).toEqual({
      decision: 'allow',
      reason: '',
    });
  });

  it('always allow system:masters, for which they list no rules', async () => {
    const denying = authorizer('AlwaysDeny');
    expect(await denying.authorize(listSecrets(master))).toEqual({ decision: 'allow', reason: '' });
    expect(await denying.rulesFor(master, 'ns')).toEqual(nothing);
  });

  it('list the rules of all modes', async () => {
    expect(await authorizer('Node', 'AlwaysAllow').rulesFor(node, 'ns')).toEqual({
      ...everything,
      incomplete: true,
      evaluationError: 'node authorizer does not support user rule resolution',
    });
  });

  it('stop watching when closed', async () => {
    const listers = new MemoryListers();
    const authorization = newAuthorization(['Node', 'RBAC'], listers);
    await authorization.synced;
    expect(listers.followers).toBeGreaterThan(0);
    authorization.close();
    expect(listers.followers).toBe(0);
  });
});
