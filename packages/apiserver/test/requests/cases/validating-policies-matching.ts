import { mergePatch } from '../headers.ts';
import type { Call, Suite } from '../scenario.ts';
import {
  binding,
  configMap,
  discovered,
  expressions,
  group,
  here,
  inForce,
  patch,
  policy,
  rule,
  warning,
} from '../validating-policy-calls.ts';

/** Match constraints, parameters and validation of policies. */
export const matchingScenarios: Suite['scenarios'] = {
  'all that can be done': [
    { send: 'POST v1:serviceaccounts', body: { metadata: { name: 'default' } } },
    configMap('a'),
    configMap('b', {}),
    {
      send: 'POST v1:pods',
      body: { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } },
    },
    {
      send: 'POST apps/v1:deployments',
      body: {
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    },
    policy('p', {
      matchConstraints: {
        ...here,
        resourceRules: [
          rule(['configmaps'], { operations: ['DELETE'] }),
          rule(['pods/exec', 'pods/eviction', 'pods/status', 'pods/ephemeralcontainers'], { operations: ['*'] }),
          rule(['deployments/*'], { operations: ['*'], apiGroups: ['apps'] }),
        ],
      },
      validations: [
        {
          expression: 'request.name == "b"',
          messageExpression:
            'request.operation + " " + request.kind.kind + " " + request.?subResource.orValue("-") + " " + request.resource.resource + " " + string(object == null) + string(oldObject == null) + (object != null && has(object.kind) ? string(object.kind) : "none")',
        },
      ],
    }),
    binding('p'),
    inForce({ send: 'DELETE v1:configmaps/a' }),
    { send: 'DELETE v1:configmaps/b' },
    { send: 'DELETE v1:configmaps?labelSelector=!none' },
    { send: 'POST v1:pods/p/exec?command=ls&stdout=true' },
    { send: 'POST v1:pods/p/eviction', body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } } },
    patch('v1:pods/p/status', { status: { phase: 'Running' } }),
    patch('v1:pods/p/ephemeralcontainers', { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } }),
    patch('apps/v1:deployments/d/scale', { spec: { replicas: 3 } }),
    patch('apps/v1:deployments/d/status', { status: { replicas: 3 } }),
    patch('apps/v1:deployments/d', { spec: { replicas: 3 } }),
  ],
  namespaces: [
    policy('p', {
      matchConstraints: {
        resourceRules: [rule(['namespaces'], { operations: ['*'], resourceNames: ['{{ns}}-a', '{{ns}}-b'] })],
        namespaceSelector: { matchLabels: { strict: 'yes' } },
      },
      validations: [
        {
          expression: 'namespaceObject == null && false',
          messageExpression: '"in " + request.?namespace.orValue("none")',
        },
      ],
    }),
    binding('p'),
    inForce({ send: 'POST v1::namespaces', body: { metadata: { name: '{{ns}}-a', labels: { strict: 'yes' } } } }),
    { send: 'POST v1::namespaces', body: { metadata: { name: '{{ns}}-b' } } },
    patch('v1::namespaces/{{ns}}-b', { metadata: { labels: { strict: 'yes' } } }),
    { send: 'DELETE v1::namespaces/{{ns}}-b' },
  ],
  'only what a rule names exactly': [
    policy('p', {
      matchConstraints: {
        ...here,
        matchPolicy: 'Exact',
        resourceRules: [
          {
            apiGroups: ['autoscaling'],
            apiVersions: ['v1'],
            operations: ['*'],
            resources: ['horizontalpodautoscalers'],
          },
        ],
      },
      ...expressions('false'),
    }),
    binding('p'),
    inForce({
      send: 'POST autoscaling/v2:horizontalpodautoscalers',
      body: {
        metadata: { name: 'h' },
        spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 },
      },
    }),
    {
      send: 'POST autoscaling/v1:horizontalpodautoscalers',
      body: {
        metadata: { name: 'i' },
        spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 },
      },
    },
  ],
  'bindings narrow a policy down': [
    policy('p', expressions('false')),
    binding('p', {
      matchResources: {
        objectSelector: { matchLabels: { strict: 'true' } },
        excludeResourceRules: [rule(['configmaps'], { resourceNames: ['spared'] })],
      },
    }),
    inForce(configMap('a')),
    { send: 'POST v1:configmaps', body: { metadata: { name: 'b', labels: { strict: 'true' } } } },
    { send: 'POST v1:configmaps', body: { metadata: { name: 'spared', labels: { strict: 'true' } } } },
    patch('v1:configmaps/a', { metadata: { labels: { strict: 'true' } } }),
    patch('v1:configmaps/spared', { metadata: { labels: { strict: null } } }),
  ],
  'a policy is for equivalents of what it names': [
    policy('p', {
      matchConstraints: {
        ...here,
        matchPolicy: 'Equivalent',
        resourceRules: [
          {
            apiGroups: ['autoscaling'],
            apiVersions: ['v1'],
            operations: ['*'],
            resources: ['horizontalpodautoscalers'],
          },
        ],
      },
      ...expressions(
        'object.spec.targetCPUUtilizationPercentage == 1',
        'object.apiVersion == "x"',
        'request.kind.version == "x"',
        'request.requestKind.version == "x"',
        'request.resource.version == "x"',
      ),
    }),
    warning('p'),
    inForce({
      send: 'POST autoscaling/v2:horizontalpodautoscalers',
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
    }),
  ],
  'parameters by name': [
    policy('p', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        {
          expression: "params != null && object.metadata.name in params.data.allowed.split(',')",
          messageExpression: "'allowed: ' + params.data.allowed + ' by ' + params.kind + params.apiVersion",
        },
      ],
    }),
    binding('p', { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } }),
    inForce({ send: 'POST v1:secrets', body: { metadata: { name: 'x' } } }),
    configMap('limits', { data: { allowed: 'a,b' } }),
    patch(`${group}validatingadmissionpolicybindings/{{ns}}-p`, {
      spec: { paramRef: { parameterNotFoundAction: 'Allow' } },
    }),
    inForce(configMap('limits', { data: { allowed: 'a,b' } })),
    inForce(configMap('a')),
    configMap('c'),
    { send: 'DELETE v1:configmaps/limits' },
    inForce(configMap('c')),
    patch(`${group}validatingadmissionpolicybindings/{{ns}}-p`, { spec: { paramRef: null } }),
    inForce(configMap('d')),
  ],
  'parameters by selector, each for itself': [
    policy('p', {
      paramKind: { apiVersion: 'v1', kind: 'ServiceAccount' },
      matchConstraints: { ...here, resourceRules: [rule(['secrets'])] },
      validations: [
        {
          expression: 'object.metadata.name != params.metadata.annotations.not',
          messageExpression: 'string(params.metadata.name)',
        },
      ],
    }),
    binding('p', { paramRef: { selector: { matchLabels: { for: 'policy' } }, parameterNotFoundAction: 'Deny' } }),
    inForce({ send: 'POST v1:secrets', body: { metadata: { name: 'a' } } }),
    {
      send: 'POST v1:serviceaccounts',
      body: { metadata: { name: 'x', labels: { for: 'policy' }, annotations: { not: 'a' } } },
    },
    {
      send: 'POST v1:serviceaccounts',
      body: { metadata: { name: 'y', labels: { for: 'policy' }, annotations: { not: 'b' } } },
    },
    {
      send: 'POST v1:serviceaccounts',
      body: { metadata: { name: 'z', labels: { for: 'none' }, annotations: { not: 'c' } } },
    },
    inForce({ send: 'POST v1:secrets', body: { metadata: { name: 'a' } } }),
    { send: 'POST v1:secrets', body: { metadata: { name: 'b' } } },
    { send: 'POST v1:secrets', body: { metadata: { name: 'c' } } },
  ],
  'parameters of a kind that nobody knows': [
    policy('p', { paramKind: { apiVersion: 'nobody.example.com/v1', kind: 'Nothing' }, ...expressions('true') }),
    binding('p', { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }),
    inForce(configMap('a')),
    patch(`${group}validatingadmissionpolicies/{{ns}}-p`, { spec: { failurePolicy: 'Ignore' } }),
    inForce(configMap('a')),
  ],
  'parameters outside of namespaces': [
    policy('p', {
      paramKind: { apiVersion: 'v1', kind: 'Namespace' },
      validations: [{ expression: 'false', messageExpression: 'string(params.metadata.name)' }],
    }),
    binding('p', { paramRef: { name: '{{ns}}', namespace: 'x', parameterNotFoundAction: 'Deny' } }),
    inForce(configMap('a')),
    {
      send: `PATCH ${group}validatingadmissionpolicybindings/{{ns}}-p`,
      body: { spec: { paramRef: { namespace: null } } },
      headers: mergePatch,
    },
    inForce(configMap('a')),
  ],
  'namespaced parameters for what is in no namespace': [
    policy('p', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: { resourceRules: [rule(['nodes'], { resourceNames: ['{{ns}}'] })] },
      ...expressions('false'),
    }),
    binding('p', { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }),
    inForce({ send: 'POST v1::nodes', body: { metadata: { name: '{{ns}}' } } }),
  ],
  'custom resources, as objects and as parameters': [
    {
      send: 'POST apiextensions.k8s.io/v1::customresourcedefinitions',
      body: {
        metadata: { name: 'limits.{{ns}}.example.com' },
        spec: {
          group: '{{ns}}.example.com',
          names: { plural: 'limits', kind: 'Limit' },
          scope: 'Namespaced',
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: { max: { type: 'integer' }, ratio: { type: 'number' } },
                },
              },
            },
          ],
        },
      },
    },
    policy('p', {
      paramKind: { apiVersion: '{{ns}}.example.com/v1', kind: 'Limit' },
      matchConstraints: {
        ...here,
        resourceRules: [
          rule(['configmaps']),
          { apiGroups: ['{{ns}}.example.com'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] },
        ],
      },
      validations: [
        {
          expression: 'object.kind != "ConfigMap" || object.data.size() <= params.max',
          messageExpression: "'at most ' + string(params.max) + ' of ' + params.kind",
        },
        { expression: 'object.kind != "Limit" || object.max < 100' },
        { expression: 'object.kind != "Limit" || has(object.ratio) && type(object.ratio) == double' },
      ],
    }),
    binding('p', { paramRef: { name: 'limit', parameterNotFoundAction: 'Allow' } }),
    discovered({
      send: 'POST {{ns}}.example.com/v1:limits',
      body: { apiVersion: '{{ns}}.example.com/v1', kind: 'Limit', metadata: { name: 'limit' }, max: 1, ratio: 0.5 },
    }),
    inForce({
      send: 'POST {{ns}}.example.com/v1:limits',
      body: { apiVersion: '{{ns}}.example.com/v1', kind: 'Limit', metadata: { name: 'other' }, max: 100, ratio: 0.5 },
    }),
    {
      send: 'POST {{ns}}.example.com/v1:limits',
      body: { apiVersion: '{{ns}}.example.com/v1', kind: 'Limit', metadata: { name: 'other' }, max: 10, ratio: 2 },
    },
    configMap('a', { data: { a: '1' } }),
    configMap('b', { data: { a: '1', b: '2' } }),
  ],
  'expressions that cannot be read': [
    policy('p', {
      matchConditions: [
        { name: 'a', expression: ' undeclared.x ' },
        { name: 'b', expression: 'variables.x' },
        { name: 'c', expression: 'params == null' },
        { name: 'd', expression: '1' },
      ],
      validations: [
        { expression: 'object.x ==' },
        { expression: ' 1 + "a" == 2', message: 'a\nb' },
        { expression: '"text"', messageExpression: '1' },
        { expression: 'object.x', messageExpression: 'authorizer.path("/x").check("get").reason()' },
        { expression: 'variables.x' },
        { expression: 'params.x == 1' },
        { expression: 'request.object == null' },
        { expression: 'namespaceObject.metadata.managedFields == null' },
        { expression: 'object.x.matches("(")' },
        { expression: 'int("x") == 1' },
        { expression: '' },
        { expression: 'Object{} == null' },
        { expression: 'jsonpatch.escapeKey("a") == "a"' },
      ],
      auditAnnotations: [
        { key: 'a', valueExpression: ' 1 ' },
        { key: 'b', valueExpression: 'object.x' },
        { key: 'c', valueExpression: 'null' },
        { key: 'd', valueExpression: '"x" + ' },
      ],
    }),
    policy('p', {
      failurePolicy: 'Never',
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [{ name: 'c', expression: 'params.x' }],
      variables: [
        { name: 'in', expression: '1 +' },
        { name: 'a', expression: 'variables.b' },
        { name: 'b', expression: 'variables.a + 1' },
        { name: 'c', expression: 'request' },
        { name: 'd', expression: '[1, 2]' },
        { name: 'e', expression: '{"a": optional.of(1)}' },
      ],
      validations: [
        { expression: 'variables.nothing' },
        { expression: 'variables.b == "x"' },
        { expression: 'variables.c.nothing == "x"' },
        { expression: 'variables.d == ["x"]' },
        { expression: 'variables.d[0] == "x"' },
        { expression: 'variables.e.a == "x"' },
      ],
    }),
    policy('good', {
      matchConditions: [{ name: 'a', expression: 'true' }],
      validations: [{ expression: 'true', reason: 'Invalid' }],
    }),
    patch(`${group}validatingadmissionpolicies/{{ns}}-good`, { spec: { validations: [{ expression: 'x' }] } }),
    patch(`${group}validatingadmissionpolicies/{{ns}}-good`, {
      spec: { matchConditions: [{ name: 'a', expression: 'y' }], failurePolicy: 'Ignore' },
    }),
    patch(`${group}validatingadmissionpolicies/{{ns}}-good`, { metadata: { labels: { a: 'b' } } }),
    ...['validating', 'mutating'].map(
      (sort): Call => ({
        send: `POST ${group}${sort}webhookconfigurations`,
        body: {
          metadata: { name: '{{ns}}' },
          webhooks: [
            {
              name: 'a.example.com',
              clientConfig: { url: 'https://example.com' },
              sideEffects: 'None',
              admissionReviewVersions: ['v1'],
              matchConditions: [
                { name: 'good', expression: 'object == null' },
                { name: 'bad', expression: ' object == ' },
                { name: 'worse', expression: 'params.x == 1' },
                { name: 'number', expression: 'object.x' },
                { name: 'a b', expression: 'namespaceObject.x == 1' },
              ],
            },
          ],
        },
      }),
    ),
  ],
  'who has parameters read must be allowed to read them': [
    {
      send: 'POST rbac.authorization.k8s.io/v1::clusterroles',
      body: {
        metadata: { name: '{{ns}}' },
        rules: [
          { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] },
          { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
          { apiGroups: [''], resources: ['services'], resourceNames: ['x'], verbs: ['get'] },
        ],
      },
    },
    {
      send: 'POST rbac.authorization.k8s.io/v1::clusterrolebindings',
      body: {
        metadata: { name: '{{ns}}' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: '{{ns}}' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
      },
    },
    ...['ConfigMap', 'Pod', 'Service', 'Nothing'].map((kind, index) => ({
      ...policy(`p${index}`, { paramKind: { apiVersion: 'v1', kind }, ...expressions('true') }),
      user: 'alice',
      ...(index === 0 && { settle: true as const }),
    })),
    policy('services', { paramKind: { apiVersion: 'v1', kind: 'Service' }, ...expressions('true') }),
    policy('nothing', { paramKind: { apiVersion: 'x/v1', kind: 'Nothing' }, ...expressions('true') }),
    { ...policy('plain', expressions('true')), user: 'alice' },
    ...[
      binding('services', { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }),
      binding('services', { paramRef: { name: 'y', parameterNotFoundAction: 'Allow' } }),
      binding('services', { paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } }),
      binding('nothing', { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }),
      binding('plain', { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }),
      binding('lost', { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }),
      binding('plain'),
      patch(`${group}validatingadmissionpolicies/{{ns}}-services`, { spec: { failurePolicy: 'Ignore' } }),
      patch(`${group}validatingadmissionpolicies/{{ns}}-services`, { spec: { paramKind: { kind: 'Secret' } } }),
      {
        send: `POST ${group}mutatingadmissionpolicybindings`,
        body: {
          metadata: { name: '{{ns}}' },
          spec: { policyName: 'lost', paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } },
        },
      },
    ].map((call) => ({ ...call, user: 'alice' })),
  ],
  'policies are not subject to policies': [
    policy('p', {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['admissionregistration.k8s.io', 'authorization.k8s.io'],
            apiVersions: ['*'],
            operations: ['*'],
            resources: ['*'],
          },
        ],
      },
      ...expressions('request.userInfo.username == "nobody"'),
    }),
    policy('q', expressions('true')),
    warning('p'),
    inForce({ send: `DELETE ${group}validatingadmissionpolicies/{{ns}}-q` }),
    {
      send: `POST ${group}validatingwebhookconfigurations?dryRun=All`,
      body: { metadata: { name: '{{ns}}' }, webhooks: [] },
    },
    { send: `DELETE ${group}validatingadmissionpolicybindings/{{ns}}-p` },
  ],
};
