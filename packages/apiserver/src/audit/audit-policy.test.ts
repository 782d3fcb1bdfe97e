import { recordLogs } from '@coxswain/apimachinery/log';
import { describe, expect, it } from 'vitest';
import type { AuthorizationAttributes } from '../authorization/index.ts';
import { AuditPolicy } from './audit-policy.ts';
import { parseAuditPolicy } from './parse-audit-policy.ts';

const base: AuthorizationAttributes = {
  user: { username: 'tim', groups: ['humans', 'developers'] },
  verb: 'get',
  resourceRequest: true,
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  name: 'busybox',
  path: '/api/v1/namespaces/default/pods/busybox',
};
const requests: Record<string, AuthorizationAttributes> = {
  pod: base,
  log: { ...base, subresource: 'log' },
  node: { ...base, resource: 'nodes', namespace: '', name: 'n' },
  role: { ...base, apiGroup: 'rbac.authorization.k8s.io', resource: 'roles', name: 'r' },
  version: { ...base, resourceRequest: false, resource: '', namespace: '', name: '', path: '/version' },
  metrics: { ...base, resourceRequest: false, resource: '', namespace: '', name: '', path: '/metrics/x' },
  nobody: { ...base, user: { username: '' } },
};

const unreachable = recordLogs({ onLine: (line) => expect.unreachable(line) }).logger;

const policyOf = (rules: string, more = ''): AuditPolicy =>
  new AuditPolicy(
    parseAuditPolicy(`{apiVersion: audit.k8s.io/v1, kind: Policy, ${more} rules: [${rules}]}`, unreachable),
  );

/** Rules, and the requests above that each one matches. */
const rules: Record<string, [rule: string, matched: string[]]> = {
  'all requests without conditions': ['level: Metadata', Object.keys(requests)],
  users: ['users: [tim]', ['pod', 'log', 'node', 'role', 'version', 'metrics']],
  'other users': ['users: [bob]', []],
  groups: ['userGroups: [admins, humans]', ['pod', 'log', 'node', 'role', 'version', 'metrics']],
  verbs: ['verbs: [get]', Object.keys(requests)],
  'other verbs': ['verbs: [list]', []],
  'a namespace': ['namespaces: [default]', ['pod', 'log', 'role', 'nobody']],
  'cluster-scoped objects': ["namespaces: ['']", ['node']],
  'a group': ["resources: [{group: ''}]", ['pod', 'log', 'node', 'nobody']],
  'any group': ["resources: [{group: '*'}]", ['pod', 'log', 'node', 'role', 'nobody']],
  'a resource without its subresources': ['resources: [{resources: [pods]}]', ['pod', 'nobody']],
  'a subresource': ['resources: [{resources: [pods/log]}]', ['log']],
  'a resource and all its subresources': ["resources: [{resources: ['pods/*']}]", ['pod', 'log', 'nobody']],
  'a subresource of any resource': ["resources: [{resources: ['*/log']}]", ['log']],
  'any resource of a group': ["resources: [{resources: ['*']}]", ['pod', 'log', 'node', 'nobody']],
  'a resource of another group': ["resources: [{group: apps, resources: ['*']}]", []],
  'a name': ['resources: [{resources: [pods], resourceNames: [busybox]}]', ['pod', 'nobody']],
  'another name': ['resources: [{resources: [pods], resourceNames: [x]}]', []],
  'a resource in another namespace': ['namespaces: [x], resources: [{resources: [pods]}]', []],
  'a path': ['nonResourceURLs: [/version]', ['version']],
  'paths with a prefix': ["nonResourceURLs: ['/metrics*']", ['metrics']],
  'any path': ["nonResourceURLs: ['*']", ['version', 'metrics']],
};

