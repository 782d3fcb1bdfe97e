import { furtherScenarios } from './further-scenarios.ts';
import type { Scenario } from './scenario.ts';
import {
  before,
  create,
  deny,
  deployment,
  deployments,
  event,
  maps,
  merge,
  mutatingDoes,
  pod,
  pods,
  put,
  remove,
  rule,
  validatingDoes,
} from './scenario-parts.ts';
import { answer, base64, patch } from './webhook-server.ts';

/** Scenarios with webhooks. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'a create is asked about': { validating: { v: {} }, steps: [create('a', { data: { k: 'v' } })] },
  'a create by both sorts': { mutating: { m: {} }, validating: { v: {} }, steps: [create('a', { data: { k: 'v' } })] },
  'a create with a generated name': {
    mutating: { m: {} },
    validating: { v: {} },
    steps: [{ method: 'POST', url: `${maps}?dryRun=All`, body: { metadata: { generateName: 'g-' } } }],
  },
  'a create with options': {
    validating: { v: {} },
    steps: [create('a', {}, '?dryRun=All&fieldManager=me&fieldValidation=Strict')],
  },
  'an update': { validating: { v: {} }, steps: [before(create()), put('a', { data: { k: 'w' } }, '?fieldManager=me')] },
  'a merge patch': {
    validating: { v: {} },
    steps: [before(create()), merge({ data: { k: 'w' } }, 'a', '?fieldManager=me')],
  },
  'an apply that creates': {
    validating: { v: {} },
    steps: [
      {
        method: 'PATCH',
        url: `${maps}/s?fieldManager=me&force=true`,
        type: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's' }, data: { k: 'v' } },
      },
    ],
  },
  'an apply that updates': {
    validating: { v: {} },
    steps: [
      before(create('s')),
      {
        method: 'PATCH',
        url: `${maps}/s?fieldManager=me&force=true`,
        type: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's' }, data: { k: 'v' } },
      },
    ],
  },
  'a deletion': {
    mutating: { m: {} },
    validating: { v: {} },
    steps: [before(create()), remove('a', '?propagationPolicy=Background')],
  },
  'a deletion with options in the body': {
    validating: { v: {} },
    steps: [
      before(create()),
      remove('a', '', { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 5, dryRun: ['All'] }),
    ],
  },
  'a deletion of many': {
    validating: { v: {} },
    steps: [
      before(create('a')),
      { method: 'DELETE', url: `${maps}?labelSelector=none%3Dx` },
      { method: 'DELETE', url: maps },
    ],
  },
  'a pod is shown with its defaults': {
    mutating: { m: rule(['pods']) },
    validating: { v: rule(['pods']) },
    steps: [{ method: 'POST', url: `${pods}?dryRun=All`, body: pod }],
  },
  'a status is written': {
    validating: { v: rule(['pods/status']) },
    steps: [
      before({ method: 'POST', url: pods, body: pod }),
      {
        method: 'PATCH',
        url: `${pods}/p/status`,
        type: 'application/merge-patch+json',
        body: { status: { phase: 'Running' } },
      },
      {
        method: 'PATCH',
        url: `${pods}/p`,
        type: 'application/merge-patch+json',
        body: { metadata: { labels: { b: 'c' } } },
      },
    ],
  },
  'a scale is written': {
    mutating: { m: rule(['*/scale']) },
    validating: { v: rule(['deployments/*']) },
    steps: [
      before({ method: 'POST', url: deployments, body: deployment }),
      {
        method: 'PATCH',
        url: `${deployments}/d/scale`,
        type: 'application/merge-patch+json',
        body: { spec: { replicas: 3 } },
      },
    ],
  },
  'a scale is changed by a webhook': {
    mutating: { m: rule(['deployments/scale']) },
    behaviours: { m: patch([{ op: 'replace', path: '/spec/replicas', value: 7 }]) },
    steps: [
      before({ method: 'POST', url: deployments, body: deployment }),
      {
        method: 'PUT',
        url: `${deployments}/d/scale`,
        body: { metadata: { name: 'd', namespace: '{{ns}}' }, spec: { replicas: 3 } },
      },
    ],
  },
  'a binding is made': {
    validating: { v: rule(['pods/binding', 'bindings']) },
    behaviours: { v: deny({ message: 'no' }) },
    steps: [
      before({ method: 'POST', url: pods, body: pod }),
      {
        method: 'POST',
        url: `${pods}/p/binding`,
        body: { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
      },
    ],
  },
  'an eviction is asked for': {
    mutating: { m: rule(['pods/eviction']) },
    validating: { v: rule(['pods/eviction', 'pods']) },
    steps: [
      before({ method: 'POST', url: pods, body: pod }),
      {
        method: 'POST',
        url: `${pods}/p/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } },
      },
    ],
  },
  'a connection is asked for': {
    mutating: { m: rule(['pods/exec', 'pods/attach']) },
    validating: { v: rule(['pods/exec']) },
    behaviours: { v: deny({ message: 'not in', code: 403, reason: 'Forbidden' }) },
    steps: [
      before({ method: 'POST', url: pods, body: pod }),
      { method: 'POST', url: `${pods}/p/exec?command=a&command=b&container=c&stdout=true` },
    ],
  },
  'a token is asked for': {
    validating: { v: rule(['serviceaccounts/token']) },
    behaviours: { v: deny({ message: 'no' }) },
    steps: [
      before({ method: 'POST', url: '/api/v1/namespaces/{{ns}}/serviceaccounts', body: { metadata: { name: 's' } } }),
      {
        method: 'POST',
        url: '/api/v1/namespaces/{{ns}}/serviceaccounts/s/token',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['x'] } },
      },
    ],
  },
  'the review of v1beta1': {
    mutating: { m: { admissionReviewVersions: ['v1beta1', 'v1'] } },
    behaviours: {
      m: answer(
        { uid: 'wrong', patch: base64('[{"op":"add","path":"/data","value":{"x":"y"}}]') },
        { kind: '', apiVersion: '' },
      ),
    },
    steps: [create()],
  },
  'a review of a version that nobody knows': {
    validating: { v: { admissionReviewVersions: ['v2', 'v1beta1'] } },
    steps: [create()],
  },
  'a namespace by its own labels': {
    validating: {
      v: { ...rule(['namespaces']), namespaceSelector: { matchLabels: { test: '{{ns}}' } } },
    },
    behaviours: { v: deny({ message: 'no' }) },
    steps: [
      {
        method: 'PATCH',
        url: '/api/v1/namespaces/{{ns}}',
        type: 'application/merge-patch+json',
        body: { metadata: { labels: { test: '{{ns}}' } } },
      },
    ],
  },
  'what is in no namespace, whatever the selector': {
    validating: {
      v: {
        ...rule(['clusterroles']),
        namespaceSelector: { matchLabels: { nobody: 'here' } },
        objectSelector: { matchLabels: { of: '{{ns}}' } },
      },
    },
    behaviours: { v: deny({ message: 'no' }) },
    steps: [
      {
        method: 'POST',
        url: '/apis/rbac.authorization.k8s.io/v1/clusterroles?dryRun=All',
        body: { metadata: { name: 'r-{{ns}}', labels: { of: '{{ns}}' } } },
      },
    ],
  },
  'only objects with a label, then or now': {
    validating: { v: { objectSelector: { matchExpressions: [{ key: 'seen', operator: 'Exists' }] } } },
    steps: [
      create('plain'),
      create('a', { metadata: { name: 'a', labels: { seen: '' } } }),
      merge({ metadata: { labels: { seen: null } } }),
      merge({ data: { k: 'v' } }),
    ],
  },
  'only what is in a namespace': {
    validating: { v: rule(['*'], { scope: 'Cluster' }), w: rule(['*'], { scope: 'Namespaced' }) },
    steps: [create()],
  },
  'only some operations': {
    validating: { v: rule(['configmaps'], { operations: ['UPDATE', 'DELETE'] }) },
    steps: [create(), merge({ data: { k: 'v' } }), remove()],
  },
  'a rule for another version, exactly': {
    validating: { v: { ...rule(['events'], { apiGroups: ['events.k8s.io'] }), matchPolicy: 'Exact' } },
    steps: [event],
  },
  'a rule for another version that is the same': {
    mutating: {
      m: { ...rule(['events'], { apiGroups: ['events.k8s.io'], apiVersions: ['v1'] }), matchPolicy: 'Equivalent' },
    },
    validating: { v: rule(['events'], { apiGroups: ['events.k8s.io'] }) },
    behaviours: { m: patch([{ op: 'replace', path: '/note', value: 'changed' }]) },
    steps: [event],
  },
  'a scaler in another version': {
    validating: {
      v: {
        ...rule(['horizontalpodautoscalers'], { apiGroups: ['autoscaling'], apiVersions: ['v1'] }),
        matchPolicy: 'Equivalent',
      },
    },
    steps: [
      {
        method: 'POST',
        url: '/apis/autoscaling/v2/namespaces/{{ns}}/horizontalpodautoscalers',
        body: {
          metadata: { name: 'h' },
          spec: {
            scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
            maxReplicas: 3,
            metrics: [
              { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
            ],
          },
        },
      },
    ],
  },
  'configurations of webhooks themselves': {
    mutating: { m: { ...rule(['*']), namespaceSelector: {}, objectSelector: { matchLabels: { of: '{{ns}}' } } } },
    validating: { v: { ...rule(['*']), namespaceSelector: {}, objectSelector: { matchLabels: { of: '{{ns}}' } } } },
    steps: [
      {
        method: 'POST',
        url: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All',
        body: { metadata: { name: 'x', labels: { of: '{{ns}}' } } },
      },
    ],
  },
  'a no without a word': validatingDoes(deny()),
  'a no with a message': validatingDoes(deny({ message: 'because' })),
  'a no with a reason only': validatingDoes(deny({ reason: 'Conflict' })),
  'a no with a code and details': validatingDoes(
    deny({
      code: 418,
      reason: 'Teapot',
      message: 'short and stout',
      details: { name: 'n', causes: [{ message: 'm', field: 'f', reason: 'r' }] },
    }),
  ),
  'a no with a code of success': validatingDoes(deny({ status: 'Success', code: 200, message: 'fine' })),
  'a no of a mutating webhook': mutatingDoes(deny({ message: 'because', code: 403 })),
  'a no with warnings and annotations': validatingDoes(
    answer({
      allowed: false,
      warnings: ['one', 'two "quoted"', 'one'],
      auditAnnotations: { key: 'value', 'no good!': 'x', other: 'y' },
    }),
  ),
  'a yes with warnings and annotations': mutatingDoes(answer({ warnings: ['careful'], auditAnnotations: { k: 'v' } })),
  'warnings that are too long': validatingDoes(
    answer({ warnings: ['a'.repeat(3000), `b${'é'.repeat(1000)}`, 'c'.repeat(300), 'line\nbreak'] }),
  ),
  'the first no in order, from two': {
    validating: { v: {}, w: {} },
    behaviours: { v: answer(), w: deny({ message: 'second' }) },
    steps: [create()],
  },
  'a patch': mutatingDoes(
    patch([
      { op: 'add', path: '/data/new', value: 'x' },
      { op: 'remove', path: '/data/k' },
    ]),
  ),
  'a patch that changes nothing': mutatingDoes(patch([{ op: 'replace', path: '/data/k', value: 'v' }])),
  'an empty patch': mutatingDoes(patch([])),
  'a patch of null': mutatingDoes(patch(null)),
  'patches one after the other': {
    mutating: { m: {}, n: { objectSelector: { matchLabels: { first: 'was-here' } } } },
    behaviours: {
      m: patch([{ op: 'add', path: '/metadata/labels', value: { first: 'was-here' } }]),
      n: patch([{ op: 'add', path: '/metadata/labels/second', value: 'too' }]),
    },
    steps: [create()],
  },
  'a patch of unknown fields': mutatingDoes(patch([{ op: 'add', path: '/foo', value: { bar: 1 } }])),
  'a patch of who manages what': mutatingDoes(
    patch([{ op: 'replace', path: '/metadata/managedFields/0/operation', value: 'Nonsense' }]),
  ),
  'a patch of the name': mutatingDoes(patch([{ op: 'replace', path: '/metadata/name', value: 'b' }])),
  'a patch of the kind': mutatingDoes(patch([{ op: 'replace', path: '/kind', value: 'Secret' }])),
  ...furtherScenarios,
};
