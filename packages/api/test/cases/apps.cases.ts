import type { CaseSuite } from '../case.ts';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'nginx' }] },
};

export const suite: CaseSuite = {
  bases: {
    deployment: {
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: { selector: { matchLabels: { app: 'web' } }, template },
      },
    },
  },
  cases: {
    'a deployment gets its defaults': { create: 'deployment' },
    'a negative number of replicas is refused': {
      create: 'deployment',
      change: (d) => {
        d.spec.replicas = -1;
      },
    },
    'the selector is immutable': {
      update: 'deployment',
      change: (d) => {
        d.spec.selector.matchLabels.tier = 'x';
        d.spec.template.metadata.labels.tier = 'x';
      },
    },
    'status cannot be changed through the deployment': {
      update: 'deployment',
      change: (d) => {
        d.status = { replicas: 3 };
      },
    },
    'a deployment is printed': { table: 'deployment' },
  },
};
