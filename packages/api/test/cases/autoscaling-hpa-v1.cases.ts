import type { Case, CaseSuite, Change } from '../case.ts';

const autoscaler = {
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 5 },
};
const prefix = 'autoscaling.alpha.kubernetes.io/';

const create = (change?: Change): Case => ({ create: 'hpa', ...(change && { change }) });
/** A case with these annotations. Values other than strings are written as JSON. */
const annotated = (annotations: Record<string, unknown>, cpu?: number): Case =>
  create((h) => {
    h.metadata.annotations = Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [
        key === 'note' ? key : prefix + key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
    if (cpu !== undefined) h.spec.targetCPUUtilizationPercentage = cpu;
  });

const target = { kind: 'Service', name: 's', apiVersion: 'v1' };
const selector = { matchExpressions: [{ operator: 'In', values: ['x'], key: 'k' }], matchLabels: { z: '1', b: '<2>' } };
const metrics = [
  { type: 'Object', object: { target, metricName: 'm', targetValue: '10', selector: { matchLabels: { b: '2' } } } },
  { type: 'Object', object: { target, metricName: 'm', averageValue: '1.5' } },
  { type: 'Pods', pods: { metricName: 'm', targetAverageValue: '20' } },
  { type: 'Resource', resource: { name: 'memory', targetAverageUtilization: 30 } },
  { type: 'Resource', resource: { name: 'cpu', targetAverageValue: '1' } },
  { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', targetAverageUtilization: 40 } },
  { type: 'External', external: { metricName: 'm', targetValue: '1Ki', metricSelector: { matchLabels: { a: 'b' } } } },
  { type: 'External', external: { metricName: 'm', targetAverageValue: '5' } },
];
const policies = [{ Type: 'Pods', Value: 3, PeriodSeconds: 20 }];

export const suite: CaseSuite = {
  bases: {
    hpa: { object: autoscaler },
    v2: {
      object: {
        ...autoscaler,
        apiVersion: 'autoscaling/v2',
        metadata: { name: 'v2' },
        spec: { ...autoscaler.spec, metrics: [] },
      },
    },
    full: {
      object: {
        ...autoscaler,
        metadata: {
          name: 'full',
          annotations: {
            [`${prefix}metrics`]: JSON.stringify(metrics),
            [`${prefix}behavior`]: JSON.stringify({
              ScaleUp: { Policies: policies },
              ScaleDown: { Policies: policies },
            }),
          },
        },
      },
      status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 70 },
    },
  },
  cases: {
    'an autoscaler gets its defaults': create(),
    'the processor is a metric': annotated({}, 55),
    'the processor is positive': annotated({}, 0),
    'other metrics are an annotation': annotated({ metrics, note: 'x' }),
    'other metrics come before the processor': annotated({ metrics: metrics.slice(0, 1) }, 60),
    'metrics may be the processor': annotated({
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 33 } },
        { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 44 } },
      ],
    }),
    'no metrics are no metrics': annotated({ metrics: [] }),
    'nothing is no metrics': annotated({ metrics: 'null' }),
    'metrics that cannot be read are forgotten': annotated({ metrics: '[{' }, 20),
    'metrics that make no sense are forgotten': annotated({ metrics: [{ type: 5 }] }),
    'metrics are a list': annotated({ metrics: { type: 'Pods' } }),
    'amounts are amounts': annotated({ metrics: [{ type: 'Pods', pods: { targetAverageValue: 'many' } }] }),
    'names may be in any case': annotated({
      metrics: [{ TYPE: 'Pods', Pods: { metricname: 'm', TargetAverageValue: 3 } }],
    }),
    'unknown fields are forgotten': annotated({ metrics: [{ ...metrics[2], more: 1 }] }),
    'metrics are validated as those of v2': annotated({ metrics: [{ type: 'Pods' }, { type: 'Guess' }, null] }),
    'selectors are written in order': annotated({
      metrics: [{ type: 'Pods', pods: { metricName: 'm', targetAverageValue: '1', selector } }],
    }),
    'behaviour is an annotation': annotated({
      behavior: {
        ScaleUp: { StabilizationWindowSeconds: 5, SelectPolicy: 'Min', Policies: policies, Tolerance: '0.1' },
        ScaleDown: { Policies: policies },
      },
    }),
    'behaviour is filled up when it is stored': annotated({ behavior: { ScaleUp: { Policies: policies } } }),
    'behaviour in other words': annotated({
      behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 2 }] } },
    }),
    'behaviour is validated before it is filled up': annotated({ behavior: { ScaleUp: {} } }),
    'no behaviour is none': annotated({ behavior: {} }),
    'behaviour that makes no sense is forgotten': annotated({ behavior: { ScaleUp: { Policies: 5 } } }),
    'what a status says cannot be created': annotated({
      'current-metrics': [{ type: 'Pods', pods: { metricName: 'm', currentAverageValue: '1' } }],
      conditions: [{ type: 'AbleToScale', status: 'True' }],
    }),
    'what v2 has is kept': {
      update: 'full',
      change: (h) => {
        h.spec.maxReplicas = 6;
        h.spec.targetCPUUtilizationPercentage = 10;
      },
    },
    'annotations may go': {
      update: 'full',
      change: (h) => {
        delete h.metadata.annotations;
      },
    },
    'measurements are annotations': {
      update: 'full',
      subresource: 'status',
      change: (h) => {
        h.metadata.annotations[`${prefix}current-metrics`] = JSON.stringify([
          { type: 'Resource', resource: { name: 'cpu', currentAverageUtilization: 5, currentAverageValue: '10m' } },
          { type: 'Resource', resource: { name: 'cpu', currentAverageValue: '10m' } },
          { type: 'Object', object: { target, metricName: 'm', currentValue: '1', averageValue: '2' } },
          { type: 'Pods', pods: { metricName: 'm', currentAverageValue: '3' } },
          { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', currentAverageValue: '4' } },
          { type: 'External', external: { metricName: 'm', currentValue: '5' } },
        ]);
        h.metadata.annotations[`${prefix}conditions`] = JSON.stringify([
          {
            type: 'AbleToScale',
            status: 'True',
            lastTransitionTime: '2026-01-01T00:00:00Z',
            reason: 'R',
            message: 'a & b',
          },
          { type: 'ScalingActive', status: 'False' },
        ]);
        h.status = {
          currentReplicas: 1,
          desiredReplicas: 2,
          currentCPUUtilizationPercentage: 99,
          observedGeneration: 4,
        };
      },
    },
    'a measured processor is a metric': {
      update: 'full',
      subresource: 'status',
      change: (h) => {
        delete h.metadata.annotations[`${prefix}current-metrics`];
        h.status.currentCPUUtilizationPercentage = 12;
        h.status.lastScaleTime = '2026-01-01T00:00:00Z';
      },
    },
    'counts are not negative': {
      update: 'hpa',
      subresource: 'status',
      change: (h) => {
        h.status = { currentReplicas: -1, desiredReplicas: -2 };
      },
    },
    'an autoscaler of v1 is printed': { table: 'full' },
  },
};
