import { newTransport, RESTClient } from '@coxswain/client';
import type { Activity, Churn } from './activity.ts';
import { create, remove } from './calls.ts';

const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

/** A service account with a role and a token, which sends requests and is deleted. */
export const accounts: Activity = {
  name: 'accounts',
  perMinute: 12,
  atOnce: 4,
  async run(churn, turn) {
    const { rest, namespace } = churn;
    const name = `account-${turn}`;
    const base = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    try {
      await create(rest, base, { metadata: { name } });
      await create(rest, bindings, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'ServiceAccount', namespace, name }],
      });
      const { status } = await rest.request<{ status: { token: string } }>({
        method: 'POST',
        path: `${base}/${name}/token`,
        body: { spec: { expirationSeconds: 600 } },
      });
      await use(churn, status.token);
    } finally {
      await remove(rest, `${bindings}/${name}`);
      await remove(rest, `${base}/${name}`);
    }
  },
};

async function use({ config, namespace }: Churn, token: string): Promise<void> {
  const credentials = { current: async () => ({ token }), refused: () => false };
  const own = new RESTClient(newTransport({ ...config, credentials }));
  try {
    await create(own, '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    // The role binding may not be effective yet.
    await own.raw({ method: 'GET', path: `/api/v1/namespaces/${namespace}/pods` }).catch(() => {});
  } finally {
    await own.close();
  }
}
