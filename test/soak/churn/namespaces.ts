import type { Activity } from './activity.ts';
import { create, get, remove, until, untilGone } from './calls.ts';
import { deployment, job, service, statefulSet } from './workloads.ts';

/** A namespace with workloads, configuration and roles, which is deleted with its contents. */
export const namespaces: Activity = {
  name: 'namespaces',
  perMinute: 4,
  atOnce: 6,
  async run(churn, turn) {
    const { rest, sleep } = churn;
    const name = `soak-${turn}`;
    const within = (path: string): string => path.replace('*', `namespaces/${name}`);
    await create(rest, '/api/v1/namespaces', { metadata: { name, labels: { turn: `${turn}` } } });
    try {
      for (const [path, object] of objects) await create(rest, within(path), object);
      await until(churn, `the deployment of ${name}`, async () => {
        const path = within('/apis/apps/v1/*/deployments/web');
        const { status } = await get<{ status?: { availableReplicas?: number } }>(rest, path);
        return status?.availableReplicas === 2;
      });
      await sleep(5000);
    } finally {
      await remove(rest, `/api/v1/namespaces/${name}`);
    }
    await untilGone(churn, `/api/v1/namespaces/${name}`);
  },
};

const objects: readonly (readonly [path: string, object: Readonly<Record<string, unknown>>])[] = [
  [
    '/api/v1/*/resourcequotas',
    { metadata: { name: 'quota' }, spec: { hard: { pods: '20', 'count/configmaps': '20' } } },
  ],
  [
    '/api/v1/*/limitranges',
    {
      metadata: { name: 'limits' },
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '1m', memory: '1Mi' } }] },
    },
  ],
  ['/api/v1/*/configmaps', { metadata: { name: 'settings' }, data: { text: 'x'.repeat(2000) } }],
  ['/api/v1/*/secrets', { metadata: { name: 'secret' }, stringData: { password: 'not one' } }],
  ['/api/v1/*/serviceaccounts', { metadata: { name: 'app' } }],
  [
    '/apis/rbac.authorization.k8s.io/v1/*/roles',
    { metadata: { name: 'app' }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }] },
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/*/rolebindings',
    {
      metadata: { name: 'app' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'app' },
      subjects: [{ kind: 'ServiceAccount', name: 'app' }],
    },
  ],
  ['/apis/apps/v1/*/deployments', deployment('web', 2)],
  ['/apis/apps/v1/*/statefulsets', statefulSet('db')],
  ['/api/v1/*/services', service('web')],
  ['/api/v1/*/services', service('db')],
  ['/apis/batch/v1/*/jobs', job('once')],
  [
    '/apis/policy/v1/*/poddisruptionbudgets',
    { metadata: { name: 'web' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } } },
  ],
  [
    '/apis/autoscaling/v2/*/horizontalpodautoscalers',
    {
      metadata: { name: 'web' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    },
  ],
  ['/apis/networking.k8s.io/v1/*/networkpolicies', { metadata: { name: 'all' }, spec: { podSelector: {} } }],
];
