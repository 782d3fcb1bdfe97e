import type { Case, CaseSuite, Change } from '../case.ts';

/** The rules name a group that is not served, so that stored webhooks are never called. */
const rule = { operations: ['CREATE'], apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['things'] };
const webhook = {
  name: 'check.example.com',
  clientConfig: { url: 'https://example.com/check' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const configuration = (apiVersion: string, kind: string, name: string) => ({
  apiVersion: `admissionregistration.k8s.io/${apiVersion}`,
  kind,
  metadata: { name },
  webhooks: [structuredClone(webhook)],
});

const create = (change?: Change): Case => ({ create: 'validating', ...(change && { change }) });
const hook = (change: Change): Case => create((object) => change(object.webhooks[0]));
const rules = (...changes: object[]): Case =>
  hook((w) => {
    w.rules = changes.map((change) => ({ ...rule, ...change }));
  });
const url = (text: string): Case =>
  hook((w) => {
    w.clientConfig = { url: text };
  });
const service = (...references: object[]): Case =>
  create((object) => {
    object.webhooks = references.map((reference, i) => ({
      ...webhook,
      name: `w${i}.example.com`,
      clientConfig: { service: reference },
    }));
  });

export const suite: CaseSuite = {
  bases: {
    validating: { object: configuration('v1', 'ValidatingWebhookConfiguration', 'cases-validating') },
    mutating: { object: configuration('v1', 'MutatingWebhookConfiguration', 'cases-mutating') },
  },
  cases: {
    'a validating webhook gets its defaults': create(),
    'a mutating webhook gets its defaults': { create: 'mutating' },
    'a webhook keeps what is given': hook((w) => {
      Object.assign(w, {
        failurePolicy: 'Ignore',
        matchPolicy: 'Exact',
        timeoutSeconds: 30,
        sideEffects: 'NoneOnDryRun',
        namespaceSelector: { matchLabels: { a: 'b' } },
        objectSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] },
        matchConditions: [{ name: 'not-me', expression: 'true' }],
        clientConfig: { service: { name: 'check', namespace: 'default', path: '/a/b/' }, caBundle: 'aGVsbG8=' },
      });
      w.rules[0].scope = 'Namespaced';
    }),
    'no webhooks are allowed': create((object) => {
      delete object.webhooks;
    }),
    'everything about an empty webhook is missing': create((object) => {
      object.webhooks = [{}];
    }),
    'everything about an empty mutating webhook is missing': {
      create: 'mutating',
      change: (object) => {
        object.webhooks = [{}];
      },
    },
    'names must be fully qualified and unique': create((object) => {
      object.webhooks = ['a', 'a.b', 'check.example.com', 'check.example.com', '-.b.c', 'a..b'].map((name) => ({
        ...webhook,
        name,
      }));
    }),
    'enumerations are checked': {
      create: 'mutating',
      change: (object) => {
        Object.assign(object.webhooks[0], {
          failurePolicy: 'Perhaps',
          matchPolicy: 'Loosely',
          sideEffects: 'Some',
          reinvocationPolicy: 'Always',
        });
      },
    },
    'enumerations may not be empty': {
      create: 'mutating',
      change: (object) => {
        Object.assign(object.webhooks[0], {
          failurePolicy: '',
          matchPolicy: '',
          sideEffects: '',
          reinvocationPolicy: '',
        });
      },
    },
    'the timeout has a minimum': hook((w) => {
      w.timeoutSeconds = 0;
    }),
    'the timeout has a maximum': hook((w) => {
      w.timeoutSeconds = 31;
    }),
    'selectors are checked': hook((w) => {
      w.namespaceSelector = { matchLabels: { '-a': 'b' }, matchExpressions: [{ key: 'a', operator: 'In' }] };
      w.objectSelector = { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b c'] }] };
    }),
    'a webhook is at a URL or a service, not both': hook((w) => {
      w.clientConfig.service = { name: 'a', namespace: 'b' };
    }),
    'a URL must be https': url('http://example.com'),
    'a URL needs a host': url('https:///path'),
    'a URL may not hold user, query or fragment': url('https://me:secret@example.com/a?b=c#d'),
    'a relative URL has no scheme and host': url('example.com/path'),
    'a URL with a bad port is not parsed': url('https://example.com:http/'),
    'a URL with two ports is not parsed': url('https://example.com:80:90/'),
    'a URL with a bad escape is not parsed': url('https://example.com/%zz'),
    'a URL with a bad escape in its fragment is not parsed': url('https://example.com/#%zz'),
    'a URL with an escaped host is not parsed': url('https://exa%41mple.com/'),
    'a URL with a space in its host is not parsed': url('https://exam ple.com/'),
    'a URL with a control character is not parsed': url('https://example.com/\u0001'),
    'a URL without a scheme before the colon is not parsed': url('://example.com'),
    'a URL with a colon in its first segment is not parsed': url('1a:b'),
    'a URL with an unclosed bracket is not parsed': url('https://[::1/'),
    'a URL with bad user information is not parsed': url('https://a b@example.com/'),
    'an opaque URL has no host': url('https:example.com'),
    'a URL may have an IPv6 host': url('https://[::1]:8443/a'),
    'a URL may not have an IPv4 address in brackets': url('https://[127.0.0.1]/'),
    'a service needs name and namespace': service({ namespace: 'a' }, { name: 'a' }, {}),
    "a service's port must be a port": service(
      { name: 'a', namespace: 'b', port: 0 },
      { name: 'a', namespace: 'b', port: 65536 },
    ),
    "a service's path is checked by segments": service(
      ...['', '/', '//', 'a', '/a//b', '/A', '/a b/c_d/', '/a/b/'].map((path) => ({ name: 'a', namespace: 'b', path })),
    ),
    'a rule needs everything': rules({ operations: [], apiGroups: [], apiVersions: [], resources: [] }),
    'a wildcard stands alone': rules({
      operations: ['*', 'CREATE'],
      apiGroups: ['*', 'apps'],
      apiVersions: ['*', 'v1'],
      resources: ['*', 'pods'],
    }),
    'operations are known': rules({ operations: ['CREATE', 'READ', ''] }),
    'versions and resources may not be empty': rules({ apiVersions: ['v1', ''], resources: ['pods', ''] }),
    'groups may be empty': rules({ apiGroups: [''] }),
    'the scope is known': rules({ scope: 'Planet' }),
    'resources with subresources may not overlap': rules(
      { resources: ['pods/*', 'pods/log'] },
      { resources: ['*/scale', 'deployments/scale'] },
      { resources: ['*/*', 'pods'] },
      { resources: ['pods', '*'] },
      { resources: ['*', '*/scale'] },
      { resources: ['*/*', '*/scale', 'pods/*'] },
    ),
    'review versions must be known to the server': hook((w) => {
      w.admissionReviewVersions = ['v2', 'v2', 'V1'];
    }),
    'unknown review versions may stand beside known ones': hook((w) => {
      w.admissionReviewVersions = ['v2', 'v1beta1'];
    }),
    'match conditions are checked': hook((w) => {
      w.matchConditions = [
        { name: 'a', expression: 'true' },
        { name: 'a', expression: 'true' },
        { name: '', expression: ' ' },
        { name: 'a b', expression: 'true' },
        {},
      ];
    }),
    'there may be at most 64 match conditions': hook((w) => {
      w.matchConditions = Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: 'true' }));
    }),
    'names for static manifests are warned of': create((object) => {
      object.metadata.name = 'a.static.k8s.io';
    }),
    'labels of the configuration are checked first': create((object) => {
      object.metadata = { name: 'A', labels: { '-': 'x' } };
      object.webhooks[0].name = 'a';
    }),
    'an update raises the generation': {
      update: 'validating',
      change: (object) => {
        object.webhooks[0].timeoutSeconds = 5;
      },
    },
    'an update of labels leaves the generation': {
      update: 'mutating',
      change: (object) => {
        object.metadata.labels = { a: 'b' };
        object.metadata.generation = 7;
      },
    },
    'an update is validated like a creation': {
      update: 'mutating',
      change: (object) => {
        object.webhooks[0].sideEffects = 'Unknown';
        object.webhooks[0].admissionReviewVersions = ['v9'];
        object.webhooks[0].matchConditions = [{ name: 'a' }];
        object.webhooks.push({ ...object.webhooks[0], name: 'a.b.c', matchConditions: [{ name: 'b' }] });
        object.webhooks.push(object.webhooks[0]);
      },
    },
    'a webhook configuration is printed': { table: 'validating' },
    'a mutating webhook configuration is printed': { table: 'mutating' },
  },
};
