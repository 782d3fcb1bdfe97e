import type { AuthorizationAttributes } from '@coxswain/component-base/authorization';
import { forbidden } from '@coxswain/component-base/authorization';
import { describe, expect, it } from 'vitest';
import { resourceAttributes } from './resource-attributes.ts';

const user = { username: 'alice' };

/** Answers of kube-apiserver. */
const cases: Record<string, [attributes: AuthorizationAttributes, reason: string, message: string, details: object]> = {
  'a list in a namespace': [
    resourceAttributes({ user, verb: 'list', resource: 'pods', namespace: 'default' }),
    '',
    'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
    { kind: 'pods' },
  ],
  'a list over all namespaces': [
    resourceAttributes({ user, verb: 'list', apiGroup: 'apps', resource: 'deployments' }),
    '',
    'deployments.apps is forbidden: User "alice" cannot list resource "deployments" in API group "apps" at the cluster scope',
    { group: 'apps', kind: 'deployments' },
  ],
  'a subresource of an object': [
    resourceAttributes({ user, verb: 'get', resource: 'pods', subresource: 'log', name: 'x', namespace: 'default' }),
    '',
    'pods "x" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "default"',
    { name: 'x', kind: 'pods' },
  ],
  'a path, with markup escaped': [
    resourceAttributes({ user, verb: 'get', resource: '', resourceRequest: false, path: '/foo/<b>&c' }),
    '',
    'forbidden: User "alice" cannot get path "/foo/&lt;b&gt;&amp;c"',
    {},
  ],
  'an authorizer’s reason at the end': [
    resourceAttributes({ user, verb: 'get', resource: 'nodes', name: 'n' }),
    'RBAC: clusterrole.rbac.authorization.k8s.io "x" not found',
    'nodes "n" is forbidden: User "alice" cannot get resource "nodes" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "x" not found',
    { name: 'n', kind: 'nodes' },
  ],
};

describe('forbidden', () => {
  it.each(Object.entries(cases))('%s', (_, [attributes, reason, message, details]) => {
    const error = forbidden(attributes, reason);
    expect(error.status).toMatchObject({ code: 403, reason: 'Forbidden', message });
    expect(error.details).toEqual(details);
  });
});
