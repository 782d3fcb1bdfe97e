import type { Case, CaseSuite, JsonObject } from '../case.ts';

/** The forms of an empty list. */
const nothing: Readonly<Record<string, unknown>> = { absent: undefined, null: null, empty: [] };

const pod = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
});
const template = { metadata: { labels: { app: 'web' } }, spec: (pod('web') as { spec: JsonObject }).spec };

/** Returns each of the cases with an absent, null and empty list of containers. */
function withoutContainers(cases: Readonly<Record<string, (list: unknown) => Case>>): Readonly<Record<string, Case>> {
  return Object.fromEntries(
    Object.entries(cases).flatMap(([title, make]) =>
      Object.entries(nothing).map(([what, list]) => [`${title} (${what})`, make(list)]),
    ),
  );
}

export const suite: CaseSuite = {
  bases: {
    pod: { object: pod('web') },
    template: { object: { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'template' }, template } },
    controller: {
      object: {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        metadata: { name: 'controller' },
        spec: { replicas: 0, selector: { app: 'web' }, template },
      },
    },
  },
  cases: {
    ...withoutContainers({
      'a pod has containers': (containers) => ({
        create: 'pod',
        change: (object) => {
          object.spec.containers = containers;
        },
      }),
      'a pod needs more than containers of other sorts, and they are judged': (containers) => ({
        create: 'pod',
        change: ({ spec }) => {
          spec.containers = containers;
          spec.initContainers = [
            { name: 'init', image: 'busybox', restartPolicy: 'Always' },
            { name: 'init', image: 'busybox', ports: [{ containerPort: 80, hostPort: 0 }] },
          ];
          spec.ephemeralContainers = [{ name: 'debug', image: 'busybox', targetContainerName: 'web' }];
        },
      }),
      'everything about a pod that looks at containers': (containers) => ({
        create: 'pod',
        change: ({ metadata, spec }) => {
          metadata.annotations = {
            'container.apparmor.security.beta.kubernetes.io/web': 'unconfined',
            'container.seccomp.security.alpha.kubernetes.io/web': 'unconfined',
          };
          Object.assign(spec, {
            containers,
            hostNetwork: true,
            hostUsers: false,
            os: { name: 'windows' },
            resources: { limits: { cpu: '1' } },
            securityContext: { windowsOptions: { hostProcess: true }, seccompProfile: { type: 'RuntimeDefault' } },
          });
        },
      }),
      'the resources of a pod without containers': (containers) => ({
        create: 'pod',
        change: ({ spec }) => {
          Object.assign(spec, { containers, resources: { limits: { cpu: '1', memory: '-1' } } });
        },
      }),
      'a pod keeps its containers': (containers) => ({
        update: 'pod',
        change: ({ spec }) => {
          spec.containers = containers;
        },
      }),
      'a resize keeps containers': (containers) => ({
        update: 'pod',
        subresource: 'resize',
        change: ({ spec }) => {
          spec.containers = containers;
        },
      }),
      'a status is written whatever containers are sent': (containers) => ({
        update: 'pod',
        subresource: 'status',
        change: (object) => {
          object.spec.containers = containers;
          object.status.message = 'x';
        },
      }),
      'ephemeral containers are added whatever containers are sent': (containers) => ({
        update: 'pod',
        subresource: 'ephemeralcontainers',
        change: ({ spec }) => {
          spec.containers = containers;
          spec.ephemeralContainers = [{ name: 'debug', image: 'busybox', targetContainerName: 'web' }];
        },
      }),
      'a pod template has containers': (containers) => ({
        create: 'template',
        change: (object) => {
          object.template.spec.containers = containers;
        },
      }),
      'a changed pod template has containers': (containers) => ({
        update: 'template',
        change: (object) => {
          object.template.spec.containers = containers;
        },
      }),
      'the template of a replication controller has containers': (containers) => ({
        create: 'controller',
        change: (object) => {
          object.spec.template.spec.containers = containers;
        },
      }),
      'the changed template of a replication controller has containers': (containers) => ({
        update: 'controller',
        change: (object) => {
          object.spec.template.spec.containers = containers;
        },
      }),
      'other lists that are required': (list) => ({
        create: 'pod',
        change: ({ spec }) => {
          spec.affinity = {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: list } },
          };
          spec.containers[0].lifecycle = { postStart: { exec: { command: list } } };
          spec.volumes = [
            { name: 'a', rbd: { image: 'x', monitors: list } },
            { name: 'b', cephfs: { monitors: list } },
            { name: 'c', projected: { sources: list } },
          ];
        },
      }),
    }),
    'a pod without a spec': {
      create: 'pod',
      change: (object) => {
        object.spec = undefined;
      },
    },
    'a replication controller whose template has no spec': {
      create: 'controller',
      change: (object) => {
        object.spec.template.spec = undefined;
      },
    },
  },
};
