import type { Case, CaseSuite, Change } from '../case.ts';

const basic = { basic: {} };
const gang = (minCount: unknown) => ({ gang: { minCount } });
const template = (name: string, more: object = {}) => ({ name, schedulingPolicy: basic, ...more });
const workload = {
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'Workload',
  metadata: { name: 'cases-workload' },
  spec: { podGroupTemplates: [template('a')] },
};
const podGroup = {
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'PodGroup',
  metadata: { name: 'cases-group' },
  spec: { schedulingPolicy: basic },
};
const templates = (...all: object[]): Case => ({
  create: 'workload',
  change: (object) => {
    object.spec.podGroupTemplates = all;
  },
});
const controller = (controllerRef: object): Case => ({
  create: 'workload',
  change: (object) => {
    object.spec.controllerRef = controllerRef;
  },
});
const group = (fields: object): Case => ({ create: 'group', change: (object) => Object.assign(object.spec, fields) });
const claim = (name: string, more: object = { resourceClaimName: 'c' }) => ({ name, ...more });
const updateGroup = (change: Change): Case => ({ update: 'with claims', change });
const status = (base: string, value: object): Case => ({
  update: base,
  subresource: 'status',
  change: (object) => {
    object.metadata.labels = { a: 'b' };
    object.spec.priority = 9;
    object.status = value;
  },
});
const condition = (type: string, state: string, reason = 'Because') => ({
  type,
  status: state,
  reason,
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

export const suite: CaseSuite = {
  features: {
    GenericWorkload: true,
    GangScheduling: true,
    TopologyAwareWorkloadScheduling: true,
    WorkloadAwarePreemption: true,
    DRAWorkloadResourceClaims: true,
  },
  bases: {
    workload: { object: workload },
    group: { object: podGroup },
    'with claims': {
      object: {
        ...podGroup,
        metadata: { name: 'cases-claims' },
        spec: {
          schedulingPolicy: gang(3),
          resourceClaims: [claim('x')],
          podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } },
        },
      },
      status: { conditions: [condition('PodGroupScheduled', 'False')] },
    },
    scheduled: {
      object: { ...podGroup, metadata: { name: 'cases-scheduled' } },
      status: { conditions: [condition('PodGroupScheduled', 'True')] },
    },
    disrupted: {
      object: { ...podGroup, metadata: { name: 'cases-disrupted' } },
      status: {
        conditions: [condition('DisruptionTarget', 'True', 'Preempted'), condition('PodGroupScheduled', 'True')],
      },
    },
  },
  cases: {
    'a workload is stored': { create: 'workload' },
    'a workload needs a spec': {
      create: 'workload',
      change: (object) => {
        object.spec = {};
      },
    },
    'a workload has a good name': {
      create: 'workload',
      change: (object) => {
        object.metadata.name = 'A_';
      },
    },
    'templates have names of their own': templates(template('a'), template('a'), template(''), template('A.b')),
    'there are at most eight templates': templates(...Array.from({ length: 9 }, (_, i) => template(`t${i}`))),
    'policies are one of two': templates(
      template('a', { schedulingPolicy: {} }),
      template('b', { schedulingPolicy: { ...basic, ...gang(1) } }),
      template('c', { schedulingPolicy: gang(0) }),
      template('d', { schedulingPolicy: gang(-1) }),
      template('e', { schedulingPolicy: gang(2) }),
    ),
    'constraints are checked': templates(
      template('a', { schedulingConstraints: { topology: [{ key: 'a' }, { key: 'b' }] } }),
      template('b', { schedulingConstraints: { topology: [{ key: 'a b' }] } }),
      template('c', { schedulingConstraints: { topology: [{}] } }),
      template('d', { schedulingConstraints: {} }),
    ),
    'claims are checked': templates(
      template('a', { resourceClaims: [claim('x'), claim('x'), claim(''), claim('A_')] }),
      template('b', {
        resourceClaims: [claim('x', {}), claim('y', { resourceClaimName: '', resourceClaimTemplateName: 'A_' })],
      }),
      template('c', { resourceClaims: ['a', 'b', 'c', 'd', 'e'].map((name) => claim(name)) }),
    ),
    'preemption is checked': templates(
      template('a', { disruptionMode: 'Never', priorityClassName: 'A_', priority: 1000000001 }),
      template('b', { disruptionMode: 'PodGroup', priorityClassName: 'x', priority: 0 }),
    ),
    'long names are counted in bytes': templates(
      template('é'.repeat(40)),
      template('x'.repeat(64), { priorityClassName: 'x'.repeat(254) }),
    ),
    'a controller is named': controller({}),
    'a controller is well named': controller({ apiGroup: 'A_', kind: 'a/b', name: '..' }),
    'a controller may be named': controller({ apiGroup: 'batch', kind: 'Job', name: 'j' }),
    'a workload is immutable': {
      update: 'workload',
      change: (object) => {
        object.spec.controllerRef = { kind: 'a/b', name: 'j' };
        object.spec.podGroupTemplates = [];
      },
    },
    'labels of a workload may change': {
      update: 'workload',
      change: (object) => {
        object.metadata.labels = { a: 'b' };
      },
    },
    'a group gets its defaults': { create: 'group' },
    'a group without a spec': {
      create: 'group',
      change: (object) => {
        delete object.spec;
        object.status = { conditions: [] };
      },
    },
    'a group is checked': group({
      podGroupTemplateRef: { workload: { workloadName: 'A_' } },
      schedulingPolicy: { ...basic, ...gang(2) },
      schedulingConstraints: { topology: [{ key: '' }] },
      resourceClaims: [claim('x', { resourceClaimName: 'a', resourceClaimTemplateName: 'b' })],
      disruptionMode: '',
      priorityClassName: 'A_',
      priority: 1000000001,
    }),
    'a reference to a template names a workload': group({ podGroupTemplateRef: {} }),
    'a group may say everything': group({
      podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } },
      schedulingPolicy: gang(2),
      schedulingConstraints: { topology: [{ key: 'zone' }] },
      resourceClaims: [claim('x')],
      disruptionMode: 'PodGroup',
      priorityClassName: 'high',
      priority: -5,
    }),
    'a group is immutable': updateGroup((object) => {
      object.spec = { schedulingPolicy: basic, priority: 1, priorityClassName: 'x', disruptionMode: 'PodGroup' };
    }),
    'labels of a group may change': updateGroup((object) => {
      object.metadata.labels = { a: 'b' };
      object.status = {};
    }),
    'status is taken alone': status('with claims', {
      resourceClaimStatuses: [{ name: 'x', resourceClaimName: 'c' }],
      conditions: [condition('A', 'True')],
    }),
    'status is checked': status('with claims', {
      resourceClaimStatuses: [{ name: 'y' }, { name: 'x', resourceClaimName: 'A_' }, { name: 'x' }],
      conditions: [condition('A B', 'Perhaps', '')],
    }),
    'status has few claims': status('with claims', {
      resourceClaimStatuses: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })),
    }),
    'a workload is printed': { table: 'workload' },
    'a group is printed': { table: 'group' },
    'a gang is printed': { table: 'with claims' },
    'a scheduled group is printed': { table: 'scheduled' },
    'a disrupted group is printed': { table: 'disrupted' },
  },
};
