import type { Case, CaseSuite, Change } from '../case.ts';

const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 5 },
};

const create = (change?: Change): Case => ({ create: 'hpa', ...(change && { change }) });
const update = (change: Change): Case => ({ update: 'hpa', change });
const status = (value: object): Case => ({
  update: 'hpa',
  subresource: 'status',
  change: (h) => {
    h.status = value;
    h.spec.maxReplicas = 9;
  },
});
const spec = (fields: object): Case =>
  create((h) => {
    Object.assign(h.spec, fields);
  });
const metrics = (...list: unknown[]): Case => spec({ metrics: list });
const behavior = (value: object): Case => spec({ behavior: value });
const target = (scaleTargetRef: object): Case => spec({ scaleTargetRef });

const described = { apiVersion: 'v1', kind: 'Service', name: 's' };
const average = { type: 'AverageValue', averageValue: '500m' };
const object = (fields: object = {}) => ({
  type: 'Object',
  object: { describedObject: described, metric: { name: 'm' }, target: { type: 'Value', value: '10' }, ...fields },
});
const external = (fields: object = {}) => ({
  type: 'External',
  external: { metric: { name: 'm', selector: { matchLabels: { a: 'b' } } }, target: average, ...fields },
});
const pods = (fields: object = {}) => ({ type: 'Pods', pods: { metric: { name: 'm' }, target: average, ...fields } });
const resource = (fields: object = {}) => ({
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 50 }, ...fields },
});
const container = (fields: object = {}) => ({
  type: 'ContainerResource',
  containerResource: {
    name: 'cpu',
    container: 'c',
    target: { type: 'Utilization', averageUtilization: 50 },
    ...fields,
  },
});

const printed = (name: string, list: unknown[], currentMetrics?: unknown[]) => ({
  object: { ...autoscaler, metadata: { name }, spec: { ...autoscaler.spec, metrics: list } },
  ...(currentMetrics && { status: { desiredReplicas: 2, currentReplicas: 3, currentMetrics } }),
});

