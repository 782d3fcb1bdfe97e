import type { Scenario } from './scenario.ts';
import {
  before,
  create,
  deny,
  get,
  merge,
  mutatingDoes,
  pod,
  pods,
  remove,
  rule,
  validatingDoes,
} from './scenario-parts.ts';
import { answer, base64, inTurn, patch, say } from './webhook-server.ts';

/** The second half of `scenarios`. */
export const furtherScenarios: Readonly<Record<string, Scenario>> = {
  'a patch of the kind to one that is none': mutatingDoes(patch([{ op: 'replace', path: '/kind', value: 'Foo' }])),
  'a patch that takes the kind away': mutatingDoes(patch([{ op: 'remove', path: '/kind' }])),
  'a patch of a wrong type': mutatingDoes(patch([{ op: 'replace', path: '/data', value: 'text' }])),
  'a patch of a wrong type inside': {
    mutating: { m: rule(['pods']) },
    behaviours: { m: patch([{ op: 'replace', path: '/spec/containers/0/image', value: 5 }]) },
    steps: [{ method: 'POST', url: pods, body: pod }],
  },
  'a patch that leaves an invalid object': {
    mutating: { m: rule(['pods']) },
    behaviours: { m: patch([{ op: 'remove', path: '/spec/containers' }]) },
    steps: [{ method: 'POST', url: pods, body: pod }],
  },
  'a patch whose removal is made up for by defaults': {
    mutating: { m: rule(['pods'], { operations: ['CREATE'] }) },
    behaviours: {
      m: patch([
        { op: 'remove', path: '/spec/restartPolicy' },
        { op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 'car' } },
      ]),
    },
    steps: [{ method: 'POST', url: `${pods}?dryRun=All`, body: pod }],
  },
  'a patch of what is not there': mutatingDoes(patch([{ op: 'remove', path: '/spec/nothing' }])),
  'a patch with a test that fails': mutatingDoes(patch([{ op: 'test', path: '/data/k', value: 'other' }])),
  'a patch of no known operation': mutatingDoes(patch([{ op: 'frobnicate', path: '/data' }])),
  'a patch that is no list': mutatingDoes(patch({ op: 'add' })),
  'a patch that is no JSON': mutatingDoes(answer({ patchType: 'JSONPatch', patch: base64('{nonsense') })),
  'a patch that is no base64': mutatingDoes(answer({ patchType: 'JSONPatch', patch: '???' })),
  'a patch without a type': mutatingDoes(answer({ patch: base64('[]') })),
  'a type without a patch': mutatingDoes(answer({ patchType: 'JSONPatch' })),
  'a patch of an empty type': mutatingDoes(answer({ patchType: '', patch: base64('[]') })),
  'a patch of an unknown type': mutatingDoes(
    answer({ patchType: 'Strategic', patch: base64('[{"op":"add","path":"/data/x","value":"y"}]') }),
  ),
  'a patch of a deletion': {
    mutating: { m: {} },
    behaviours: { m: patch([{ op: 'add', path: '/data', value: {} }]) },
    steps: [before(create()), remove()],
  },
  'a patch of an update': {
    mutating: { m: {} },
    behaviours: { m: patch([{ op: 'add', path: '/data', value: { by: 'webhook' } }]) },
    steps: [before(create('a', { data: { k: 'v' } })), merge({ data: { k: 'w' } }), get()],
  },
  'a patch from one who validates': validatingDoes(patch([{ op: 'add', path: '/data', value: {} }])),
  'a patch type from one who validates': validatingDoes(answer({ patchType: 'JSONPatch' })),
  'a second time for who wants it': {
    mutating: { m: { reinvocationPolicy: 'IfNeeded' }, n: {}, o: { reinvocationPolicy: 'IfNeeded' } },
    behaviours: {
      m: inTurn(answer(), patch([{ op: 'add', path: '/data/again', value: 'yes' }])),
      n: patch([{ op: 'add', path: '/data/n', value: 'x' }]),
      o: answer(),
    },
    steps: [create('a', { data: { k: 'v' } })],
  },
  'no second time when nothing has changed': {
    mutating: { m: { reinvocationPolicy: 'IfNeeded' }, n: { reinvocationPolicy: 'IfNeeded' } },
    behaviours: { n: patch([{ op: 'replace', path: '/data/k', value: 'v' }]) },
    steps: [create('a', { data: { k: 'v' } })],
  },
  'a dry run with side effects': {
    validating: { v: { sideEffects: 'NoneOnDryRun' } },
    steps: [create('a', {}, '?dryRun=All')],
  },
  'an answer that is empty': validatingDoes(say('')),
  'an answer that is no JSON': validatingDoes(say('hello')),
  'an answer that is cut short': validatingDoes(say('{"kind":"AdmissionRev')),
  'an answer of a list': validatingDoes(say('[]')),
  'an answer in plain text': validatingDoes(say('{"kind":"AdmissionReview"}', 200, { 'content-type': 'text/plain' })),
  'an answer without a response': validatingDoes(say({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' })),
  'an answer without a kind': validatingDoes(answer({}, { kind: undefined, apiVersion: undefined })),
  'an answer of another kind': validatingDoes(answer({}, { kind: 'Pod', apiVersion: 'v1' })),
  'an answer of another version': validatingDoes(answer({}, { apiVersion: 'admission.k8s.io/v1beta1' })),
  'an answer of a version that is none': validatingDoes(answer({}, { apiVersion: 'admission.k8s.io/v7' })),
  'an answer with another uid': validatingDoes(answer({ uid: 'other' })),
  'an answer with a wrong type': validatingDoes(answer({ allowed: 'yes' })),
  'an answer that is a failure': validatingDoes(
    say({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'out of order', code: 500 }),
  ),
  'an answer that is a success': validatingDoes(say({ kind: 'Status', apiVersion: 'v1', status: 'Success' })),
  'a 404': validatingDoes(say('no such thing', 404, { 'content-type': 'text/plain' })),
  'a 400': validatingDoes(say('bad', 400, { 'content-type': 'text/plain' })),
  'a 403': validatingDoes(say('go away', 403, { 'content-type': 'text/plain' })),
  'a 500 with a text': validatingDoes(say('  broken "here"\n', 500, { 'content-type': 'text/plain' })),
  'a 500 with JSON': validatingDoes(say({ oh: 'no' }, 500)),
  'a 503 with a Status': validatingDoes(
    say(
      { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'busy', reason: 'ServiceUnavailable', code: 503 },
      503,
    ),
  ),
  'a 429 that asks for patience': {
    validating: { v: {} },
    behaviours: { v: inTurn(say('later', 429, { 'retry-after': '0' }), answer()) },
    steps: [create()],
  },
  'a 418': validatingDoes(say('teapot', 418)),
  'a redirect': validatingDoes(say('', 302, { location: '/elsewhere' })),
  'a redirect that keeps the method': {
    validating: { v: {} },
    behaviours: { v: say('', 307, { location: '/elsewhere' }), elsewhere: deny({ message: 'redirected' }) },
    steps: [create()],
  },
  'a connection that is closed': validatingDoes((_, response) => response.destroy()),
  'a connection that is closed within the answer': validatingDoes((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"kind":', () => response.destroy());
  }),
  'a webhook that does not answer in time': validatingDoes(() => {}, { timeoutSeconds: 1 }),
  'one that does not end its answer in time': validatingDoes(
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"kind":');
    },
    { timeoutSeconds: 1 },
  ),
  'failures that do not matter': {
    mutating: { m: { failurePolicy: 'Ignore' } },
    validating: { v: { failurePolicy: 'Ignore' }, w: {} },
    behaviours: { m: say('broken', 500), v: say('broken', 500) },
    steps: [create()],
  },
  'a no matters even so': {
    validating: { v: { failurePolicy: 'Ignore' } },
    behaviours: { v: deny({ message: 'no' }) },
    steps: [create()],
  },
  'a patch that breaks matters even so': mutatingDoes(patch([{ op: 'remove', path: '/spec/nothing' }]), {
    failurePolicy: 'Ignore',
  }),
  'nobody listens': validatingDoes(answer(), { clientConfig: { url: 'https://127.0.0.1:1/x' } }),
  'an authority that nobody knows': validatingDoes(answer(), {
    clientConfig: { url: 'https://{{webhooks}}/v' },
  }),
  'a service that is not there': validatingDoes(answer(), {
    clientConfig: { service: { namespace: '{{ns}}', name: 'nobody', path: '/v' } },
  }),
  'a service without such a port': {
    validating: { v: { clientConfig: { service: { namespace: '{{ns}}', name: 's', port: 99 } } } },
    steps: [
      before({
        method: 'POST',
        url: '/api/v1/namespaces/{{ns}}/services',
        body: { metadata: { name: 's' }, spec: { ports: [{ port: 443 }] } },
      }),
      create(),
    ],
  },
  'a service without an address': {
    validating: { v: { clientConfig: { service: { namespace: '{{ns}}', name: 's' } } } },
    steps: [
      before({
        method: 'POST',
        url: '/api/v1/namespaces/{{ns}}/services',
        body: { metadata: { name: 's' }, spec: { clusterIP: 'None', ports: [{ port: 443 }] } },
      }),
      create(),
    ],
  },
  'a service that is elsewhere': {
    validating: {
      v: {
        clientConfig: { service: { namespace: '{{ns}}', name: 's', port: '{{port}}', path: '/v' }, caBundle: '{{ca}}' },
      },
    },
    steps: [
      before({
        method: 'POST',
        url: '/api/v1/namespaces/{{ns}}/services',
        body: { metadata: { name: 's' }, spec: { type: 'ExternalName', externalName: 'localhost' } },
      }),
      create(),
    ],
  },
  'a user with less to say': {
    validating: { v: {} },
    steps: [
      before({
        method: 'POST',
        url: '/apis/rbac.authorization.k8s.io/v1/namespaces/{{ns}}/roles',
        body: { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }] },
      }),
      before({
        method: 'POST',
        url: '/apis/rbac.authorization.k8s.io/v1/namespaces/{{ns}}/rolebindings',
        body: {
          metadata: { name: 'r' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
          subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
        },
      }),
      { ...create(), user: 'alice' },
    ],
  },
  'conditions that can never be told': {
    steps: [
      {
        method: 'POST',
        url: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?dryRun=All',
        body: {
          metadata: { name: 'x' },
          webhooks: [
            {
              name: 'm.example.com',
              clientConfig: { url: 'https://127.0.0.1/' },
              ...rule(['configmaps']),
              sideEffects: 'None',
              admissionReviewVersions: ['v1'],
              matchConditions: [
                { name: 'a', expression: 'object.x ==' },
                { name: 'b', expression: '1' },
                { name: 'c', expression: 'foo.bar' },
                { name: 'd', expression: "request.operation == 'CREATE'" },
                { name: 'e', expression: 'request.nothing' },
              ],
            },
          ],
        },
      },
    ],
  },
  'a condition that holds': {
    validating: {
      v: {
        matchConditions: [
          { name: 'named', expression: "object.metadata.name == 'a' && request.operation == 'CREATE'" },
        ],
      },
    },
    steps: [create('a'), create('b')],
  },
  'a condition that cannot be told': {
    validating: { v: { matchConditions: [{ name: 'c', expression: "object.data.nothing == 'x'" }] } },
    steps: [create()],
  },
  'a condition that cannot be told, and does not matter': {
    validating: {
      v: { failurePolicy: 'Ignore', matchConditions: [{ name: 'c', expression: "object.data.nothing == 'x'" }] },
    },
    steps: [create()],
  },
  'a condition on who asks': {
    mutating: {
      m: {
        matchConditions: [
          { name: 'user', expression: "request.userInfo.username != 'admin'" },
          { name: 'broken', expression: "oldObject.x == 'y'" },
        ],
      },
      n: {
        matchConditions: [
          {
            name: 'allowed',
            expression: "authorizer.group('').resource('pods').namespace(request.namespace).check('create').allowed()",
          },
        ],
      },
    },
    steps: [create()],
  },
  'a custom resource, in another version too': {
    mutating: {
      m: { ...rule(['things'], { apiGroups: ['{{ns}}.dev'], apiVersions: ['v2'] }), matchPolicy: 'Equivalent' },
    },
    validating: { v: rule(['things', 'things/status'], { apiGroups: ['{{ns}}.dev'] }) },
    behaviours: { m: patch([{ op: 'add', path: '/spec/size', value: 3 }]) },
    steps: [
      before({
        method: 'POST',
        url: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        body: {
          metadata: { name: 'things.{{ns}}.dev' },
          spec: {
            group: '{{ns}}.dev',
            scope: 'Namespaced',
            names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
            versions: ['v1', 'v2'].map((name) => ({
              name,
              served: true,
              storage: name === 'v1',
              subresources: { status: {} },
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: {
                      type: 'object',
                      properties: { size: { type: 'integer' }, color: { type: 'string', default: 'red' } },
                    },
                    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  },
                },
              },
            })),
          },
        },
      }),
      {
        method: 'POST',
        url: '/apis/{{ns}}.dev/v1/namespaces/{{ns}}/things',
        body: { apiVersion: '{{ns}}.dev/v1', kind: 'Thing', metadata: { name: 't' }, spec: {} },
      },
      {
        method: 'PATCH',
        url: '/apis/{{ns}}.dev/v2/namespaces/{{ns}}/things/t/status',
        type: 'application/merge-patch+json',
        body: { status: { ok: true } },
      },
      { method: 'DELETE', url: '/apis/{{ns}}.dev/v1/namespaces/{{ns}}/things/t' },
    ],
  },
};
