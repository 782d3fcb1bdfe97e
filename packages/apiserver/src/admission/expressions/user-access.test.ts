import type { AuthorizationAttributes, Decision } from '@coxswain/component-base/authorization';
import { describe, expect, it } from 'vitest';
import { UserAccess } from './user-access.ts';

/** Records the checks, and returns the given decision. */
const asking = (answer: () => Decision) => {
  const asked: AuthorizationAttributes[] = [];
  const authorizer = {
    authorize: async (attributes: AuthorizationAttributes) => {
      asked.push(attributes);
      return answer();
    },
    rulesFor: () => Promise.reject(new Error('not asked for')),
  };
  return { asked, access: new UserAccess({ username: 'jane', groups: ['dev'] }, authorizer) };
};
const allow = (): Decision => ({ decision: 'allow', reason: 'she may' });

describe('a check in an expression', () => {
  it('of a resource is for the user, in any version', async () => {
    const { asked, access } = asking(allow);
    const question = { verb: 'get', group: 'apps', resource: 'deployments', namespace: 'ns' };
    expect(await access.check(question)).toEqual({ allowed: true, reason: 'she may', error: undefined });
    expect(asked).toEqual([
      {
        user: { username: 'jane', groups: ['dev'] },
        verb: 'get',
        resourceRequest: true,
        apiGroup: 'apps',
        apiVersion: '*',
        resource: 'deployments',
        subresource: '',
        namespace: 'ns',
        name: '',
        path: '',
      },
    ]);
  });

  it('of a path is not a resource request', async () => {
    const { asked, access } = asking(allow);
    await access.check({ verb: 'get', path: '/healthz' });
    expect(asked).toMatchObject([{ resourceRequest: false, apiVersion: '', resource: '', path: '/healthz' }]);
  });

  it('can be for a service account', async () => {
    const { asked, access } = asking(allow);
    await access.asServiceAccount('ns', 'robot').check({ verb: 'get', path: '/' });
    expect(asked[0]?.user).toMatchObject({
      username: 'system:serviceaccount:ns:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
    });
  });

  it.each<[string, () => Decision, object]>([
    ['is not allowed', () => ({ decision: 'no opinion', reason: 'who?' }), { allowed: false, reason: 'who?' }],
    [
      'has an error besides the decision',
      () => ({ decision: 'deny', reason: '', error: new Error('oops') }),
      { error: 'oops' },
    ],
    [
      'throws',
      () => {
        throw new Error('it went boom');
      },
      { allowed: false, error: 'it went boom' },
    ],
  ])('returns a result when it %s', async (_, answer, expected) => {
    expect(await asking(answer).access.check({ verb: 'get', path: '/' })).toMatchObject(expected);
  });
});
