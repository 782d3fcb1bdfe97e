import { newTransport, RESTClient } from '@coxswain/client';
import type { Activity } from './activity.ts';
import { create, remove } from './calls.ts';

/** A service account with a right and a token, who makes requests and goes. */
export const accounts: Activity = {
  name: 'accounts',
  perMinute: 12,
  atOnce: 4,
  async run({ rest, config, namespace }, turn) {
    const name = `account-${turn}`;
    const base = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
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
    const { token } = status;
    const own = new RESTClient(
      newTransport({ ...config, credentials: { current: async () => ({ token }), refused: () => false } }),
    );
    try {
      await create(own, '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
      // The right may not be known yet.
      await own.raw({ method: 'GET', path: `/api/v1/namespaces/${namespace}/pods` }).catch(() => {});
    } finally {
      await own.close();
    }
    await remove(rest, `${bindings}/${name}`);
    await remove(rest, `${base}/${name}`);
  },
};
