import { mergePatch } from '../headers.ts';
import { type Call, edited, type Suite } from '../scenario.ts';

const group = 'admissionregistration.k8s.io/v1::';
/** Nobody else's writes are concerned. */
const here = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '{{ns}}' } } };
const rule = (resources: readonly string[], more: object = {}) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources,
  ...more,
});
const configMaps = { ...here, resourceRules: [rule(['configmaps'])] };

const policy = (name: string, spec: object): Call => ({
  send: `POST ${group}validatingadmissionpolicies`,
  body: { metadata: { name: `{{ns}}-${name}` }, spec: { matchConstraints: configMaps, ...spec } },
});
const binding = (name: string, spec: object = {}): Call => ({
  send: `POST ${group}validatingadmissionpolicybindings`,
  body: {
    metadata: { name: `{{ns}}-${name}` },
    spec: { policyName: `{{ns}}-${name}`, validationActions: ['Deny'], ...spec },
  },
});
/** All that a policy has to say, one warning each. */
const warning = (name: string, spec: object = {}): Call => binding(name, { validationActions: ['Warn'], ...spec });
/** Policies are in force by now. */
const then = (call: Call): Call => ({ ...call, settle: 'policies' });
/** The real server looks for new kinds of parameters now and then. */
const discovered = (call: Call): Call => ({ ...call, settle: 'discovery' });
const configMap = (name: string, more: object = {}, as?: string): Call => ({
  send: 'POST v1:configmaps',
  body: { metadata: { name }, ...more },
  ...(as !== undefined && { as }),
});
const patch = (send: string, body: object): Call => ({ send: `PATCH ${send}`, body, headers: mergePatch });
/** Nothing costs more. */
const checks = (...verbs: readonly string[]): string =>
  verbs.map((verb) => `!authorizer.group('').resource('pods').check('${verb}').allowed()`).join(' && ');
const expressions = (...all: readonly string[]) => ({ validations: all.map((expression) => ({ expression })) });

