import type { Case, CaseSuite } from '../case.ts';

const migration = {
  apiVersion: 'storagemigration.k8s.io/v1beta1',
  kind: 'StorageVersionMigration',
  metadata: { name: 'cases-migration' },
  spec: { resource: { group: 'apps', resource: 'deployments' } },
};
const create = (resource: object | undefined): Case => ({
  create: 'migration',
  change: (object) => {
    object.spec.resource = resource;
  },
});
const condition = (type: string, status: string, more: object = {}) => ({
  type,
  status,
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...more,
});
const status = (base: string, value: object): Case => ({
  update: base,
  subresource: 'status',
  change: (object) => {
    object.metadata.labels = { a: 'b' };
    object.spec.resource.resource = 'other';
    object.status = value;
  },
});

export const suite: CaseSuite = {
  features: { StorageVersionMigrator: true },
  bases: {
    migration: { object: migration },
    succeeded: {
      object: { ...migration, metadata: { name: 'cases-succeeded' }, spec: { resource: { resource: 'pods' } } },
      status: { resourceVersion: '5', conditions: [condition('Running', 'False'), condition('Succeeded', 'True')] },
    },
    failed: {
      object: { ...migration, metadata: { name: 'cases-failed' } },
      status: { resourceVersion: '5', conditions: [condition('Failed', 'True')] },
    },
  },
  cases: {
    'a migration is stored': {
      create: 'migration',
      change: (object) => {
        object.status = { resourceVersion: '7' };
      },
    },
    'a resource is needed': create(undefined),
    'group and resource are names': create({ group: 'A_', resource: 'B.c' }),
    'the spec is immutable': {
      update: 'migration',
      change: (object) => {
        object.spec.resource = { resource: 'pods' };
      },
    },
    'the spec is immutable and valid': {
      update: 'migration',
      change: (object) => {
        object.spec.resource = {};
      },
    },
    'labels may change': {
      update: 'succeeded',
      change: (object) => {
        object.metadata.labels = { a: 'b' };
        object.status = {};
      },
    },
    'a status is taken alone': status('migration', {
      resourceVersion: '7',
      conditions: [condition('Running', 'True')],
    }),
    'resource versions are numbers': status('migration', { resourceVersion: 'x' }),
    'resource versions are positive numbers': status('migration', { resourceVersion: '0' }),
    'resource versions have no leading zero': status('migration', { resourceVersion: '07' }),
    'conditions are checked': status('migration', { conditions: [condition('A B', 'Perhaps', { reason: '' })] }),
    'success excludes failure': status('migration', {
      conditions: [condition('Succeeded', 'True'), condition('Failed', 'True')],
    }),
    'success is for ever': status('succeeded', { resourceVersion: '6' }),
    'failure is for ever': status('failed', { resourceVersion: '5', conditions: [condition('Failed', 'False')] }),
    'a migration is printed': { table: 'migration' },
    'a migration that succeeded is printed': { table: 'succeeded' },
    'a migration that failed is printed': { table: 'failed' },
  },
};
