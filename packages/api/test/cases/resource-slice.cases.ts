import type { Case, CaseSuite, Change } from '../case.ts';

const slice = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'cases-slice' },
  spec: {
    driver: 'example.com',
    pool: { name: 'p', resourceSliceCount: 1 },
    nodeName: 'n',
    devices: [{ name: 'd', attributes: { model: { string: 'x' } } }],
  },
};
const create = (change: Change): Case => ({ create: 'slice', change: (object) => change(object.spec) });
const set = (fields: object) => create((spec) => Object.assign(spec, fields));
const devices = (...all: object[]) =>
  create((spec) => (spec.devices = all.map((fields, i) => ({ name: `d${i}`, ...fields }))));
const placed = (...all: object[]) =>
  create((spec) => {
    delete spec.nodeName;
    spec.perDeviceNodeSelection = true;
    spec.devices = all.map((fields, i) => ({ name: `d${i}`, ...fields }));
  });
const attribute = (...all: object[]) => devices(...all.map((a) => ({ attributes: { a } })));
const many = (count: number, make: (i: number) => object) => Array.from({ length: count }, (_, i) => make(i));
const map = (count: number, value: object) =>
  Object.fromEntries(many(count, (i) => [`k${i}`, value] as never) as never);
const policy = (...all: object[]) =>
  devices(
    ...all.map((requestPolicy) => ({
      allowMultipleAllocations: true,
      capacity: { memory: { value: '10Gi', requestPolicy } },
    })),
  );
const taint = (fields: object = {}) => ({
  key: 'a',
  effect: 'NoSchedule',
  timeAdded: '2026-01-01T00:00:00Z',
  ...fields,
});
const counters = (spec: object) =>
  create((s) => {
    delete s.devices;
    Object.assign(s, spec);
  });
const term = { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] };
const range = (fields: object, standard = '2Gi') => ({ default: standard, validRange: { min: '1Gi', ...fields } });

