import type { Case, CaseSuite } from '../case.ts';

const named = (name: string): Case => ({
  create: 'version',
  change: (object) => {
    object.metadata.name = name;
  },
});
const status = (value: object): Case => ({
  update: 'version',
  subresource: 'status',
  change: (object) => {
    object.metadata.labels = { a: 'b' };
    object.status = value;
  },
});
const server = (apiServerID: string, encodingVersion: string, more: object = {}) => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
  ...more,
});
const version = {
  apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
  kind: 'StorageVersion',
  metadata: { name: 'cases.example.com.widgets' },
  spec: {},
};

export const suite: CaseSuite = {
  bases: {
    version: { object: version },
    many: {
      object: { ...version, metadata: { name: 'cases.example.com.gadgets' } },
      status: {
        commonEncodingVersion: 'v1',
        storageVersions: ['a', 'b', 'c', 'd', 'e'].map((id) => server(id, 'v1')),
      },
    },
    few: {
      object: { ...version, metadata: { name: 'cases.example.com.things' } },
      status: { storageVersions: [server('a', 'v1'), server('b', 'v2')] },
    },
  },
  cases: {
    'a storage version is stored without status': {
      create: 'version',
      change: (object) => {
        object.status = { commonEncodingVersion: 'v1' };
      },
    },
    'a name has group and resource': named('widgets'),
    'a name has a good group and resource': named('A_.B_'),
    'a status is stored': status({ commonEncodingVersion: 'v1', storageVersions: [server('a', 'v1')] }),
    'servers are told apart': status({ storageVersions: [server('a', 'v1'), server('a', 'v2')] }),
    'servers have names and versions': status({
      storageVersions: [
        server('A_', 'a/b/c', { decodableVersions: ['/v1', 'x_/V', 'a/'], servedVersions: ['v9', ''] }),
      ],
    }),
    'servers decode what they encode': status({ storageVersions: [{ apiServerID: 'a', encodingVersion: 'v1' }] }),
    'a common version must be said': status({ storageVersions: [server('a', 'v1'), server('b', 'v1')] }),
    'a common version must be right': status({ commonEncodingVersion: 'v2', storageVersions: [server('a', 'v1')] }),
    'a common version must be there': status({ commonEncodingVersion: 'v2' }),
    'conditions are checked': status({
      conditions: [
        { type: 'A', status: 'True', reason: 'R', message: 'm' },
        { type: 'A', status: 'x y', reason: '', message: '' },
        { type: '', status: '' },
      ],
    }),
    'an update keeps status': {
      update: 'many',
      change: (object) => {
        object.status = {};
        object.metadata.labels = { a: 'b' };
      },
    },
    'a storage version is printed': { table: 'version' },
    'a storage version with many servers is printed': { table: 'many' },
    'a storage version with few servers is printed': { table: 'few' },
  },
};
