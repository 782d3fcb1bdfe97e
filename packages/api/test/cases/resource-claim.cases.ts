import type { Case, CaseSuite, Change } from '../case.ts';

const exactly = (fields: object = {}) => ({ deviceClassName: 'gpu', ...fields });
const request = (name: string, fields: object = { exactly: exactly() }) => ({ name, ...fields });
const claim = (requests: object[]) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'cases-claim' },
  spec: { devices: { requests } },
});
const requests = (...all: object[]): Case => ({
  create: 'claim',
  change: (object) => {
    object.spec.devices.requests = all;
  },
});
const exact = (...all: object[]): Case =>
  requests(...all.map((fields, i) => request(`r${i}`, { exactly: exactly(fields) })));
const alternatives = (...all: object[]): Case => requests(request('r', { firstAvailable: all }));
const devices = (fields: object): Case => ({
  create: 'claim',
  change: (object) => Object.assign(object.spec.devices, fields),
});
const constraints = (...all: object[]) => devices({ constraints: all });
const opaque = (fields: object) => ({ opaque: { driver: 'example.com', parameters: {}, ...fields } });
const config = (...all: object[]) => devices({ config: all });
const many = (count: number, make: (i: number) => object) => Array.from({ length: count }, (_, i) => make(i));
const status = (value: object, base = 'claim'): Case => ({
  update: base,
  subresource: 'status',
  change: (object) => {
    object.metadata.labels = { a: 'b' };
    object.spec.devices.requests = [];
    object.status = value;
  },
});
const result = (fields: object = {}) => ({ request: 'r', driver: 'example.com', pool: 'p', device: 'd', ...fields });
const allocation = (fields: object = {}) => ({ devices: { results: [result()] }, ...fields });
const results = (...all: object[]) => status({ allocation: { devices: { results: all.map(result) } } });
const device = (fields: object = {}) => ({ driver: 'example.com', pool: 'p', device: 'd', ...fields });
const withDevices = (...all: object[]) => status({ allocation: allocation(), devices: all });
const consumer = (uid: string) => ({ resource: 'pods', name: 'p', uid });
const uid = '00000000-0000-4000-8000-000000000001';
const toleration = (...all: object[]) => exact({ tolerations: all });
const selector = (nodeSelectorTerms: object[]) => ({ nodeSelector: { nodeSelectorTerms } });
const condition = (type: string, more: object = {}) => ({
  type,
  status: 'True',
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...more,
});
const update = (change: Change): Case => ({ update: 'claim', change });

