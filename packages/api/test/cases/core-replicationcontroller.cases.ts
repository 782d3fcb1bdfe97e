import type { Case, CaseSuite, JsonObject } from '../case.ts';

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
const controller = (name: string, spec: JsonObject, metadata: JsonObject = {}): { object: JsonObject } => ({
  object: {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { name, ...metadata },
    spec: { template, ...spec },
  },
});
// biome-ignore lint/suspicious/noExplicitAny: edits break types on purpose
const create = (edit: (spec: any, object: any) => void): Case => ({
  create: 'controller',
  change: (object) => edit(object.spec, object),
});
// biome-ignore lint/suspicious/noExplicitAny: edits break types on purpose
const update = (base: string, edit: (spec: any, object: any) => void): Case => ({
  update: base,
  change: (object) => edit(object.spec, object),
});
const status = (fields: JsonObject): Case => ({
  update: 'controller',
  subresource: 'status',
  change: (object) => {
    object.status = fields;
  },
});

export const suite: CaseSuite = {
  bases: {
    controller: controller('controller', {}),
    counted: {
      ...controller('counted', {
        replicas: 3,
        template: {
          metadata: { labels: { app: 'web', tier: 'x' } },
          spec: {
            containers: [
              { name: 'a', image: 'x:1' },
              { name: 'b', image: 'y' },
            ],
          },
        },
      }),
      status: { replicas: 2, readyReplicas: 1 },
    },
    converted: controller('converted', {}, { annotations: { 'non-convertible.kubernetes.io/spec.selector': 'x' } }),
    broken: controller('broken', {}, { annotations: { 'non-convertible.kubernetes.io/other': 'x' } }),
    warned: controller('warned', {
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'a', image: 'x' }], nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
      },
    }),
  },
  cases: {
    'labels and selector are those of the template': create(() => {}),
    'own labels and selector stay': create((spec, { metadata }) => {
      metadata.labels = { own: 'yes' };
      spec.selector = { app: 'web' };
      spec.replicas = 0;
      spec.minReadySeconds = 5;
    }),
    'status is not set on creation': create((_, object) => {
      object.status = { replicas: 5 };
    }),
    'a spec is asked for': create((_, object) => {
      object.spec = {};
    }),
    'counts are not negative': create((spec) => {
      spec.replicas = -1;
      spec.minReadySeconds = -1;
    }),
    'the selector selects the template': create((spec) => {
      spec.selector = { app: 'other' };
    }),
    'a template without labels has no selector': create((spec) => {
      spec.template = { spec: template.spec };
    }),
    'a selector needs labels': create((spec) => {
      spec.template = { spec: template.spec };
      spec.selector = { a: 'b' };
    }),
    'pods always restart and have no deadline': create((spec) => {
      spec.template = { ...template, spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 } };
    }),
    'the template is valid': create((spec) => {
      spec.template = {
        metadata: { labels: { app: 'a b' }, annotations: { 'a b': 'c', 'kubernetes.io/config.mirror': 'x' } },
        spec: {
          containers: [{ name: 'A', image: ' ', ports: [{ containerPort: 1, hostPort: 2 }] }],
          ephemeralContainers: [{ name: 'debug', image: 'x' }],
          hostNetwork: true,
          volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'x' } }] } }],
        },
      };
    }),
    'ports of the host may wait for the pod': create((spec) => {
      spec.template = {
        ...template,
        spec: { hostNetwork: true, containers: [{ name: 'a', image: 'x', ports: [{ containerPort: 1 }] }] },
      };
    }),
    'a template has other defaults than a pod': create((spec) => {
      spec.template = {
        ...template,
        spec: {
          terminationGracePeriodSeconds: -1,
          serviceAccount: 'old',
          containers: [{ name: 'a', image: 'x', resources: { limits: { cpu: '1' } } }],
          volumes: [{ name: 'v', image: {} }],
        },
      };
    }),
    'annotations in a template are warned about': create((spec) => {
      spec.template = {
        metadata: {
          labels: { app: 'web' },
          annotations: {
            'container.apparmor.security.beta.kubernetes.io/web': 'runtime/default',
            'container.seccomp.security.alpha.kubernetes.io/web': 'runtime/default',
            'pod.alpha.kubernetes.io/init-containers': 'x',
          },
        },
        spec: { ...template.spec, hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }] },
      };
    }),
    'names that are no labels are warned about': create((_, { metadata }) => {
      metadata.name = 'a.b';
    }),
    'names are subdomains': create((_, { metadata }) => {
      metadata.name = 'A B';
    }),
    'a change of the spec raises the generation': update('controller', (spec) => {
      spec.replicas = 5;
    }),
    'a change of labels does not': update('controller', (_, { metadata }) => {
      metadata.labels = { a: 'b' };
    }),
    'a changed spec is valid': update('controller', (spec) => {
      spec.replicas = -1;
      spec.selector = { a: 'b' };
    }),
    'a selector that cannot be said stays': update('converted', (spec) => {
      spec.selector = { app: 'web', a: 'b' };
      spec.template.metadata.labels = { app: 'web', a: 'b' };
    }),
    'a field that cannot be said is known': update('broken', (spec) => {
      spec.replicas = 2;
    }),
    'an update warns of the old template': update('warned', (spec) => {
      spec.template.spec.nodeSelector = undefined;
      spec.template.spec.hostAliases = [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }];
    }),
    'an update of something else does not warn': update('warned', (_, { metadata }) => {
      metadata.labels = { a: 'b' };
    }),
    'a status is written': status({
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      fullyLabeledReplicas: 3,
      observedGeneration: 1,
    }),
    'counts in a status are not negative': status({
      replicas: -1,
      readyReplicas: -1,
      availableReplicas: -1,
      fullyLabeledReplicas: -1,
      observedGeneration: -1,
    }),
    'counts in a status fit each other': status({
      replicas: 1,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 3,
    }),
    'a controller is printed': { table: 'controller' },
    'a counted controller is printed': { table: 'counted' },
  },
};
