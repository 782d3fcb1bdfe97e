import type { Deployment } from '@coxswain/api/apps/v1';
import type { FieldsV1, ManagedFieldsEntry } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { extractApplyConfiguration } from './extract-apply-configuration.ts';

const entry = (manager: string, fieldsV1: FieldsV1, more: ManagedFieldsEntry = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Apply',
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});

/**
 * The object as a v1.36 server returns it after two applies and a merge patch. The expected values are what client-go
 * extracts from it for `me`.
 */
const deployment: Deployment = {
  metadata: {
    name: 'shared',
    namespace: 'default',
    labels: { a: '1', b: '2', m: '1' },
    finalizers: ['example.com/x', 'example.com/y'],
    managedFields: [
      entry('me', {
        'f:metadata': { 'f:finalizers': { 'v:"example.com/x"': {} }, 'f:labels': { 'f:a': {} } },
        'f:spec': {
          'f:selector': {},
          'f:template': {
            'f:spec': {
              'f:containers': {
                'k:{"name":"c"}': {
                  '.': {},
                  'f:args': {},
                  'f:env': { 'k:{"name":"E"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                  'f:name': {},
                  'f:ports': {
                    'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                    'k:{"containerPort":80,"protocol":"UDP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
                  },
                },
                'k:{"name":"gone"}': { '.': {}, 'f:name': {} },
              },
              'f:nodeName': {},
              'f:volumes': { 'k:{"name":"v"}': { '.': {}, 'f:emptyDir': {}, 'f:name': {} } },
            },
          },
        },
      }),
      entry('other', {
        'f:metadata': { 'f:finalizers': { 'v:"example.com/y"': {} }, 'f:labels': { 'f:b': {} } },
        'f:spec': {
          'f:template': {
            'f:spec': {
              'f:volumes': { 'k:{"name":"v"}': { '.': {}, 'f:emptyDir': { 'f:sizeLimit': {} }, 'f:name': {} } },
            },
          },
        },
      }),
      entry('me', { 'f:status': { 'f:replicas': {} } }, { subresource: 'status' }),
      entry('merger', { 'f:metadata': { 'f:labels': { 'f:m': {} } } }, { operation: 'Update' }),
    ],
  },
  spec: {
    replicas: 5,
    selector: { matchLabels: { app: 'x' } },
    template: {
      spec: {
        containers: [
          { name: 'side', image: 's' },
          {
            name: 'c',
            image: 'i',
            args: ['a', 'b'],
            env: [
              { name: 'F', value: 'w' },
              { name: 'E', value: 'v' },
            ],
            ports: [
              { containerPort: 80, protocol: 'TCP' },
              { containerPort: 80, protocol: 'UDP' },
            ],
          },
        ],
        volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }],
      },
    },
  },
  status: { replicas: 1, readyReplicas: 1 },
};

describe('extractApplyConfiguration', () => {
  it('extracts the fields that the manager applied and still owns', () => {
    expect(extractApplyConfiguration(deployment, 'me')).toEqual({
      metadata: { name: 'shared', namespace: 'default', labels: { a: '1' }, finalizers: ['example.com/x'] },
      spec: {
        selector: { matchLabels: { app: 'x' } },
        template: {
          spec: {
            containers: [
              {
                name: 'c',
                args: ['a', 'b'],
                env: [{ name: 'E', value: 'v' }],
                ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }],
              },
            ],
            volumes: [{ name: 'v' }],
          },
        },
      },
    });
  });

  it('extracts the fields that were applied through a subresource', () => {
    expect(extractApplyConfiguration(deployment, 'me', 'status')).toEqual({
      metadata: { name: 'shared', namespace: 'default' },
      status: { replicas: 1 },
    });
  });

  it('extracts only the name for a manager that owns nothing by apply', () => {
    const bare = { metadata: { name: 'shared', namespace: 'default' } };
    expect(extractApplyConfiguration(deployment, 'nobody')).toEqual(bare);
    expect(extractApplyConfiguration(deployment, 'merger')).toEqual(bare);
    expect(extractApplyConfiguration(deployment, 'other', 'status')).toEqual(bare);
    expect(extractApplyConfiguration({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' } }, 'me')).toEqual({
      apiVersion: 'v1',
      kind: 'X',
      metadata: { name: 'x' },
    });
  });

  it('finds items by index, and treats __proto__ as an ordinary key', () => {
    const object = {
      metadata: {
        name: 'x',
        managedFields: [
          entry('me', JSON.parse('{"f:list":{"i:1":{}},"f:map":{"f:__proto__":{},"f:constructor":{},"f:absent":{}}}')),
        ],
      },
      list: ['a', 'b'],
      map: JSON.parse('{"__proto__":{"polluted":1},"constructor":2,"other":3}'),
    };
    const extracted: object = extractApplyConfiguration(object, 'me');
    expect(JSON.stringify(extracted)).toBe(
      '{"list":["b"],"map":{"__proto__":{"polluted":1},"constructor":2},"metadata":{"name":"x"}}',
    );
    expect('polluted' in {}).toBe(false);
  });

  it('throws for managedFields with unknown path elements', () => {
    const object = { metadata: { name: 'x', managedFields: [entry('me', { 'f:list': { 'z:1': {} } })] }, list: [1] };
    expect(() => extractApplyConfiguration(object, 'me')).toThrow(
      'managedFields has a path element of an unknown form: z:1',
    );
  });
});