export const suite: CaseSuite = {
  bases: { slice: { object: slice } },
  cases: {
    'a slice is stored': { create: 'slice' },
    'an empty slice': {
      create: 'slice',
      change: (object) => {
        object.spec = {};
      },
    },
    'a slice has a good name': {
      create: 'slice',
      change: (object) => {
        object.metadata.name = 'A_';
      },
    },
    'drivers in upper case are warned of': set({ driver: 'Example.com' }),
    'drivers have names': set({ driver: 'A_' }),
    'pools are named and counted': set({ pool: { name: 'A_/b', resourceSliceCount: 0, generation: -1 } }),
    'a slice is for some nodes': set({ nodeName: undefined }),
    'a slice is for nodes of one kind': set({
      nodeName: 'A_',
      allNodes: true,
      nodeSelector: { nodeSelectorTerms: [term] },
    }),
    'a slice says nothing twice': set({ nodeName: '', allNodes: false, perDeviceNodeSelection: false }),
    'a selector has one term': set({
      nodeName: undefined,
      nodeSelector: { nodeSelectorTerms: [term, {}] },
    }),
    'a selector has a term': set({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [] } }),
    'a selector is checked': set({
      nodeName: undefined,
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a b', operator: 'In', values: ['-'] }] }] },
    }),
    'all nodes may be meant': set({ nodeName: undefined, allNodes: true }),
    'devices have names of their own': devices({ name: 'a' }, { name: 'a' }, { name: '' }, { name: 'A' }),
    'names are short': set({
      driver: 'x'.repeat(64),
      pool: { name: 'x'.repeat(254), resourceSliceCount: 1 },
      nodeName: 'x'.repeat(254),
      devices: [{ name: 'x'.repeat(64), attributes: { ['x'.repeat(33)]: { int: 1 } } }],
    }),
    'devices are few': devices(...many(129, () => ({}))),
    'advanced devices are fewer': devices({ taints: [taint()] }, ...many(64, () => ({}))),
    'attributes have one value': attribute(
      {},
      { int: 1, bool: true, string: 'a', version: '1.0.0' },
      { int: 0 },
      { bool: false },
      { string: '' },
      { string: 'x'.repeat(65) },
      { version: '1.0' },
      { version: `1.0.0-${'x'.repeat(64)}` },
      { version: '1.2.3-a.1+b' },
    ),
    'attributes have good names': devices(
      { attributes: { 'a-b': { int: 1 } } },
      { attributes: { '/a': { int: 1 } } },
      { attributes: { 'example.com/': { int: 1 } } },
      { attributes: { 'A_/a': { int: 1 } } },
      { attributes: { [`${'x'.repeat(40)}`]: {} } },
      { attributes: { [`${'x'.repeat(70)}.com/${'y'.repeat(40)}`]: {} } },
      { attributes: { 'example.com/a': { int: 1 } }, capacity: { 'a b': { value: '1' } } },
    ),
    'attributes and capacities are few': devices({
      attributes: map(20, { int: 1 }),
      capacity: map(13, { value: '1' }),
    }),
    'policies need a shared device': devices({
      capacity: { memory: { value: '1Gi', requestPolicy: { default: '1' } } },
    }),
    'policies are of one kind': policy(
      { default: '1Gi' },
      { validValues: ['1Gi'], validRange: { min: '1Gi' }, default: '1Gi' },
      { validValues: ['1Gi'] },
      { validRange: { min: '1Gi' } },
    ),
    'values of a policy are checked': policy(
      { default: '2Gi', validValues: ['1Gi', '2Gi'] },
      { default: '2Gi', validValues: ['3Gi', '1Gi', '1Gi', '1024Mi', '20Gi'] },
      { default: '1Gi', validValues: many(11, (i) => `${i + 1}Mi` as never) },
    ),
    'ranges of a policy are checked': policy(
      range({}),
      range({ min: undefined }),
      range({ min: '20Gi' }),
      range({ min: '3Gi', max: '2Gi' }, '4Gi'),
      range({ max: '20Gi' }),
      range({ step: '20Gi' }),
      range({ step: '1Gi', max: '3Gi' }),
      range({ step: '3Gi', max: '6Gi' }),
    ),
    'taints are checked': devices({
      taints: [taint(), taint({ key: '', value: 'a b', effect: '' }), taint({ key: 'a b', effect: 'Never' })],
    }),
    'taints are few': devices({ taints: many(17, () => taint()) }),
    'counters are taken from sets': devices(
      { consumesCounters: [{}, { counterSet: 'A', counters: { B: { value: '1' } } }] },
      {
        consumesCounters: [
          { counterSet: 'a', counters: { b: { value: '1' } } },
          { counterSet: 'a', counters: { b: { value: '1' } } },
        ],
      },
      { consumesCounters: many(3, (i) => ({ counterSet: `s${i}`, counters: { a: { value: '1' } } })) },
      { consumesCounters: [{ counterSet: 'a', counters: map(33, { value: '1' }) }] },
    ),
    'devices have no place of their own': devices(
      { nodeName: 'n' },
      { allNodes: true },
      { nodeSelector: { nodeSelectorTerms: [term] } },
    ),
    'devices have a place of their own': placed(
      {},
      { nodeName: 'n' },
      { nodeName: '' },
      { nodeName: 'A_', allNodes: true },
      { allNodes: false },
      { nodeSelector: { nodeSelectorTerms: [] } },
    ),
    'conditions for binding are checked': devices(
      { bindingConditions: ['a'], bindingFailureConditions: ['b'], bindsToNode: true },
      { bindingConditions: ['a'], bindingFailureConditions: ['a'] },
      { bindingConditions: ['a b'] },
    ),
    'counters are shared': counters({ sharedCounters: [{ name: 'a', counters: { b: { value: '1' } } }] }),
    'shared counters are checked': counters({
      sharedCounters: [
        {},
        { name: 'A', counters: { B: { value: '1' } } },
        { name: 'c', counters: map(33, { value: '1' }) },
        { name: 'c' },
      ],
    }),
    'shared counters are few': counters({
      sharedCounters: many(9, (i) => ({ name: `s${i}`, counters: { a: { value: '1' } } })),
    }),
    'counters or devices': set({ sharedCounters: [{ name: 'a', counters: { b: { value: '1' } } }] }),
    'fields of features that are off are dropped': devices({
      attributes: { a: { ints: [1, 2], string: 'x' } },
      nodeAllocatableResourceMappings: { cpu: {} },
    }),
    'some fields are immutable': {
      update: 'slice',
      change: (object) => {
        object.spec.driver = 'other.com';
        object.spec.pool.name = 'q';
        object.spec.nodeName = 'm';
      },
    },
    'an update raises the generation': {
      update: 'slice',
      change: (object) => {
        object.spec.pool.generation = 2;
      },
    },
    'an update is validated': {
      update: 'slice',
      change: (object) => {
        object.spec.devices[0].attributes.model = {};
      },
    },
    'a slice is printed': { table: 'slice' },
  },
};