export const suite: CaseSuite = {
  bases: {
    hpa: { object: { ...autoscaler, spec: { ...autoscaler.spec, metrics: [object()] } } },
    cpu: { object: { ...autoscaler, metadata: { name: 'cpu' } } },
    bare: printed('bare', [external(), pods()]),
    unknowns: printed('unknowns', [object(), object({ target: average })]),
    resources: printed('resources', [resource(), container(), pods(), external()]),
    raw: printed('raw', [resource({ target: average }), container({ target: average })]),
    measured: printed(
      'measured',
      [external(), object()],
      [
        { type: 'External', external: { metric: { name: 'm' }, current: { averageValue: '1500m', value: '3' } } },
        { type: 'Object', object: { describedObject: described, metric: { name: 'm' }, current: { value: '7' } } },
      ],
    ),
    used: printed(
      'used',
      [resource(), container()],
      [
        { type: 'Resource', resource: { name: 'memory', current: { averageUtilization: 40, averageValue: '5Mi' } } },
        {
          type: 'ContainerResource',
          containerResource: { name: 'cpu', container: 'c', current: { averageValue: '1' } },
        },
      ],
    ),
    measuredRaw: printed(
      'measuredraw',
      [pods(), resource({ target: average })],
      [
        { type: 'Pods', pods: { metric: { name: 'm' }, current: { averageValue: '2' } } },
        { type: 'Resource', resource: { name: 'memory', current: { averageValue: '3Mi' } } },
      ],
    ),
    others: printed(
      'others',
      [external({ target: { type: 'Value', value: '4' } }), object({ target: average })],
      [
        { type: 'External', external: { metric: { name: 'm' }, current: { value: '5' } } },
        {
          type: 'Object',
          object: { describedObject: described, metric: { name: 'm' }, current: { averageValue: '6' } },
        },
      ],
    ),
  },
  cases: {
    'an autoscaler gets its defaults': { create: 'cpu' },
    'behaviour gets its defaults': behavior({}),
    'behaviour is filled up': behavior({
      scaleUp: { stabilizationWindowSeconds: 5, policies: [{ type: 'Pods', value: 1, periodSeconds: 1 }] },
      scaleDown: { selectPolicy: 'Disabled', tolerance: '0.05' },
    }),
    'metrics of all kinds': metrics(object(), external(), pods(), resource(), container()),
    'annotations of v1 mean nothing': create((h) => {
      h.metadata.annotations = {
        'autoscaling.alpha.kubernetes.io/metrics': '[]',
        'autoscaling.alpha.kubernetes.io/scale-up-tolerance': '1',
        note: 'x',
      };
      h.metadata.generation = 5;
      h.status = { desiredReplicas: 4 };
    }),
    'only annotations of v1': create((h) => {
      h.metadata.annotations = { 'autoscaling.alpha.kubernetes.io/behavior': '{}' };
    }),
    'replicas are positive': spec({ minReplicas: -1, maxReplicas: -2 }),
    'something stays running': spec({ minReplicas: 0 }),
    'something stays running unless something else is measured': spec({ minReplicas: 0, metrics: [resource()] }),
    'the maximum is required': create((h) => {
      delete h.spec.maxReplicas;
    }),
    'the maximum is not below the minimum': spec({ minReplicas: 6 }),
    'a target is required': target({}),
    'a target is a path': target({ kind: 'a/b', name: '..', apiVersion: 'a/b/c' }),
    'a target has a group': target({ kind: 'Deployment', name: 'x', apiVersion: 'v1' }),
    'a target has an apiVersion': target({ kind: 'Deployment', name: 'x' }),
    'a replication controller has no group': target({ kind: 'ReplicationController', name: 'x', apiVersion: 'v1' }),
    'an autoscaler cannot be empty': create((h) => {
      delete h.spec;
    }),

    'a metric has a type': metrics({}),
    'a metric has a known type': metrics({ type: 'Guess', resource: resource().resource }),
    'a metric has a source': metrics(
      { type: 'Object' },
      { type: 'External' },
      { type: 'Pods' },
      { type: 'Resource' },
      { type: 'ContainerResource' },
    ),
    'a metric has the source of its type': metrics({ ...pods(), type: 'Resource' }),
    'a metric has one source': metrics({ ...resource(), ...pods(), type: 'Pods' }),
    'an object is described': metrics(object({ describedObject: { apiVersion: 'a/b/c' }, metric: {}, target: {} })),
    'an object may be of the core group': metrics(object()),
    'names of metrics are paths': metrics(object({ metric: { name: 'a%b' } }), pods({ metric: { name: '.' } })),
    'targets are positive': metrics(
      object({ target: { type: 'Value', value: '0' } }),
      external({ target: { type: 'AverageValue', averageValue: '-1' } }),
      resource({ target: { type: 'Utilization', averageUtilization: 0 } }),
    ),
    'targets have known types': metrics(pods({ target: { type: 'Guess', averageValue: '1' } })),
    'targets have values': metrics(
      object({ target: { type: 'Value' } }),
      external({ target: { type: 'Value' } }),
      pods({ target: { type: 'AverageValue', value: '1' } }),
      resource({ target: { type: 'Utilization' } }),
      container({ target: { type: 'Utilization' } }),
    ),
    'targets have one value': metrics(
      external({ target: { type: 'Value', value: '1', averageValue: '2' } }),
      resource({ target: { type: 'Utilization', averageUtilization: 1, averageValue: '2' } }),
      container({ target: { type: 'Utilization', averageUtilization: 1, averageValue: '2' } }),
      object({ target: { type: 'Value', value: '1', averageValue: '2' } }),
    ),
    'resources have names': metrics(
      resource({ name: '' }),
      resource({ name: 'any thing' }),
      container({ name: '', container: '' }),
      container({ name: 'thing', container: 'A_B' }),
      container({ name: 'example.com/gpu' }),
    ),

    'rules have limits': behavior({
      scaleUp: { stabilizationWindowSeconds: -1, selectPolicy: 'Guess', tolerance: '-0.1' },
      scaleDown: { stabilizationWindowSeconds: 3601 },
    }),
    'policies have limits': behavior({
      scaleUp: {
        policies: [
          { type: 'Guess', value: 0, periodSeconds: 0 },
          { type: 'Percent', value: -1, periodSeconds: 1801 },
          { type: 'Pods', value: 1, periodSeconds: 1800 },
        ],
      },
    }),

    'a target that stays may be wrong': update((h) => {
      h.spec.scaleTargetRef.name = 'other';
      h.spec.maxReplicas = 7;
      h.status = { desiredReplicas: 9 };
    }),
    'a new target is judged': update((h) => {
      h.spec.scaleTargetRef = { kind: 'Thing', name: 'x', apiVersion: 'v1' };
    }),
    'updates are judged': update((h) => {
      h.spec.minReplicas = 0;
      h.spec.maxReplicas = 0;
      h.metadata.labels = { 'a b': 'c' };
    }),
    'no generation is counted': update((h) => {
      h.spec.maxReplicas = 8;
      h.metadata.generation = 3;
    }),
    'status is taken over, spec is not': status({
      desiredReplicas: 3,
      currentReplicas: 2,
      conditions: [{ type: 'AbleToScale', status: 'True' }],
    }),
    'counts are not negative': status({ desiredReplicas: -1, currentReplicas: -2 }),

    'an autoscaler is printed': { table: 'hpa' },
    'the default is printed': { table: 'cpu' },
    'averages are printed': { table: 'bare' },
    'objects are printed': { table: 'unknowns' },
    'not more than two are printed': { table: 'resources' },
    'amounts of resources are printed': { table: 'raw' },
    'measurements are printed': { table: 'measured' },
    'measured resources are printed': { table: 'used' },
    'measured amounts are printed': { table: 'measuredRaw' },
    'other measurements are printed': { table: 'others' },
  },
};