/** Policies that refuse, warn, or only say that they would. */
export const suite: Suite = {
  server: 'default',
  scenarios: {
    'a policy refuses what its expressions are not true of': [
      policy('p', {
        validations: [
          { expression: "object.metadata.name != 'bad'" },
          { expression: "object.metadata.name != 'said'", message: ' it is said ' },
          {
            expression: "object.metadata.name != 'made'",
            message: 'never seen',
            messageExpression: "'made of ' + object.metadata.name",
          },
          { expression: "object.metadata.name != 'forbidden'", reason: 'Forbidden', message: 'no' },
          { expression: "object.metadata.name != 'large'", reason: 'RequestEntityTooLarge' },
          { expression: "object.metadata.name != 'lines'", messageExpression: "'a\\nb'" },
          { expression: "object.metadata.name != 'blank'", messageExpression: "'  '", message: 'instead' },
          { expression: "object.metadata.name != 'broken'", messageExpression: 'object.nothing', message: 'instead' },
          { expression: 'object.data.x == "1"' },
        ],
      }),
      policy('p', {
        validations: [
          { expression: "object.metadata.name != 'bad'" },
          { expression: "object.metadata.name != 'said'", message: ' it is said ' },
          {
            expression: "object.metadata.name != 'made'",
            message: 'never seen',
            messageExpression: "'made of ' + object.metadata.name",
          },
          { expression: "object.metadata.name != 'forbidden'", reason: 'Forbidden', message: 'no' },
          { expression: "object.metadata.name != 'large'", reason: 'RequestEntityTooLarge' },
          { expression: "object.metadata.name != 'lines'", messageExpression: "'a\\nb'" },
          { expression: "object.metadata.name != 'blank'", messageExpression: "'  '", message: 'instead' },
          {
            expression: "object.metadata.name != 'broken'",
            messageExpression: "'x' + string(object.nothing)",
            message: 'instead',
          },
          { expression: 'object.data.x == "1"' },
        ],
      }),
      binding('p'),
      then(configMap('fine', { data: { x: '1' } }, 'fine')),
      configMap('bad'),
      configMap('said'),
      configMap('made'),
      configMap('forbidden'),
      configMap('large'),
      configMap('lines'),
      configMap('blank'),
      configMap('broken'),
      configMap('other', { data: { x: '2' } }),
      configMap('none'),
      { send: 'POST v1:configmaps', body: { metadata: { generateName: 'bad-' }, data: {} } },
      patch('v1:configmaps/fine', { data: { x: '2' } }),
      { send: 'PUT v1:configmaps/fine', body: edited('fine', { 'data.x': '3' }) },
      { send: 'PUT v1:configmaps/new', body: { metadata: { name: 'new' }, data: { x: '3' } } },
      { send: 'POST v1:configmaps?dryRun=All', body: { metadata: { name: 'dry' }, data: { x: '3' } } },
      { send: 'DELETE v1:configmaps/fine' },
    ],
    'expressions see the write': [
      policy('p', {
        matchConstraints: {
          ...here,
          resourceRules: [rule(['configmaps'], { operations: ['*'] })],
        },
        ...expressions(
          'object == null',
          'oldObject == null',
          'request.operation == "x"',
          'request.name == "x"',
          'has(request.name)',
          'request.namespace == "x"',
          'has(request.dryRun) && !request.dryRun',
          'request.kind.kind == "x"',
          'request.kind.group == "x"',
          'request.resource.resource == "x"',
          'request.requestKind.version == "x"',
          'request.requestResource.resource == "x"',
          'has(request.subResource)',
          'request.userInfo.username == "x"',
          'request.userInfo.groups == ["x"]',
          'has(request.userInfo.uid)',
          'has(request.userInfo.extra)',
          'has(request.options)',
          'request.options.kind == "x"',
          'request.options.fieldManager == "x"',
          'namespaceObject == null',
          'namespaceObject.metadata.name == "x"',
          'namespaceObject.metadata.UID == "x"',
          'namespaceObject.metadata.labels["kubernetes.io/metadata.name"] == "x"',
          'has(namespaceObject.metadata.annotations)',
          'namespaceObject.metadata.creationTimestamp < timestamp("2000-01-01T00:00:00Z")',
          'namespaceObject.spec.finalizers == []',
          'namespaceObject.status.phase == "x"',
          'has(object.metadata.creationTimestamp)',
          'has(object.metadata.uid)',
          'has(object.metadata.managedFields)',
          'has(object.metadata.namespace)',
          'has(object.apiVersion) && has(object.kind)',
          'object.kind == "x"',
          'has(object.data)',
          'object.data.size() == 7',
          'type(object.data) == string',
          'object.data.nothing == "x"',
          'object.nothing == "x"',
          'object["metadata"].name == "x"',
          'object.metadata.name + 1 == 2',
          'object.metadata.?labels[?"a"].orValue("none") == "x"',
          'oldObject.metadata.name == "x"',
        ),
      }),
      warning('p'),
      then(configMap('a', { data: { x: '1' } })),
      { send: 'POST v1:configmaps?dryRun=All&fieldManager=me', body: { metadata: { name: 'b' }, immutable: true } },
      patch('v1:configmaps/a?fieldManager=me', { metadata: { labels: { a: 'b' } } }),
      { send: 'POST v1:configmaps', body: { metadata: { generateName: 'gen-' } } },
      { send: 'DELETE v1:configmaps/a' },
      { send: 'DELETE v1:configmaps' },
    ],
    'a typed object has what its type always has': [
      policy('p', {
        matchConstraints: { ...here, resourceRules: [rule(['pods', 'services', 'pods/status'])] },
        ...expressions(
          'has(object.status)',
          'object.status == {}',
          'has(object.metadata.creationTimestamp)',
          'object.kind == "Pod" && object.spec.containers[0].resources == {}',
          'object.kind == "Pod" && object.spec.containers.exists(c, c.image == "x")',
          'object.kind == "Pod" && object.spec.restartPolicy == "x"',
          'object.kind == "Pod" && object.spec.containers[0].ports[0].containerPort == "80"',
          'object.kind == "Pod" && object.spec.containers[0].ports[0].containerPort > 80',
          'object.kind == "Service" && object.spec.ports[0].targetPort == "80"',
          'object.kind == "Service" && type(object.spec.ports[0].targetPort) == string',
          'request.subResource == "x"',
        ),
      }),
      warning('p'),
      { send: 'POST v1:serviceaccounts', body: { metadata: { name: 'default' } } },
      then({
        send: 'POST v1:pods',
        body: {
          metadata: { name: 'p' },
          spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }] },
        },
      }),
      { send: 'POST v1:services', body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } } },
      patch('v1:pods/p/status', { status: { phase: 'Running' } }),
    ],
    'variables are evaluated when they are used': [
      policy('p', {
        variables: [
          { name: 'name', expression: 'object.metadata.name' },
          { name: 'long', expression: 'variables.name + "-long"' },
          { name: 'broken', expression: 'object.nothing.at.all' },
          { name: 'list', expression: '["a", "b"].map(x, x + variables.name)' },
          { name: 'map', expression: '{"a": variables.list}' },
          { name: 'user', expression: 'request.userInfo' },
          {
            name: 'may',
            expression: 'authorizer.group("").resource("pods").namespace("{{ns}}").check("create").allowed()',
          },
          { name: 'never', expression: 'authorizer.requestResource.check("nothing").reason()' },
        ],
        ...expressions(
          'variables.name == "x"',
          'variables.long == "x"',
          'variables.broken == "x"',
          'variables.broken == "x" || variables.name == "a"',
          'variables.broken == "x" || variables.name == "b"',
          'variables.list == ["aa", "ba"]',
          'variables.list.size() == 3',
          'variables.map.a[0] == "x"',
          'variables.user.username == "x"',
          '!variables.may',
          'variables.never == "x"',
          'has(variables.name) && variables.name == "x"',
        ),
      }),
      warning('p'),
      then(configMap('a')),
      { ...configMap('b'), user: 'alice' },
    ],
    'who asks may be asked about': [
      policy('p', {
        ...expressions(
          'authorizer.group("").resource("pods").namespace("default").check("create").allowed()',
          'authorizer.path("/healthz").check("get").allowed()',
          'authorizer.path("/nothing").check("get").allowed()',
          'authorizer.requestResource.check("create").allowed()',
          'authorizer.requestResource.check("delete").reason() == "x"',
          'authorizer.serviceAccount("default", "default").group("").resource("pods").check("get").allowed()',
          'authorizer.serviceAccount("Default", "default").group("").resource("pods").check("get").allowed()',
          'authorizer.group("").resource("").check("get").allowed()',
          'authorizer.group("").resource("pods").check("a").allowed() || authorizer.group("").resource("pods").check("b").allowed() || authorizer.group("").resource("pods").check("c").allowed() || authorizer.group("").resource("pods").check("d").allowed()',
          'authorizer.group("").resource("pods").check("get").errored()',
        ),
      }),
      warning('p'),
      {
        send: 'POST rbac.authorization.k8s.io/v1:roles',
        body: {
          metadata: { name: 'r' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }],
        },
      },
      {
        send: 'POST rbac.authorization.k8s.io/v1:rolebindings',
        body: {
          metadata: { name: 'r' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
        },
      },
      then(configMap('a')),
      { ...configMap('b'), user: 'alice' },
    ],
    'conditions keep a policy from looking': [
      policy('p', {
        matchConditions: [
          { name: 'not-me', expression: "object.metadata.name != 'me'" },
          { name: 'labels', expression: "!has(object.metadata.labels) || object.metadata.labels.a == 'b'" },
          { name: 'data', expression: "!has(object.data) || object.data.a == 'b'" },
        ],
        ...expressions('false'),
      }),
      binding('p'),
      then(configMap('a')),
      configMap('me'),
      { send: 'POST v1:configmaps', body: { metadata: { name: 'b', labels: { c: 'd' } } } },
      { send: 'POST v1:configmaps', body: { metadata: { name: 'b', labels: { c: 'd' } }, data: { c: 'd' } } },
      { send: 'POST v1:configmaps', body: { metadata: { name: 'me', labels: { c: 'd' } }, data: { c: 'd' } } },
      {
        send: `PATCH ${group}validatingadmissionpolicies/{{ns}}-p`,
        body: { spec: { failurePolicy: 'Ignore' } },
        headers: mergePatch,
      },
      then({ send: 'POST v1:configmaps', body: { metadata: { name: 'c', labels: { c: 'd' } } } }),
    ],
    'failures are let pass where the policy says so': [
      policy('p', {
        failurePolicy: 'Ignore',
        ...expressions('object.nothing == "x"', 'object.metadata.name != "bad"'),
      }),
      binding('p'),
      then({ send: 'POST v1:configmaps', body: { metadata: { name: 'bad' } } }),
    ],
    'several actions at once': [
      policy('p', expressions('object.metadata.name != "bad"')),
      binding('p', { validationActions: ['Warn', 'Audit'] }),
      then(configMap('bad')),
      patch(`${group}validatingadmissionpolicybindings/{{ns}}-p`, { spec: { validationActions: ['Deny', 'Audit'] } }),
      then({ send: 'DELETE v1:configmaps/bad' }),
      configMap('bad'),
    ],
    'expressions that cost too much': [
      policy('p', {
        variables: [
          { name: 'dear', expression: `${checks('a', 'b', 'c')} || true` },
          { name: 'fair', expression: `${checks('a', 'b')} || true` },
        ],
        ...expressions(
          'variables.dear',
          'variables.fair',
          `${checks('a', 'b', 'c')} || true`,
          'lists.range(100).all(x, lists.range(50).all(y, x + y >= 0)) && false',
        ),
      }),
      warning('p'),
      then(configMap('a')),
    ],
    'a policy runs out of its budget': [
      policy('p', expressions(...Array.from({ length: 15 }, (_, i) => `${checks(`a${i}`, `b${i}`)} || true`))),
      binding('p'),
      then(configMap('a')),
    ],
    'so do its conditions': [
      policy('p', {
        matchConditions: Array.from({ length: 4 }, (_, i) => ({
          name: `c${i}`,
          expression: `${checks(`a${i}`, `b${i}`)} || true`,
        })),
        ...expressions('true'),
      }),
      binding('p'),
      then(configMap('a')),
    ],
    'so do its variables': [
      policy('p', {
        variables: Array.from({ length: 15 }, (_, i) => ({
          name: `v${i}`,
          expression: `${checks(`a${i}`, `b${i}`)} || true`,
        })),
        ...expressions(Array.from({ length: 15 }, (_, i) => `variables.v${i}`).join(' && ')),
      }),
      binding('p'),
      then(configMap('a')),
    ],
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
      then({ send: 'DELETE v1:configmaps/a' }),
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
      then({ send: 'POST v1::namespaces', body: { metadata: { name: '{{ns}}-a', labels: { strict: 'yes' } } } }),
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
      then({
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
      then(configMap('a')),
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
      then({
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
      then({ send: 'POST v1:secrets', body: { metadata: { name: 'x' } } }),
      configMap('limits', { data: { allowed: 'a,b' } }),
      patch(`${group}validatingadmissionpolicybindings/{{ns}}-p`, {
        spec: { paramRef: { parameterNotFoundAction: 'Allow' } },
      }),
      then(configMap('limits', { data: { allowed: 'a,b' } })),
      then(configMap('a')),
      configMap('c'),
      { send: 'DELETE v1:configmaps/limits' },
      then(configMap('c')),
      patch(`${group}validatingadmissionpolicybindings/{{ns}}-p`, { spec: { paramRef: null } }),
      then(configMap('d')),
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
      then({ send: 'POST v1:secrets', body: { metadata: { name: 'a' } } }),
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
      then({ send: 'POST v1:secrets', body: { metadata: { name: 'a' } } }),
      { send: 'POST v1:secrets', body: { metadata: { name: 'b' } } },
      { send: 'POST v1:secrets', body: { metadata: { name: 'c' } } },
    ],
    'parameters of a kind that nobody knows': [
      policy('p', { paramKind: { apiVersion: 'nobody.example.com/v1', kind: 'Nothing' }, ...expressions('true') }),
      binding('p', { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }),
      then(configMap('a')),
      patch(`${group}validatingadmissionpolicies/{{ns}}-p`, { spec: { failurePolicy: 'Ignore' } }),
      then(configMap('a')),
    ],
    'parameters outside of namespaces': [
      policy('p', {
        paramKind: { apiVersion: 'v1', kind: 'Namespace' },
        validations: [{ expression: 'false', messageExpression: 'string(params.metadata.name)' }],
      }),
      binding('p', { paramRef: { name: '{{ns}}', namespace: 'x', parameterNotFoundAction: 'Deny' } }),
      then(configMap('a')),
      {
        send: `PATCH ${group}validatingadmissionpolicybindings/{{ns}}-p`,
        body: { spec: { paramRef: { namespace: null } } },
        headers: mergePatch,
      },
      then(configMap('a')),
    ],
    'namespaced parameters for what is in no namespace': [
      policy('p', {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules: [rule(['nodes'], { resourceNames: ['{{ns}}'] })] },
        ...expressions('false'),
      }),
      binding('p', { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }),
      then({ send: 'POST v1::nodes', body: { metadata: { name: '{{ns}}' } } }),
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
      then({
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
      then({ send: `DELETE ${group}validatingadmissionpolicies/{{ns}}-q` }),
      {
        send: `POST ${group}validatingwebhookconfigurations?dryRun=All`,
        body: { metadata: { name: '{{ns}}' }, webhooks: [] },
      },
      { send: `DELETE ${group}validatingadmissionpolicybindings/{{ns}}-p` },
    ],
  },
};
