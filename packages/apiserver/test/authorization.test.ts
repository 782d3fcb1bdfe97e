import { readFileSync } from 'node:fs';
import type { SubjectAccessReview } from '@coxswain/api/authorization/v1';
import type { ClusterRole, ClusterRoleBinding } from '@coxswain/api/rbac/v1';
import { ApiError, type Status } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  checkBindingEscalation,
  checkRoleEscalation,
  forbidden,
  Impersonation,
  newAuthorization,
  resourceAttributes,
  reviewSubjectAccess,
} from '../src/authorization/index.ts';
import { MemoryListers } from '../src/authorization/memory-listers.test-data.ts';
import { rbacPolicy } from '../src/authorization/rbac-policy/index.ts';
import { accessCases, escalationCases, fixtures, impersonationCases } from './authorization.cases.ts';

const recorded: Record<'access' | 'escalation' | 'impersonation', Record<string, object | string>> = JSON.parse(
  readFileSync(new URL('recorded/authorization.json', import.meta.url), 'utf8'),
);

const policy = rbacPolicy();
const listers = new MemoryListers().set(
  ...policy.clusterRoles,
  ...policy.clusterRoleBindings,
  ...policy.roles,
  ...policy.roleBindings,
  ...fixtures,
);
const { authorizer, rbac } = newAuthorization(['Node', 'RBAC'], listers);

const statusOf = ({ status: { code, reason, message, details } }: ApiError): Status =>
  JSON.parse(JSON.stringify({ code, reason, message, details }));

describe('a SubjectAccessReview has the same result as from kube-apiserver', () => {
  it.each(Object.entries(accessCases))('%s', async (sentence, { user, groups, about }) => {
    const review: SubjectAccessReview = {
      metadata: {},
      spec: {
        user,
        ...(groups && { groups: [...groups] }),
        ...('path' in about ? { nonResourceAttributes: about } : { resourceAttributes: about }),
      },
    };
    const { status } = await reviewSubjectAccess(review, authorizer);
    expect(status).toEqual(recorded.access[sentence]);
  });
});

describe('a role or binding is refused as by kube-apiserver', () => {
  it.each(Object.entries(escalationCases))('%s', async (sentence, { as, groups = [], create }) => {
    const namespace = create.metadata?.namespace ?? '';
    const user = { username: as, groups: [...groups, 'system:authenticated'] };
    const context = { user, namespace, authorizer, rbac };
    const resource = `${create.kind?.toLowerCase()}s`;
    const refused =
      resource === 'roles' || resource === 'clusterroles'
        ? await checkRoleEscalation(context, resource, '', create as ClusterRole)
        : await checkBindingEscalation(
            context,
            resource as 'rolebindings' | 'clusterrolebindings',
            create as ClusterRoleBinding,
          );
    // Refused by validation, not by the escalation check.
    if (sentence === 'a binding of a role of no known kind') expect(refused).toBeUndefined();
    else expect(refused ? statusOf(refused) : 'created').toEqual(recorded.escalation[sentence]);
  });
});

describe('impersonation has the same result as in kube-apiserver', () => {
  const impersonation = new Impersonation(authorizer);
  const alice = { username: 'alice', uid: 'uid2', groups: ['dev', 'system:authenticated'] };
  const whoAmI = {
    verb: 'create',
    apiGroup: 'authentication.k8s.io',
    apiVersion: 'v1',
    resource: 'selfsubjectreviews',
  };

  async function answer(headers: (typeof impersonationCases)[string]): Promise<object | undefined> {
    const impersonated = await impersonation.impersonatedUser(headers, resourceAttributes({ ...whoAmI, user: alice }));
    const request = resourceAttributes({ ...whoAmI, user: impersonated?.user ?? alice });
    const { decision, reason } = await authorizer.authorize(request);
    if (decision !== 'allow') throw forbidden(request, reason);
    return impersonated?.user;
  }

  // Sequential, because the mode that last succeeded for a user is tried first.
  it.each(Object.entries(impersonationCases))('%s', async (sentence, headers) => {
    const answered = await answer(headers).catch((error: unknown) => {
      if (error instanceof ApiError) return statusOf(error);
      throw error;
    });
    expect(answered).toEqual(recorded.impersonation[sentence]);
  });
});