describe('a rule matches', () => {
  it.each(Object.entries(rules))('%s', (_, [rule, matched]) => {
    const policy = policyOf(`{level: Metadata, ${rule.replace('level: Metadata', '')}}`);
    const found = Object.entries(requests).filter(([, attributes]) => policy.decide(attributes).level === 'Metadata');
    expect(found.map(([name]) => name)).toEqual(matched);
  });
});

describe('a policy', () => {
  it('uses the first rule that matches, and level None where none does', () => {
    const policy = policyOf('{level: None, users: [bob]}, {level: Request, verbs: [get]}, {level: Metadata}');
    expect(policy.decide(base).level).toBe('Request');
    expect(policy.decide({ ...base, user: { username: 'bob' } }).level).toBe('None');
    expect(policyOf('{level: Request, verbs: [list]}').decide(base).level).toBe('None');
  });

  it('leaves out the stages that it or the rule names', () => {
    const policy = policyOf('{level: Request, omitStages: [ResponseStarted]}', 'omitStages: [RequestReceived],');
    expect([...policy.decide(base).omitStages].toSorted()).toEqual(['RequestReceived', 'ResponseStarted']);
  });

  it('leaves out managed fields unless the rule says otherwise', () => {
    const policy = policyOf(
      '{level: Request, users: [bob], omitManagedFields: false}, {level: Request}',
      'omitManagedFields: true,',
    );
    expect(policy.decide(base).omitManagedFields).toBe(true);
    expect(policy.decide({ ...base, user: { username: 'bob' } }).omitManagedFields).toBe(false);
  });
});

/** The messages are upstream's. */
const bad: Record<string, [policy: string, message: string]> = {
  'of another version': [
    '{apiVersion: audit.k8s.io/v1beta1, kind: Policy, rules: []}',
    'unknown group version field audit.k8s.io/v1beta1, Kind=Policy in policy',
  ],
  'without rules': ['{apiVersion: audit.k8s.io/v1, kind: Policy}', 'loaded illegal policy with 0 rules'],
  'without a level': [rule('{users: [a]}'), 'rules[0].level: Required value'],
  'with an unknown level': [
    rule('{level: All}'),
    'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
  ],
  'with an unknown stage': [
    rule('{level: None, omitStages: [x]}'),
    'rules[0].omitStages[0]: Invalid value: "x": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
  ],
  'with an invalid path': [
    rule("{level: None, nonResourceURLs: ['a*b']}"),
    `[rules[0].nonResourceURLs[0]: Invalid value: "a*b": non-resource URL rules must begin with a '/' character, rules[0].nonResourceURLs[0]: Invalid value: "a*b": non-resource URL wildcards '*' must be the final character of the rule]`,
  ],
  'with resourceNames but no resources': [
    rule('{level: None, resources: [{resourceNames: [a]}]}'),
    'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
  ],
  'with both paths and namespaces': [
    rule('{level: None, nonResourceURLs: [/a], namespaces: [b]}'),
    'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
  ],
  'with a string for a list': [
    rule('{level: None, users: bob}'),
    'failed decoding: rules[0].users must be a list of strings',
  ],
};

function rule(text: string): string {
  return `{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [${text}]}`;
}

describe('a policy is refused', () => {
  it.each(Object.entries(bad))('%s', (_, [policy, message]) => {
    expect(() => parseAuditPolicy(policy, unreachable)).toThrow(expect.objectContaining({ message }));
  });
});

it('unknown fields of a policy are logged as a warning and ignored', () => {
  const { logger, lines } = recordLogs();
  const policy = rule('{level: None, foo: 1, resources: [{bar: 2}]}').replace('rules:', 'baz: 3, rules:');
  expect(parseAuditPolicy(policy, logger).rules).toHaveLength(1);
  expect(lines).toEqual([
    `warning "Audit policy contains errors, falling back to lenient decoding" err=${JSON.stringify('strict decoding error: unknown field "baz", unknown field "rules[0].foo", unknown field "rules[0].resources[0].bar"')}`,
  ]);
});
