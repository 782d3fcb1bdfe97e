import { expect, it } from 'vitest';
import { extractApplied } from './extract.ts';
import { deployment, frozen } from './kinds.test-data.ts';

const object = frozen({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'd',
    namespace: 'n',
    labels: { a: '1', b: '2' },
    annotations: { x: 'y' },
    managedFields: [
      {
        manager: 'one',
        operation: 'Apply' as const,
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:a': {} }, 'f:annotations': {} },
          'f:spec': {
            'f:replicas': {},
            'f:selector': {},
            'f:template': {
              'f:spec': {
                'f:containers': {
                  'k:{"name":"c"}': {
                    '.': {},
                    'f:image': {},
                    'f:name': {},
                    'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
                  },
                  'k:{"name":"gone"}': { '.': {}, 'f:name': {} },
                },
                'f:volumes': { 'k:{"name":"v"}': { '.': {}, 'f:emptyDir': {}, 'f:name': {} } },
              },
            },
          },
        },
      },
    ],
  },
  spec: {
    replicas: 2,
    selector: { matchLabels: { a: '1' } },
    template: {
      metadata: {},
      spec: {
        containers: [
          { name: 'c', image: 'i', imagePullPolicy: 'Always', ports: [{ containerPort: 80, protocol: 'TCP' }] },
          { name: 'side', image: 's' },
        ],
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'w', emptyDir: {} },
        ],
      },
    },
    strategy: {},
  },
  status: { replicas: 1 },
});

const bare = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace: 'n' } };

it('extracts what a manager applied and still owns', () => {
  expect(extractApplied(object, 'one', deployment)).toEqual({
    ...bare,
    metadata: { ...bare.metadata, labels: { a: '1' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { a: '1' } },
      template: {
        spec: {
          containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      },
    },
  });
});

it('extracts only kind and name for a manager that owns nothing, or nothing through that subresource', () => {
  expect(extractApplied(object, 'two', deployment)).toEqual(bare);
  expect(extractApplied(object, 'one', deployment, 'status')).toEqual(bare);
});
