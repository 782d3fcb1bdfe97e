import { applyPatch, mergePatch } from '../headers.ts';
import type { Call, Suite } from '../scenario.ts';

const group = 'admissionregistration.k8s.io/v1::';
/** Matches only the scenario's namespace, so that other scenarios are not affected. */
const here = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '{{ns}}' } } };
const rule = (resources: readonly string[], more: object = {}) => ({
  apiGroups: ['', 'apps'],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources,
  ...more,
});
const on = (...resources: readonly string[]) => ({ ...here, resourceRules: [rule(resources)] });

const configured = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patched = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

const policy = (name: string, mutations: readonly object[], spec: object = {}): Call => ({
  send: `POST ${group}mutatingadmissionpolicies`,
  body: {
    metadata: { name: `{{ns}}-${name}` },
    spec: { matchConstraints: on('configmaps'), reinvocationPolicy: 'Never', mutations, ...spec },
  },
});
const binding = (name: string, spec: object = {}): Call => ({
  send: `POST ${group}mutatingadmissionpolicybindings`,
  body: { metadata: { name: `{{ns}}-${name}` }, spec: { policyName: `{{ns}}-${name}`, ...spec } },
});
/** Waits before the call until policies take effect. */
const then = (call: Call): Call => ({ ...call, settle: 'policies' });
const configMap = (name: string, more: object = {}, metadata: object = {}): Call => ({
  send: 'POST v1:configmaps',
  body: { metadata: { name, ...metadata }, ...more },
});
const patch = (send: string, body: object): Call => ({ send: `PATCH ${send}`, body, headers: mergePatch });
/** A mutation for objects with that name only, so that one policy can have many mutations. */
const named = (name: string, expression: string) => patched(`object.metadata.name == "${name}" ? [${expression}] : []`);
const onlyNamed = (name: string, expression: string) =>
  configured(`object.metadata.name == "${name}" ? ${expression} : Object{}`);

const pod = (name: string, more: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...more },
});
const account: Call = { send: 'POST v1:serviceaccounts', body: { metadata: { name: 'default' } } };
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

