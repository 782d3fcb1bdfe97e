import { jsonPatch, mergePatch, protobuf, strategicPatch, yaml } from '../headers.ts';
import type { Suite } from '../scenario.ts';

const configMap = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...more,
});
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

/** Valid and invalid request bodies. */
export const suite: Suite = {
  scenarios: {
    'an object need not say of what kind it is': [
      { send: 'POST v1:configmaps', body: { metadata: { name: 'a' }, data: { x: 'y' } } },
      { send: 'POST v1:configmaps', body: { kind: 'ConfigMap', metadata: { name: 'b' } } },
      { send: 'POST v1:configmaps', body: { apiVersion: 'v1', metadata: { name: 'c' } } },
      { send: 'PUT v1:configmaps/a', body: { metadata: { name: 'a' }, data: { x: 'z' } } },
    ],
    'an object of another kind or version is refused': [
      { send: 'POST v1:configmaps', body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } } },
      { send: 'POST v1:configmaps', body: { apiVersion: 'v1', kind: 'Boat', metadata: { name: 'a' } } },
      { send: 'POST v1:configmaps', body: { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } } },
      { send: 'POST v1:configmaps', body: { apiVersion: 'apps/v1', kind: 'ConfigMap', metadata: { name: 'a' } } },
      { send: 'POST v1:configmaps', body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } } },
      {
        send: 'POST autoscaling/v2:horizontalpodautoscalers',
        body: { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' } },
      },
      { send: 'POST v1:configmaps', body: { apiVersion: 'a/b/c', kind: 'ConfigMap', metadata: { name: 'a' } } },
      { send: 'POST v1:configmaps', body: { apiVersion: 1, kind: 'ConfigMap' } },
      { send: 'POST v1:configmaps', body: { apiVersion: 'v1', kind: 'ConfigMapList', items: [] } },
      { send: 'POST v1:configmaps', body: { apiVersion: 'v1', kind: 'Status' } },
    ],
    'a body that is no object is refused': [
      { send: 'POST v1:configmaps', body: '' },
      { send: 'POST v1:configmaps', body: '{' },
      { send: 'POST v1:configmaps', body: 'null' },
      { send: 'POST v1:configmaps', body: '[]' },
      { send: 'POST v1:configmaps', body: '"text"' },
      { send: 'POST v1:configmaps', body: '{}x' },
      { send: 'POST v1:configmaps', body: '{"metadata":{"name":"a"}}{}' },
      { send: 'POST v1:configmaps', body: '{"metadata":{"name":"a"},"data":{"a":1}}' },
      { send: 'POST v1:configmaps', body: '{"metadata":{"name":"a"},"data":["a"]}' },
      { send: 'POST v1:configmaps', body: '{"metadata":"a"}' },
      {
        send: 'POST v1:pods',
        body: '{"metadata":{"name":"a"},"spec":{"containers":[{"ports":[{"containerPort":"x"}]}]}}',
      },
      { send: 'POST v1:pods', body: '{"metadata":{"name":"a"},"spec":{"activeDeadlineSeconds":1.5}}' },
      { send: 'POST v1:secrets', body: '{"metadata":{"name":"a"},"data":{"a":"%%"}}' },
      { send: 'POST v1:pods', body: '{"metadata":{"name":"a","creationTimestamp":"yesterday"}}' },
      { send: 'POST v1:configmaps' },
      { send: 'PUT v1:configmaps/a', body: 'x' },
      { send: 'PUT v1:configmaps/a' },
    ],
    'YAML is read too': [
      { send: 'POST v1:configmaps', body: 'metadata:\n  name: a\ndata:\n  x: "1"\n  y: |\n    two\n', headers: yaml },
      { send: 'PUT v1:configmaps/a', body: '{metadata: {name: a}, data: {x: "2"}}', headers: yaml },
      { send: 'POST v1:configmaps', body: 'metadata: {name: b}\ndata: {x: 1}\n', headers: yaml },
      { send: 'POST v1:configmaps', body: 'metadata:\n\tname: c\n', headers: yaml },
      { send: 'POST v1:configmaps', body: 'a: [', headers: yaml },
      { send: 'POST v1:configmaps', body: '- a', headers: yaml },
      { send: 'POST v1:configmaps', body: 'metadata: {name: d}\nmetadata: {name: e}\n', headers: yaml },
      { send: 'POST v1:configmaps?fieldValidation=Strict', body: 'metadata: {name: f}\nx: 1\nx: 2\n', headers: yaml },
      { send: 'POST v1:configmaps?fieldValidation=Strict', body: 'metadata: {name: f}\nunknown: 1\n', headers: yaml },
      { send: 'POST v1:configmaps', body: 'metadata: {name: g}\nunknown: 1\n', headers: yaml },
      { send: 'POST v1:configmaps?fieldValidation=Ignore', body: 'metadata: {name: h}\nunknown: 1\n', headers: yaml },
    ],
    'protobuf that is none is refused': [
      { send: 'POST v1:configmaps', body: 'text', headers: { 'content-type': protobuf } },
      {
        send: 'POST v1:configmaps',
        body: Buffer.from([0x6b, 0x38, 0x73, 0x00]),
        headers: { 'content-type': protobuf },
      },
      {
        send: 'POST v1:configmaps',
        body: Buffer.from([0x6b, 0x38, 0x73, 0x00, 0xff, 0xff]),
        headers: { 'content-type': protobuf },
      },
      { send: 'POST v1:configmaps', body: '', headers: { 'content-type': protobuf } },
    ],
    'other content types are not supported': [
      { send: 'POST v1:configmaps', body: '{}', headers: { 'content-type': 'text/plain' } },
      { send: 'POST v1:configmaps', body: '{}', headers: { 'content-type': 'application/xml' } },
      {
        send: 'POST v1:configmaps',
        body: configMap('a'),
        headers: { 'content-type': 'application/json; charset=utf-8' },
      },
      { send: 'POST v1:configmaps', body: configMap('b'), headers: { 'content-type': '' } },
      { send: 'POST v1:configmaps', body: configMap('c'), headers: { 'content-type': 'application/json-patch+json' } },
      { send: 'POST v1:configmaps', body: configMap('c'), headers: { 'content-type': 'rubbish;;;' } },
      { send: 'PUT v1:configmaps/a', body: '{}', headers: { 'content-type': 'text/plain' } },
      { send: 'PATCH v1:configmaps/a', body: '{}', headers: { 'content-type': 'application/json' } },
      { send: 'PATCH v1:configmaps/a', body: '{}', headers: { 'content-type': '' } },
      {
        send: 'PATCH v1:configmaps/a',
        body: '{}',
        headers: { 'content-type': 'application/merge-patch+json; charset=utf-8' },
      },
      { send: 'DELETE v1:configmaps/a', body: '{}', headers: { 'content-type': 'text/plain' } },
    ],
    'more than three megabytes are too much': [
      { send: 'POST v1:configmaps', body: { metadata: { name: 'a' }, data: { x: 'x'.repeat(3 * 1024 * 1024) } } },
      { send: 'PUT v1:configmaps/a', body: { metadata: { name: 'a' }, data: { x: 'x'.repeat(3 * 1024 * 1024) } } },
      { send: 'PATCH v1:configmaps/a', body: { data: { x: 'x'.repeat(3 * 1024 * 1024) } }, headers: mergePatch },
      { send: 'POST v1:configmaps', body: { metadata: { name: 'a' }, data: { x: 'x'.repeat(1024 * 1024) } } },
      { send: 'POST v1:configmaps', body: { metadata: { name: 'a' }, data: { x: 'x'.repeat(1024 * 1024 + 1) } } },
    ],
    'fields that nobody knows are warned of, refused or ignored': [
      { send: 'POST v1:configmaps', body: configMap('a', { unknown: 1 }) },
      { send: 'POST v1:configmaps?fieldValidation=Warn', body: configMap('b', { unknown: 1, other: { x: 1 } }) },
      { send: 'POST v1:configmaps?fieldValidation=Strict', body: configMap('c', { unknown: 1 }) },
      { send: 'POST v1:configmaps?fieldValidation=Ignore', body: configMap('d', { unknown: 1 }) },
      { send: 'POST v1:configmaps?fieldValidation=Other', body: configMap('e') },
      { send: 'POST v1:pods', body: pod('a', { containers: [{ name: 'c', image: 'i', imagePullPolice: 'x' }], x: 1 }) },
      {
        send: 'POST v1:pods?fieldValidation=Strict',
        body: pod('b', { containers: [{ name: 'c', image: 'i', x: 1 }] }),
      },
      { send: 'POST v1:configmaps', body: '{"metadata":{"name":"f"},"data":{"a":"1","a":"2"}}' },
      { send: 'POST v1:configmaps?fieldValidation=Strict', body: '{"metadata":{"name":"g"},"data":{"a":"1","a":"2"}}' },
      { send: 'POST v1:configmaps?fieldValidation=Strict', body: '{"Metadata":{"name":"h"}}' },
      { send: 'PUT v1:configmaps/a?fieldValidation=Strict', body: configMap('a', { unknown: 1 }) },
      { send: 'PUT v1:configmaps/a', body: configMap('a', { unknown: 1 }) },
      { send: 'PATCH v1:configmaps/a', body: { unknown: 1 }, headers: mergePatch },
      { send: 'PATCH v1:configmaps/a?fieldValidation=Strict', body: { unknown: 1 }, headers: mergePatch },
      { send: 'PATCH v1:configmaps/a?fieldValidation=Ignore', body: { unknown: 1 }, headers: mergePatch },
      { send: 'PATCH v1:configmaps/a?fieldValidation=Strict', body: { unknown: 1 }, headers: strategicPatch },
      { send: 'PATCH v1:configmaps/a', body: { unknown: 1 }, headers: strategicPatch },
      {
        send: 'PATCH v1:configmaps/a?fieldValidation=Strict',
        body: [{ op: 'add', path: '/unknown', value: 1 }],
        headers: jsonPatch,
      },
      {
        send: 'PATCH v1:configmaps/a',
        body: [{ op: 'add', path: '/unknown', value: 1, extra: 'x' }],
        headers: jsonPatch,
      },
      {
        send: 'PATCH v1:configmaps/a?fieldValidation=Strict',
        body: '{"data":{"a":"1","a":"2"}}',
        headers: mergePatch,
      },
      { send: 'PATCH v1:configmaps/a', body: '{"data":{"a":"1","a":"2"}}', headers: strategicPatch },
    ],
    'names are checked': [
      { send: 'POST v1:configmaps', body: { data: {} } },
      { send: 'POST v1:configmaps', body: configMap('A b') },
      { send: 'POST v1:configmaps', body: configMap('x'.repeat(254)) },
      { send: 'POST v1:services', body: { metadata: { name: '1x' }, spec: { ports: [{ port: 1 }] } } },
      { send: 'POST v1::namespaces', body: { metadata: { name: 'x'.repeat(64) } } },
      { send: 'POST v1:configmaps', body: configMap('..') },
      { send: 'POST v1:configmaps', body: configMap('a/b') },
      { send: 'POST rbac.authorization.k8s.io/v1:roles', body: { metadata: { name: 'a:b' } }, as: 'role' },
      { send: 'GET rbac.authorization.k8s.io/v1:roles/a:b' },
      { send: 'GET rbac.authorization.k8s.io/v1:roles/a%3Ab' },
      { send: 'POST rbac.authorization.k8s.io/v1:roles', body: { metadata: { name: 'a%b' } } },
      { send: 'POST rbac.authorization.k8s.io/v1:roles', body: { metadata: { name: 'a b ü' } } },
      { send: 'GET rbac.authorization.k8s.io/v1:roles/a%20b%20%C3%BC' },
      { send: 'DELETE rbac.authorization.k8s.io/v1:roles/a%20b%20%C3%BC' },
      { send: 'PUT v1:configmaps/other', body: configMap('a') },
      { send: 'PUT v1:configmaps/other', body: { data: {} } },
      { send: 'PUT v1:configmaps/absent', body: configMap('absent') },
    ],
    'namespaces are checked': [
      { send: 'POST v1:configmaps', body: configMap('a', { metadata: { name: 'a', namespace: 'other' } }) },
      { send: 'POST v1:configmaps', body: configMap('a', { metadata: { name: 'a', namespace: '{{ns}}' } }) },
      { send: 'PUT v1:configmaps/a', body: configMap('a', { metadata: { name: 'a', namespace: 'other' } }) },
      { send: 'POST /api/v1/namespaces/{{ns}}-none/configmaps', body: configMap('a') },
      { send: 'PUT /api/v1/namespaces/{{ns}}-none/configmaps/a', body: configMap('a') },
      { send: 'POST v1::nodes', body: { metadata: { name: '{{ns}}-a', namespace: 'other' } } },
      { send: 'POST /api/v1/configmaps', body: configMap('a') },
      {
        send: 'PATCH v1:configmaps/a',
        body: { metadata: { namespace: 'other' } },
        headers: mergePatch,
      },
      { send: 'PATCH v1:configmaps/a', body: { metadata: { name: 'other' } }, headers: mergePatch },
    ],
    'names are made up': [
      { send: 'POST v1:configmaps', body: { metadata: { generateName: 'gen-' } }, as: 'first' },
      { send: 'GET v1:configmaps/{{first.metadata.name}}' },
      { send: 'POST v1:configmaps', body: { metadata: { generateName: `${'x'.repeat(70)}-` } } },
      { send: 'POST v1:configmaps', body: { metadata: { generateName: 'Bad_' } } },
      { send: 'POST v1:configmaps?dryRun=All', body: { metadata: { generateName: 'dry-' } } },
      { send: 'POST v1:configmaps', body: { metadata: { generateName: 'gen-', name: 'named' } } },
    ],
    'an object that says its version is not new': [
      { send: 'POST v1:configmaps', body: configMap('a', { metadata: { name: 'a', resourceVersion: '7' } }) },
      { send: 'POST v1:configmaps', body: configMap('a', { metadata: { name: 'a', resourceVersion: '0' } }) },
      { send: 'POST v1:configmaps', body: configMap('b', { metadata: { name: 'b', resourceVersion: 'x' } }) },
    ],
    'what only the server writes is not taken from clients': [
      {
        send: 'POST v1:configmaps',
        body: configMap('a', {
          metadata: {
            name: 'a',
            uid: 'mine',
            generation: 9,
            creationTimestamp: '2020-01-01T00:00:00Z',
            deletionTimestamp: '2020-01-01T00:00:00Z',
            deletionGracePeriodSeconds: 5,
            selfLink: '/x',
          },
        }),
      },
      {
        send: 'PUT v1:configmaps/a',
        body: configMap('a', { metadata: { name: 'a', uid: '00000000-0000-4000-8000-000000000000' } }),
      },
      {
        send: 'PUT v1:configmaps/a',
        body: configMap('a', {
          metadata: { name: 'a', creationTimestamp: '2020-01-01T00:00:00Z', generation: 3, selfLink: '/x' },
        }),
      },
      { send: 'PUT v1:configmaps/a', body: configMap('a', { metadata: { name: 'a', resourceVersion: 'x' } }) },
      { send: 'PUT v1:configmaps/a', body: configMap('a', { metadata: { name: 'a', resourceVersion: '1' } }) },
      { send: 'PUT v1:configmaps/a', body: configMap('a', { metadata: { name: 'a', resourceVersion: '0' } }) },
      {
        send: 'POST v1:pods',
        body: { ...pod('a'), status: { phase: 'Running', podIP: '1.2.3.4' } },
      },
    ],
    'owners are kept, each once': [
      { send: 'POST v1:configmaps', body: configMap('owner'), as: 'owner' },
      {
        send: 'POST v1:configmaps',
        body: configMap('a', {
          metadata: {
            name: 'a',
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{{owner.metadata.uid}}', controller: true },
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{{owner.metadata.uid}}', controller: true },
            ],
          },
        }),
      },
      {
        send: 'PATCH v1:configmaps/a',
        body: {
          metadata: {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{{owner.metadata.uid}}' },
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{{owner.metadata.uid}}' },
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{{owner.metadata.uid}}' },
            ],
          },
        },
        headers: mergePatch,
      },
      {
        send: 'POST v1:configmaps',
        body: configMap('b', {
          metadata: { name: 'b', ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: '' }] },
        }),
      },
      {
        send: 'POST v1:configmaps',
        body: configMap('b', {
          metadata: {
            name: 'b',
            ownerReferences: [
              { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: '1', controller: true },
              { apiVersion: 'v1', kind: 'Pod', name: 'y', uid: '2', controller: true },
            ],
          },
        }),
      },
    ],
    'a dry run changes nothing': [
      { send: 'POST v1:configmaps', body: configMap('a', { data: { x: '1' } }), as: 'a' },
      { send: 'POST v1:configmaps?dryRun=All', body: configMap('a') },
      { send: 'POST v1:configmaps?dryRun=Some', body: configMap('b') },
      { send: 'POST v1:configmaps?dryRun=', body: configMap('b') },
      { send: 'PUT v1:configmaps/a?dryRun=All', body: configMap('a', { data: { x: '2' } }) },
      { send: 'PUT v1:configmaps/a?dryRun=Other', body: configMap('a', { data: { x: '2' } }) },
      { send: 'PATCH v1:configmaps/a?dryRun=All', body: { data: { y: '3' } }, headers: mergePatch },
      { send: 'DELETE v1:configmaps/a?dryRun=All' },
      { send: 'DELETE v1:configmaps/a', body: { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] } },
      { send: 'DELETE v1:configmaps/a?dryRun=Other' },
      { send: 'DELETE v1:configmaps?dryRun=All' },
      { send: 'GET v1:configmaps/a' },
    ],
    'invalid objects are told all that is wrong': [
      { send: 'POST v1:pods', body: pod('a', { containers: [] }) },
      { send: 'POST v1:pods', body: pod('a', { containers: [{ name: 'C', image: '' }], restartPolicy: 'Sometimes' }) },
      { send: 'POST v1:configmaps', body: configMap('a', { metadata: { name: 'a', labels: { 'bad key': 'x' } } }) },
      { send: 'POST v1:configmaps', body: configMap('a', { metadata: { name: 'a', finalizers: ['nope'] } }) },
      { send: 'POST v1:configmaps?fieldManager=a%0Ab', body: configMap('a') },
      { send: `POST v1:configmaps?fieldManager=${'m'.repeat(129)}`, body: configMap('a') },
      {
        send: 'POST v1:configmaps',
        body: configMap('a', {
          metadata: { name: 'a', managedFields: [{ manager: 'm', operation: 'Unknown', fieldsType: 'FieldsV1' }] },
        }),
      },
      {
        send: 'POST v1:configmaps',
        body: configMap('b', {
          metadata: {
            name: 'b',
            managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2' }],
          },
        }),
      },
    ],
  },
};
