import type { Case, CaseSuite } from '../case.ts';

const slice = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'cases-features' },
  spec: { driver: 'example.com', pool: { name: 'p', resourceSliceCount: 1 }, nodeName: 'n', devices: [{ name: 'd' }] },
};
const rule = (version: string, name: string) => ({
  apiVersion: `resource.k8s.io/${version}`,
  kind: 'DeviceTaintRule',
  metadata: { name },
  spec: {
    deviceSelector: { driver: 'example.com', pool: 'p', device: 'd' },
    taint: { key: 'a', value: 'b', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
  },
});
const request = (name: string) => ({
  apiVersion: 'resource.k8s.io/v1alpha3',
  kind: 'ResourcePoolStatusRequest',
  metadata: { name },
  spec: { driver: 'example.com' },
});
const devices = (...all: object[]): Case => ({
  create: 'slice',
  change: (object) => {
    object.spec.devices = all.map((fields, i) => ({ name: `d${i}`, ...fields }));
  },
});
const many = (count: number, make: (i: number) => unknown) => Array.from({ length: count }, (_, i) => make(i));
const ask = (fields: object): Case => ({ create: 'request', change: (object) => Object.assign(object.spec, fields) });
const condition = (type: string, status = 'True', more: object = {}) => ({
  type,
  status,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'R',
  message: 'm',
  ...more,
});
const answer = (status: object, base = 'request'): Case => ({
  update: base,
  subresource: 'status',
  change: (object) => {
    object.metadata.labels = { a: 'b' };
    object.spec.driver = 'other.com';
    object.status = status;
  },
});
const pool = (fields: object = {}) => ({ driver: 'example.com', poolName: 'p', generation: 1, ...fields });
const pools = (...all: object[]) => answer({ poolCount: all.length, pools: all.map(pool) });
const setRule = (fields: object): Case => ({ create: 'rule', change: (object) => Object.assign(object.spec, fields) });
const ruleStatus = (conditions: object[]): Case => ({
  update: 'rule',
  subresource: 'status',
  change: (object) => {
    object.metadata.labels = { a: 'b' };
    object.status = { conditions };
  },
});

export const suite: CaseSuite = {
  features: {
    DRADeviceTaintRules: true,
    DRAListTypeAttributes: true,
    DRANodeAllocatableResources: true,
    DRAResourcePoolStatus: true,
  },
  bases: {
    slice: { object: slice },
    rule: { object: rule('v1beta2', 'cases-rule') },
    'old rule': { object: rule('v1alpha3', 'cases-old-rule') },
    request: { object: request('cases-request') },
    answered: {
      object: request('cases-answered'),
      status: {
        poolCount: 3,
        pools: [
          pool({ totalDevices: 5, allocatedDevices: 2, availableDevices: 3 }),
          pool({ totalDevices: 1, validationError: 'x' }),
        ],
        conditions: [condition('Complete')],
      },
    },
    failed: { object: request('cases-failed'), status: { poolCount: 0, conditions: [condition('Failed')] } },
  },
  cases: {
    'attributes may be lists': devices({
      attributes: { a: { ints: [1, 2] }, b: { strings: ['x'] }, c: { bools: [true] }, d: { versions: ['1.0.0'] } },
    }),
    'lists of attributes are checked': devices(
      { attributes: { a: { strings: ['ok', 'x'.repeat(65)] } } },
      { attributes: { a: { versions: ['1.0.0', '1'] } } },
      { attributes: { a: { ints: [1], bools: [true] } } },
    ),
    'lists of attributes are short': devices({ attributes: { a: { ints: many(49, (i) => i) } } }),
    'devices with lists are fewer': devices(
      { attributes: { a: { ints: [1] } } },
      ...(many(64, () => ({})) as object[]),
    ),
    'devices may take resources of the node': devices({
      capacity: { memory: { value: '1Gi' } },
      nodeAllocatableResourceMappings: { cpu: {}, memory: { capacityKey: 'memory' } },
    }),
    'resources of the node are checked': devices(
      { nodeAllocatableResourceMappings: { 'example.com/x': { allocationMultiplier: '0' } } },
      { nodeAllocatableResourceMappings: { cpu: { capacityKey: '' } } },
      { nodeAllocatableResourceMappings: { cpu: { capacityKey: 'memory' } } },
      {
        capacity: { disk: { value: '1' } },
        nodeAllocatableResourceMappings: { cpu: { capacityKey: 'memory', allocationMultiplier: '-1' } },
      },
    ),
    'a rule is stored': { create: 'rule' },
    'a rule of an old version is stored': { create: 'old rule' },
    'a rule may select every device': setRule({ deviceSelector: {} }),
    'a selector of a rule is checked': setRule({ deviceSelector: { driver: '', pool: '', device: 'A' } }),
    'a taint of a rule is checked': setRule({
      taint: { key: 'a b', value: '-', effect: '', timeAdded: '2026-01-01T00:00:00Z' },
    }),
    'an effect of a rule is known': setRule({
      taint: { key: 'a', effect: 'Never', timeAdded: '2026-01-01T00:00:00Z' },
    }),
    'an update of a rule raises the generation': {
      update: 'rule',
      change: (object) => {
        object.spec.taint.value = 'c';
      },
    },
    'a new effect with a time of its own': {
      update: 'rule',
      change: (object) => {
        object.spec.taint.effect = 'None';
        object.spec.taint.timeAdded = '2026-02-01T00:00:00Z';
      },
    },
    'an update of a rule is validated': {
      update: 'rule',
      change: (object) => {
        object.spec.taint.key = '';
        object.spec.deviceSelector.driver = 'A_';
      },
    },
    'a status of a rule is stored': ruleStatus([condition('A')]),
    'a status of a rule is checked': ruleStatus([
      condition('a b', 'x'),
      ...(many(8, (i) => condition(`c${i}`)) as object[]),
    ]),
    'a rule is printed': { table: 'rule' },
    'a request gets its defaults': { create: 'request' },
    'a request names a driver': ask({ driver: '', poolName: '', limit: 0 }),
    'a request is checked': ask({ driver: 'A_', poolName: `a//B/${'x'.repeat(260)}`, limit: 1001 }),
    'a request may name a pool': ask({ driver: 'Example.com', poolName: 'a/b', limit: 1000 }),
    'a request is immutable': {
      update: 'request',
      change: (object) => {
        object.spec = { driver: '' };
      },
    },
    'an answer is taken alone': pools({ nodeName: 'n', resourceSliceCount: 1, totalDevices: 0 }),
    'an answer is complete': answer({ pools: [] }),
    'an answer is checked': pools(
      { driver: '', poolName: '', generation: 0 },
      { driver: 'A_', poolName: '/', generation: -1, resourceSliceCount: 0, totalDevices: -1, nodeName: 'A_' },
      { allocatedDevices: -1, availableDevices: -1, unavailableDevices: -1, validationError: 'x'.repeat(257) },
    ),
    'conditions of an answer are checked': answer({
      poolCount: -1,
      conditions: [condition('A'), condition('A', 'x', { reason: '' })],
    }),
    'conditions of an answer are few': answer({ poolCount: 0, conditions: many(11, (i) => condition(`c${i}`)) }),
    'an answer is final': answer({ poolCount: 4, pools: [pool()], conditions: [condition('Complete')] }, 'answered'),
    'a request is printed': { table: 'request' },
    'an answered request is printed': { table: 'answered' },
    'a failed request is printed': { table: 'failed' },
  },
};