export const suite: CaseSuite = {
  bases: {
    claim: { object: claim([request('r')]) },
    allocated: {
      object: { ...claim([request('r')]), metadata: { name: 'cases-allocated' } },
      status: { allocation: allocation(), devices: [device({ conditions: [condition('Ready')] })] },
    },
    reserved: {
      object: {
        ...claim([request('r', { firstAvailable: [{ name: 's', ...exactly() }] })]),
        metadata: { name: 'cases-reserved' },
      },
      status: { allocation: { devices: { results: [result({ request: 'r/s' })] } }, reservedFor: [consumer(uid)] },
    },
  },
  cases: {
    'a claim gets its defaults': { create: 'claim' },
    'a claim keeps what is given': exact(
      { allocationMode: 'All' },
      { allocationMode: 'ExactCount', count: 3, selectors: [{ cel: { expression: 'true' } }] },
      { tolerations: [{ key: 'a' }, { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] },
      { capacity: { requests: { memory: '1024Mi' } }, adminAccess: false },
    ),
    'alternatives get their defaults': alternatives(
      { name: 'a', ...exactly() },
      { name: 'b', ...exactly({ allocationMode: 'All', tolerations: [{ key: 'a' }] }) },
    ),
    'an empty claim is allowed': {
      create: 'claim',
      change: (object) => {
        object.spec = {};
        object.status = { reservedFor: [consumer(uid)] };
      },
    },
    'a claim has a good name': {
      create: 'claim',
      change: (object) => {
        object.metadata.name = 'A_';
        object.spec.devices.requests[0].exactly.adminAccess = true;
      },
    },
    'administrative access needs a label on the namespace': exact({}, { adminAccess: true }),
    'requests have names of their own': requests(request('a'), request('a'), request('A_'), request('')),
    'names are short': requests(
      request('x'.repeat(64)),
      request('a', { exactly: exactly({ deviceClassName: 'x'.repeat(254), tolerations: [{ key: 'x'.repeat(64) }] }) }),
    ),
    'requests are few': requests(...many(33, (i) => request(`r${i}`))),
    'requests are of one kind': requests(
      request('a', {}),
      request('b', { exactly: exactly(), firstAvailable: [{ name: 's', ...exactly() }] }),
    ),
    'requests have a class': exact({ deviceClassName: '' }, { deviceClassName: 'A_' }),
    'selectors are given': exact({ selectors: [{}, { cel: { expression: 'true' } }] }),
    'selectors are short': exact({ selectors: [{ cel: { expression: `'${'x'.repeat(10240)}' != ''` } }] }),
    'selectors are few': exact({ selectors: many(33, () => ({ cel: { expression: 'true' } })) }),
    'modes and counts go together': exact(
      { allocationMode: 'All', count: 1 },
      { count: -1 },
      { allocationMode: 'Some' },
    ),
    'tolerations are checked': toleration(
      { key: 'a b' },
      { operator: 'Exists', value: 'x' },
      { operator: 'Equal', value: 'a b' },
      { operator: 'Like', effect: 'Never' },
      { key: 'a', value: 'b', effect: 'NoSchedule' },
    ),
    'alternatives are checked': alternatives(
      { name: 'a', deviceClassName: '' },
      { name: 'a', ...exactly({ count: -1 }) },
      { name: 'A_', ...exactly({ selectors: [{}], tolerations: [{ operator: 'x' }] }) },
    ),
    'alternatives are few': alternatives(...many(9, (i) => ({ name: `s${i}`, ...exactly() }))),
    'constraints are checked': constraints(
      {},
      { matchAttribute: 'example.com/a' },
      { requests: ['r', 'r', 'x', 'r/x', 'a/b/c', 'A_'], matchAttribute: 'a' },
      { distinctAttribute: 'example.com/a' },
      { distinctAttribute: '/a' },
      { matchAttribute: 'example.com/' },
      { matchAttribute: 'a/b/c' },
      { matchAttribute: `A_/${'x'.repeat(33)}` },
      { matchAttribute: `${'x'.repeat(64)}/1a` },
    ),
    'constraints are few': constraints(...many(33, () => ({ matchAttribute: 'example.com/a' }))),
    'configurations are checked': config(
      {},
      opaque({ driver: '' }),
      opaque({ driver: 'A_' }),
      opaque({ parameters: null }),
      opaque({ parameters: [1] }),
      opaque({ parameters: { a: 'x'.repeat(10240) } }),
      { requests: ['r', 'x'], ...opaque({}) },
    ),
    'configurations are few': config(...many(33, () => opaque({}))),
    'references may name alternatives': {
      create: 'reserved',
      change: (object) => {
        object.spec.devices.constraints = [{ requests: ['r', 'r/s', 'r/t', 's'], matchAttribute: 'example.com/a' }];
      },
    },
    'the spec is immutable': update((object) => {
      object.spec.devices = {
        requests: [request('r', { exactly: exactly({ tolerations: [{ key: 'a', operator: 'Exists' }] }) })],
        constraints: [{ matchAttribute: 'example.com/a' }],
        config: [opaque({ parameters: { b: 1, a: 2 } })],
      };
    }),
    'an update keeps status': {
      update: 'allocated',
      change: (object) => {
        object.metadata.labels = { a: 'b' };
        object.status = {};
      },
    },
    'an allocation is taken alone': status({
      allocation: allocation(selector([{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }])),
      reservedFor: [consumer(uid)],
      devices: [device({ data: { a: 1 }, networkData: { interfaceName: 'eth0', ips: ['10.0.0.1/8'] } })],
    }),
    'consumers are named': status({ allocation: allocation(), reservedFor: [{}, consumer('a'), consumer('a')] }),
    'consumers are few': status({ allocation: allocation(), reservedFor: many(257, (i) => consumer(`${i}`)) }),
    'nothing is reserved before it is allocated': status({ reservedFor: [consumer('a')] }),
    'results are checked': results(
      {},
      { request: 'x', driver: '', pool: '', device: '' },
      { request: 'r/s', driver: 'A_', pool: 'a//b', device: 'A' },
      { pool: `${'x'.repeat(127)}/${'x'.repeat(127)}` },
      { shareID: 'x' },
      { shareID: '00000000-0000-4000-8000-00000000000A' },
      { shareID: '{00000000-0000-4000-8000-000000000001}' },
      { shareID: '00000000-0000-4000-8000-00000000000g' },
      { shareID: uid, consumedCapacity: { memory: '1Gi' } },
      { bindingConditions: ['a'] },
      { bindingFailureConditions: ['a', 'a', 'b c'] },
      { bindingConditions: ['a', 'a', 'b'], bindingFailureConditions: ['b'] },
      { bindingConditions: ['a', 'b', 'c', 'd', 'e'], bindingFailureConditions: ['f'] },
    ),
    'results are few': results(...many(33, () => ({}))),
    'administrative results need a label on the namespace': results({}, { adminAccess: true }),
    'node selectors of an allocation are checked': status({ allocation: allocation(selector([])) }),
    'configurations of an allocation are checked': status({
      allocation: {
        devices: {
          results: [result()],
          config: [
            { ...opaque({}) },
            { source: 'FromSky', ...opaque({}) },
            { source: 'FromClass', requests: ['r', 'r'], ...opaque({ driver: '' }) },
            { source: 'FromClaim' },
          ],
        },
      },
    }),
    'configurations of an allocation are few': status({
      allocation: { devices: { config: many(65, () => ({ source: 'FromClass', ...opaque({}) })) } },
    }),
    'an allocation is immutable': status(
      { allocation: { devices: { results: [result({ device: 'e' })] } } },
      'allocated',
    ),
    'an allocation can be given back, and its devices with it': status({ devices: [device()] }, 'allocated'),
    'devices are allocated': withDevices(device({ device: 'e' }), device(), device(), device({ shareID: 'x' })),
    'devices are named': withDevices(device({ driver: '', pool: '', device: '' })),
    'conditions of devices are checked': withDevices(
      device({ conditions: [condition('a b', { status: 'x' }), ...many(8, (i) => condition(`c${i}`))] }),
    ),
    'data of devices are checked': withDevices(device({ data: [1] })),
    'data of devices are short': withDevices(device({ data: { a: 'x'.repeat(10240) } })),
    'network data are checked': withDevices(
      device({
        networkData: {
          interfaceName: 'x'.repeat(257),
          hardwareAddress: 'x'.repeat(129),
          ips: ['10.0.0.1', '10.0.0.1/8', '10.0.0.1/8', '010.0.0.1/8', 'x'],
        },
      }),
    ),
    'addresses of devices are few': withDevices(
      device({ networkData: { ips: many(17, (i) => `10.0.0.${i}/8` as never) } }),
    ),
    'a claim is printed': { table: 'claim' },
    'an allocated claim is printed': { table: 'allocated' },
    'a reserved claim is printed': { table: 'reserved' },
  },
};
