import type { AnyObject } from './calls.ts';

const podSpec = {
  containers: [{ name: 'main', image: 'example.com/app:1', ports: [{ containerPort: 80, name: 'http' }] }],
};

const podTemplate = (app: string, annotations: AnyObject = {}): AnyObject => ({
  metadata: { labels: { app }, annotations },
  spec: podSpec,
});

export const deployment = (name: string, replicas: number): AnyObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas, revisionHistoryLimit: 2, selector: { matchLabels: { app: name } }, template: podTemplate(name) },
});

export const statefulSet = (name: string): AnyObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name },
  spec: {
    replicas: 1,
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: podTemplate(name),
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      },
    ],
  },
});

export const service = (name: string): AnyObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
});

export const job = (name: string): AnyObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    completions: 2,
    parallelism: 2,
    ttlSecondsAfterFinished: 5,
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'example.com/job:1', command: ['sleep', '2'] }],
      },
    },
  },
});