/** MutatingAdmissionPolicies. */
export const suite: Suite = {
  server: 'default',
  scenarios: {
    'a configuration is applied': [
      policy('p', [
        configured(
          'Object{metadata: Object.metadata{labels: {"by": "policy"}, annotations: {"name": object.metadata.name}}}',
        ),
        onlyNamed('data', 'Object{data: {"a": "from policy", "b": string(size(object.data))}}'),
        onlyNamed('immutable', 'Object{immutable: true}'),
        onlyNamed('unknown', 'Object{nothing: "x"}'),
        onlyNamed('type', 'Object{data: "x"}'),
        onlyNamed('value', 'Object{data: {"a": 1}}'),
        onlyNamed('misnamed', 'Object{metadata: Object.wrong{labels: {"a": "b"}}}'),
        onlyNamed('deep', 'Object{metadata: Object.metadata{labels: Object.metadata.annotations{a: "b"}}}'),
        onlyNamed('error', 'Object{data: {"a": object.data.nothing}}'),
        onlyNamed('optional', 'Object{?immutable: optional.none(), data: {?"a": object.?data.?x}}'),
        onlyNamed('renamed', 'Object{metadata: Object.metadata{name: "other"}}'),
        onlyNamed('moved', 'Object{metadata: Object.metadata{namespace: "other"}}'),
        onlyNamed(
          'stays',
          '(request.operation == "UPDATE" ? Object{metadata: Object.metadata{namespace: "other"}} : Object{})',
        ),
        onlyNamed(
          'called',
          '(request.operation == "UPDATE" ? Object{metadata: Object.metadata{name: "other", uid: "other"}} : Object{})',
        ),
        onlyNamed('finalizers', 'Object{metadata: Object.metadata{finalizers: ["example.com/a"]}}'),
      ]),
      binding('p'),
      then(configMap('plain')),
      configMap('data', { data: { a: '1', c: '2' } }),
      configMap('immutable'),
      configMap('unknown'),
      configMap('type'),
      configMap('value'),
      configMap('misnamed'),
      configMap('deep'),
      configMap('error', { data: { a: 'b' } }),
      configMap('optional', { data: { x: 'y' } }),
      configMap('renamed'),
      configMap('moved'),
      configMap('stays'),
      patch('v1:configmaps/stays', { data: { a: 'b' } }),
      configMap('called'),
      patch('v1:configmaps/called', { data: { a: 'b' } }),
      {
        send: 'PATCH v1:configmaps/moved?fieldManager=me',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'moved' }, data: { a: 'b' } },
        headers: applyPatch,
      },
      configMap('finalizers', {}, { finalizers: ['example.com/b'] }),
      patch('v1:configmaps/data', { data: { a: 'mine' } }),
      {
        send: 'PATCH v1:configmaps/applied?fieldManager=me',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { a: 'b' } },
        headers: applyPatch,
      },
      { send: 'POST v1:configmaps', body: { metadata: { generateName: 'gen-' } } },
      { send: 'POST v1:configmaps?dryRun=All', body: { metadata: { name: 'dry' } } },
      { send: 'DELETE v1:configmaps/plain' },
    ],
    'lists are merged by their keys': [
      account,
      policy(
        'p',
        [
          onlyNamed(
            'sidecar',
            'Object{spec: Object.spec{containers: [Object.spec.containers{name: "sidecar", image: "s"}]}}',
          ),
          onlyNamed(
            'env',
            'Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, env: [Object.spec.containers.env{name: "A", value: c.image}], imagePullPolicy: "Always"})}}',
          ),
          onlyNamed(
            'atomic',
            'Object{spec: Object.spec{containers: [Object.spec.containers{name: "c", args: ["a"]}]}}',
          ),
          onlyNamed(
            'init',
            'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "i", image: "x"}]}}',
          ),
          onlyNamed('nokey', 'Object{spec: Object.spec{containers: [Object.spec.containers{image: "s"}]}}'),
          onlyNamed(
            'twice',
            'Object{spec: Object.spec{containers: [Object.spec.containers{name: "a", image: "s"}, Object.spec.containers{name: "a", image: "t"}]}}',
          ),
          onlyNamed('plain', 'Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: "a"}]}}'),
        ],
        { matchConstraints: on('pods') },
      ),
      binding('p'),
      then({ send: 'POST v1:pods', body: pod('sidecar') }),
      { send: 'POST v1:pods', body: pod('env') },
      { send: 'POST v1:pods', body: pod('atomic') },
      { send: 'POST v1:pods', body: pod('init') },
      { send: 'POST v1:pods', body: pod('nokey') },
      { send: 'POST v1:pods', body: pod('twice') },
      { send: 'POST v1:pods', body: pod('plain') },
      patch('v1:pods/sidecar/status', { status: { phase: 'Running' } }),
    ],
    'other kinds': [
      policy(
        'p',
        [
          configured(
            'has(object.spec.replicas) ? Object{spec: Object.spec{replicas: object.spec.replicas + 2}} : Object{}',
          ),
          onlyNamed('selector', 'Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "c"}}}}'),
          onlyNamed('strategy', 'Object{spec: Object.spec{strategy: Object.spec.strategy{type: "Recreate"}}}'),
          onlyNamed(
            'quantity',
            'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: "c", resources: Object.spec.template.spec.containers.resources{limits: {"cpu": "0.5", "memory": quantity("1Gi").isInteger() ? "1Gi" : "1"}}}]}}}}',
          ),
          onlyNamed('invalid', 'Object{spec: Object.spec{minReadySeconds: -1}}'),
          onlyNamed('fraction', 'Object{spec: Object.spec{minReadySeconds: 1.5}}'),
        ],
        { matchConstraints: on('deployments') },
      ),
      binding('p'),
      then({ send: 'POST apps/v1:deployments', body: deployment('plain') }),
      { send: 'POST apps/v1:deployments', body: deployment('selector') },
      { send: 'POST apps/v1:deployments', body: deployment('strategy') },
      { send: 'POST apps/v1:deployments', body: deployment('quantity') },
      { send: 'POST apps/v1:deployments', body: deployment('invalid') },
      { send: 'POST apps/v1:deployments', body: deployment('fraction') },
    ],
    'a patch is applied': [
      policy('p', [
        named(
          'add',
          'JSONPatch{op: "add", path: "/data", value: {"a": "b"}}, JSONPatch{op: "add", path: "/data/c", value: "d"}',
        ),
        named(
          'escaped',
          'JSONPatch{op: "add", path: "/metadata/labels", value: {}}, JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a.com/b~c"), value: "d"}',
        ),
        named('replace', 'JSONPatch{op: "replace", path: "/data/a", value: "new"}'),
        named('remove', 'JSONPatch{op: "remove", path: "/data/a"}'),
        named('move', 'JSONPatch{op: "move", from: "/data/a", path: "/data/b"}'),
        named('copy', 'JSONPatch{op: "copy", from: "/data/a", path: "/data/b"}'),
        named(
          'passes',
          'JSONPatch{op: "test", path: "/data/a", value: "b"}, JSONPatch{op: "replace", path: "/data/a", value: "tested"}',
        ),
        named(
          'fails',
          'JSONPatch{op: "test", path: "/data/a", value: "x"}, JSONPatch{op: "replace", path: "/data/a", value: "never"}',
        ),
        named(
          'object',
          'JSONPatch{op: "add", path: "/metadata/annotations", value: Object.metadata.annotations{a: "b"}}',
        ),
        named(
          'misnamed',
          'JSONPatch{op: "add", path: "/metadata", value: Object.metadata{labels: Object.wrong{a: "b"}}}',
        ),
        named('unknown', 'JSONPatch{op: "add", path: "/nothing", value: "x"}'),
        named('type', 'JSONPatch{op: "add", path: "/data", value: ["x"]}'),
        named('number', 'JSONPatch{op: "add", path: "/data", value: {"a": 1}}'),
        named('missing', 'JSONPatch{op: "remove", path: "/data/nothing"}'),
        named('path', 'JSONPatch{op: "add", path: "/a/b/c", value: "x"}'),
        named('op', 'JSONPatch{op: "nothing", path: "/data", value: "x"}'),
        named('null', 'JSONPatch{op: "add", path: "/data", value: null}'),
        named('novalue', 'JSONPatch{op: "add", path: "/data/x"}'),
        named('kind', 'JSONPatch{op: "replace", path: "/kind", value: "Secret"}'),
        named('bytes', 'JSONPatch{op: "add", path: "/binaryData", value: {"a": b"abc"}}'),
        named('time', 'JSONPatch{op: "add", path: "/data/t", value: timestamp("2020-01-01T00:00:00Z")}'),
        named('duration', 'JSONPatch{op: "add", path: "/data/t", value: duration("90s")}'),
        named('optional', 'JSONPatch{op: "add", path: "/data/t", ?value: object.?data.?a}'),
      ]),
      binding('p'),
      then(configMap('add')),
      ...['escaped', 'object', 'misnamed', 'unknown', 'type', 'number', 'path', 'op', 'null', 'kind', 'bytes'].map(
        (name) => configMap(name),
      ),
      ...[
        'replace',
        'remove',
        'move',
        'copy',
        'passes',
        'fails',
        'missing',
        'novalue',
        'time',
        'duration',
        'optional',
      ].map((name) => configMap(name, { data: { a: 'b' } })),
      patch('v1:configmaps/replace', { data: { a: 'again' } }),
    ],
    'a policy that wants it is asked again': [
      policy(
        'p',
        [
          configured(
            'Object{metadata: Object.metadata{labels: {"n": string(int(has(object.metadata.labels) && "n" in object.metadata.labels ? object.metadata.labels.n : "0") + 1)}}}',
          ),
        ],
        { reinvocationPolicy: 'IfNeeded' },
      ),
      binding('p'),
      then(configMap('a')),
      patch(`${group}mutatingadmissionpolicies/{{ns}}-p`, { spec: { reinvocationPolicy: 'Never' } }),
      then(configMap('b')),
    ],
    'what fails': [
      policy(
        'p',
        [configured('Object{data: {"a": object.data.nothing}}'), configured('Object{immutable: object.data.x}')],
        {
          matchConditions: [{ name: 'a', expression: 'object.metadata.name != "no" && object.data.x != ""' }],
          variables: [{ name: 'x', expression: 'object.data.y' }],
        },
      ),
      binding('p'),
      then(configMap('a', { data: { x: 'y' } })),
      configMap('no'),
      configMap('b'),
      patch(`${group}mutatingadmissionpolicies/{{ns}}-p`, { spec: { failurePolicy: 'Ignore' } }),
      then(configMap('c', { data: { x: 'y' } })),
      configMap('d'),
      patch(`${group}mutatingadmissionpolicies/{{ns}}-p`, {
        spec: { failurePolicy: 'Fail', paramKind: { apiVersion: 'nobody.example.com/v1', kind: 'Nothing' } },
      }),
      then(configMap('e', { data: { x: 'y' } })),
    ],
    'variables and parameters': [
      { send: 'POST v1:serviceaccounts', body: { metadata: { name: 'params', annotations: { add: 'x' } } } },
      policy(
        'p',
        [
          configured('Object{data: {variables.key: variables.value, "kind": params.kind}}'),
          patched('[JSONPatch{op: "add", path: "/data/again", value: variables.value}]'),
        ],
        {
          paramKind: { apiVersion: 'v1', kind: 'ServiceAccount' },
          variables: [
            { name: 'key', expression: 'params.metadata.annotations.add' },
            { name: 'value', expression: 'namespaceObject.metadata.name + request.operation' },
          ],
        },
      ),
      binding('p', { paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } }),
      then(configMap('a')),
      patch(`${group}mutatingadmissionpolicybindings/{{ns}}-p`, { spec: { paramRef: { name: 'other' } } }),
      then(configMap('b')),
      patch(`${group}mutatingadmissionpolicybindings/{{ns}}-p`, {
        spec: { matchResources: { objectSelector: { matchLabels: { a: 'b' } } } },
      }),
      then(configMap('c')),
    ],
    'custom resources': [
      {
        send: 'POST apiextensions.k8s.io/v1::customresourcedefinitions',
        body: {
          metadata: { name: 'things.{{ns}}.example.com' },
          spec: {
            group: '{{ns}}.example.com',
            names: { plural: 'things', kind: 'Thing' },
            scope: 'Namespaced',
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                subresources: { status: {} },
                schema: {
                  openAPIV3Schema: {
                    type: 'object',
                    properties: {
                      spec: {
                        type: 'object',
                        properties: {
                          size: { type: 'integer', default: 3 },
                          tags: {
                            type: 'array',
                            'x-kubernetes-list-type': 'map',
                            'x-kubernetes-list-map-keys': ['name'],
                            items: {
                              type: 'object',
                              required: ['name'],
                              properties: { name: { type: 'string' }, value: { type: 'string', default: 'none' } },
                            },
                          },
                          names: { type: 'array', items: { type: 'string' } },
                        },
                      },
                      status: { type: 'object', properties: { phase: { type: 'string' } } },
                    },
                  },
                },
              },
            ],
          },
        },
      },
      policy(
        'p',
        [
          onlyNamed('tag', 'Object{spec: Object.spec{tags: [Object.spec.tags{name: "a"}]}}'),
          onlyNamed('size', 'Object{spec: Object.spec{size: object.spec.size + 1}}'),
          onlyNamed('atomic', 'Object{spec: Object.spec{names: ["a"]}}'),
          onlyNamed('unknown', 'Object{spec: Object.spec{nothing: "a"}}'),
          onlyNamed('type', 'Object{spec: Object.spec{size: "a"}}'),
          named('patched', 'JSONPatch{op: "add", path: "/spec/names", value: ["x", "y"]}'),
          named('status', 'JSONPatch{op: "add", path: "/status", value: {"phase": "policy"}}'),
        ],
        {
          matchConstraints: {
            ...here,
            resourceRules: [rule(['things', 'things/status'], { apiGroups: ['{{ns}}.example.com'] })],
          },
        },
      ),
      binding('p'),
      ...['tag', 'size', 'atomic', 'unknown', 'type', 'patched', 'status'].map(
        (name, index): Call => ({
          send: 'POST {{ns}}.example.com/v1:things',
          body: {
            apiVersion: '{{ns}}.example.com/v1',
            kind: 'Thing',
            metadata: { name },
            spec: { tags: [{ name: 'b', value: 'c' }] },
          },
          ...(index === 0 && { settle: 'discovery' }),
        }),
      ),
      patch('{{ns}}.example.com/v1:things/status/status', { status: { phase: 'mine' } }),
    ],
    'expressions that cannot be read': [
      policy('p', [
        configured('Object{metadata: 1 +}'),
        configured('{"a": "b"}'),
        configured('Object.spec{}'),
        configured('object'),
        configured(' wrong '),
        patched('JSONPatch{op: "add"}'),
        patched('[JSONPatch{op: 1}]'),
        patched('[JSONPatch{wrong: "x"}]'),
        patched('[Object{}]'),
        patched('[]'),
        patched('["x"]'),
        patched('[JSONPatch{op: "add", path: "/x", value: variables.x}]'),
      ]),
      policy('p', [configured('Object{a: variables.x}')], {
        variables: [{ name: 'x', expression: 'Object{}' }],
        matchConditions: [{ name: 'x', expression: 'Object{} == variables.x' }],
      }),
      policy('p', [{ ...configured('x'), jsonPatch: { expression: 'y' } }, { patchType: 'x' }]),
    ],
  },
};
