import type { CaseSuite } from '../case.ts';

export const suite: CaseSuite = {
  bases: {
    template: {
      object: {
        apiVersion: 'v1',
        kind: 'PodTemplate',
        metadata: { name: 'template' },
        template: {
          metadata: { labels: { app: 'web', tier: 'x' } },
          spec: {
            containers: [
              { name: 'web', image: 'nginx:1' },
              { name: 'b', image: 'y' },
            ],
          },
        },
      },
    },
  },
  cases: {
    'a template gets defaults': { create: 'template' },
    'a template is asked for': {
      create: 'template',
      change: (object) => {
        object.template = undefined;
      },
    },
    'labels, annotations and spec are valid': {
      create: 'template',
      change: ({ template }) => {
        template.metadata = { labels: { 'a b': 'c' }, annotations: { 'd e': 'f' } };
        template.spec.restartPolicy = 'X';
        template.spec.ephemeralContainers = [{ name: 'debug', image: 'x' }];
      },
    },
    'annotations agree with fields': {
      create: 'template',
      change: ({ template }) => {
        template.metadata.annotations = {
          'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
          'container.apparmor.security.beta.kubernetes.io/web': 'unconfined',
        };
        template.spec.securityContext = {
          seccompProfile: { type: 'RuntimeDefault' },
          appArmorProfile: { type: 'RuntimeDefault' },
        };
      },
    },
    'pods of a template may end': {
      create: 'template',
      change: ({ template }) => {
        template.spec.restartPolicy = 'Never';
        template.spec.activeDeadlineSeconds = 5;
      },
    },
    'old labels are warned about': {
      create: 'template',
      change: ({ template }) => {
        template.spec.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
        template.spec.terminationGracePeriodSeconds = -1;
      },
    },
    'a change raises the generation, and is warned about': {
      update: 'template',
      change: ({ template }) => {
        template.spec.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
      },
    },
    'a change of labels does not raise it': {
      update: 'template',
      change: ({ metadata }) => {
        metadata.labels = { a: 'b' };
      },
    },
    'a changed template is valid': {
      update: 'template',
      change: ({ template }) => {
        template.spec.containers = [];
      },
    },
    'a template is printed': { table: 'template' },
  },
};
