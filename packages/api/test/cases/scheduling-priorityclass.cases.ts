import type { Case, CaseSuite } from '../case.ts';

const create = (fields: object): Case => ({ create: 'class', change: (object) => Object.assign(object, fields) });
const update = (fields: object): Case => ({ update: 'class', change: (object) => Object.assign(object, fields) });

export const suite: CaseSuite = {
  bases: {
    class: {
      object: {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'cases-class' },
        value: 100,
        description: 'd',
      },
    },
  },
  cases: {
    'a class gets its defaults': { create: 'class' },
    'a class without a value': create({ value: undefined }),
    'a name is needed': create({ metadata: { name: 'A_' } }),
    'values have a maximum': create({ value: 1000000001 }),
    'values may be at their maximum, and negative': create({ value: 1000000000 }),
    'policies are known': create({ preemptionPolicy: 'Sometimes' }),
    'policies are not empty': create({ preemptionPolicy: '' }),
    'a class may never preempt': create({ preemptionPolicy: 'Never', globalDefault: true, value: -5 }),
    'the system prefix is reserved': create({ metadata: { name: 'system-mine' } }),
    'a system class has its value': create({ metadata: { name: 'system-node-critical' } }),
    'a system class is no default': create({
      metadata: { name: 'system-cluster-critical' },
      value: 2000000000,
      globalDefault: true,
    }),
    'value and policy are immutable': update({ value: 5, preemptionPolicy: 'Never' }),
    'the rest may change': update({ globalDefault: true, description: 'x' }),
    'a class is printed': { table: 'class' },
  },
};
