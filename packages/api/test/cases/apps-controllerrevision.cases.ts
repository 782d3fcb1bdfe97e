import type { Case, CaseSuite, Change } from '../case.ts';

const revision = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'db-1' },
  data: { spec: { b: [1, null, 'x'], a: 1.5 } },
  revision: 3,
};

const create = (change?: Change): Case => ({ create: 'revision', ...(change && { change }) });
const update = (change: Change): Case => ({ update: 'revision', change });

const owner = (apiVersion: string, controller: boolean) => ({
  apiVersion,
  kind: 'StatefulSet',
  name: 'db',
  uid: 'u',
  controller,
});

export const suite: CaseSuite = {
  bases: {
    revision: { object: revision },
    owned: { object: { ...revision, metadata: { name: 'owned', ownerReferences: [owner('apps/v1', true)] } } },
    mentioned: { object: { ...revision, metadata: { name: 'mentioned', ownerReferences: [owner('v1', false)] } } },
    plain: { object: { ...revision, metadata: { name: 'plain', ownerReferences: [owner('v1', true)] } } },
  },
  cases: {
    'a revision is kept as it is': create(),
    'it has no generation': create((r) => {
      r.metadata.generation = 4;
    }),
    'a revision is not negative': create((r) => {
      r.revision = -1;
      r.metadata.name = 'A';
    }),
    'data is mandatory': create((r) => {
      delete r.data;
    }),
    'nothing is no data': create((r) => {
      r.data = null;
    }),
    'a number is no data': create((r) => {
      r.data = 5;
    }),
    'a list is no data': create((r) => {
      r.data = [];
    }),
    'an empty object is data': create((r) => {
      r.data = {};
    }),
    'the number may change': update((r) => {
      r.revision = 9;
    }),
    'data may not': update((r) => {
      r.data.spec.a = 2;
      r.revision = -2;
      r.metadata.labels = { 'a b': 'c' };
    }),
    'data may not go': update((r) => {
      delete r.data;
    }),
    'a revision is printed': { table: 'revision' },
    'its controller is printed': { table: 'owned' },
    'another owner is not': { table: 'mentioned' },
    'a controller of the core group is printed': { table: 'plain' },
  },
};
