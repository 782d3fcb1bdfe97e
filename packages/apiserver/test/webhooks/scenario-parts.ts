import type { Scenario, Step } from './scenario.ts';
import { answer } from './webhook-server.ts';

export const maps = '/api/v1/namespaces/{{ns}}/configmaps';
export const create = (name = 'a', fields: Record<string, unknown> = {}, query = ''): Step => ({
  method: 'POST',
  url: `${maps}${query}`,
  body: { metadata: { name }, ...fields },
});
export const before = (step: Step): Step => ({ ...step, before: true });
export const put = (name = 'a', fields: Record<string, unknown> = {}, query = ''): Step => ({
  method: 'PUT',
  url: `${maps}/${name}${query}`,
  body: { metadata: { name }, ...fields },
});
export const merge = (body: unknown, name = 'a', query = ''): Step => ({
  method: 'PATCH',
  url: `${maps}/${name}${query}`,
  type: 'application/merge-patch+json',
  body,
});
export const remove = (name = 'a', query = '', body?: unknown): Step => ({
  method: 'DELETE',
  url: `${maps}/${name}${query}`,
  ...(body !== undefined && { body }),
});
export const get = (name = 'a'): Step => ({ method: 'GET', url: `${maps}/${name}` });
export const rule = (resources: string[], fields: Record<string, unknown> = {}) => ({
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources, ...fields }],
});
export const pod = {
  metadata: { name: 'p', labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
export const pods = '/api/v1/namespaces/{{ns}}/pods';
export const deployment = {
  metadata: { name: 'd' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};
export const deployments = '/apis/apps/v1/namespaces/{{ns}}/deployments';
export const event: Step = {
  method: 'POST',
  url: '/api/v1/namespaces/{{ns}}/events',
  body: {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: '{{ns}}' },
    reason: 'Because',
    message: 'text',
    type: 'Normal',
    source: { component: 'me' },
  },
};
export const deny = (status?: unknown) => answer({ allowed: false, ...(status !== undefined && { status }) });
/** A scenario with one validating webhook with this behaviour, and one request. */
export const validatingDoes = (
  behaviour: ReturnType<typeof answer>,
  fields: Record<string, unknown> = {},
): Scenario => ({
  validating: { v: fields },
  behaviours: { v: behaviour },
  steps: [create()],
});
export const mutatingDoes = (behaviour: ReturnType<typeof answer>, fields: Record<string, unknown> = {}): Scenario => ({
  mutating: { m: fields },
  behaviours: { m: behaviour },
  steps: [create('a', { data: { k: 'v' } })],
});
