import type { Case, CaseSuite } from '../case.ts';

const service = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.cases.example.com' },
  spec: {
    group: 'cases.example.com',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service: { name: 'a', namespace: 'b' },
  },
};
const create = (fields: object, metadata: object = {}): Case => ({
  create: 'service',
  change: (object) => {
    Object.assign(object.spec, fields);
    Object.assign(object.metadata, metadata);
  },
});
const reachable = (object: { status?: { conditions?: unknown[] } }) => (object.status?.conditions?.length ?? 0) > 0;

export const suite: CaseSuite = {
  bases: {
    service: { object: service },
    missing: {
      object: { ...service, metadata: { name: 'v2.cases.example.com' }, spec: { ...service.spec, version: 'v2' } },
      until: reachable,
    },
  },
  cases: {
    'a service gets its port': { create: 'service' },
    'an empty service': {
      create: 'service',
      change: (object) => {
        delete object.spec;
      },
    },
    'the name is made of version and group': create({}, { name: 'v2.cases.example.com' }),
    'the name can stand in a path': create({}, { name: 'a/b', labels: { '-': 'x' } }),
    'group and version are names': create({ group: 'A_', version: 'V_' }, { name: 'V_.A_' }),
    'only v1 has no group': create({ group: '', version: 'v2' }, { name: 'v2.' }),
    'priorities have a minimum': create({ groupPriorityMinimum: 0, versionPriority: -1 }),
    'priorities have a maximum': create({ groupPriorityMinimum: 20001, versionPriority: 1001 }),
    'priorities may be at their maximum': create({ groupPriorityMinimum: 20000, versionPriority: 1000 }),
    'a service needs name and namespace': create({ service: {} }),
    'a service needs a good port': create({ service: { name: 'a', namespace: 'b', port: 0 } }),
    'certificates are verified or not': create({ caBundle: 'aGVsbG8=' }),
    'local services need no certificates': create({ service: undefined, caBundle: 'aGVsbG8=' }),
    'an update is validated like a creation': {
      update: 'missing',
      change: (object) => {
        object.spec.group = 'other.example.com';
        object.spec.versionPriority = 0;
        object.status = {};
      },
    },
    'an update keeps status': {
      update: 'missing',
      change: (object) => {
        object.spec.versionPriority = 5;
        object.status = {};
      },
    },
    'status takes nothing else along': {
      update: 'missing',
      subresource: 'status',
      change: (object) => {
        object.metadata.labels = { a: 'b' };
        object.spec.versionPriority = 5;
        object.status.conditions[0].reason = 'Other';
      },
    },
    'conditions of status are known': {
      update: 'missing',
      subresource: 'status',
      change: (object) => {
        object.status.conditions = [
          { type: 'Available', status: 'Perhaps' },
          { type: 'x', status: 'Unknown' },
        ];
      },
    },
    'a service is printed': { table: 'missing' },
  },
};
