import type { Activity } from './activity.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** The requests of kubectl before each command, and other common reads. */
export const discovery: Activity = {
  name: 'discovery',
  perMinute: 6,
  atOnce: 2,
  async run({ rest }, turn) {
    const paths = [
      '/api',
      '/apis',
      '/openapi/v3',
      '/openapi/v3/apis/apps/v1',
      '/version',
      '/',
      '/metrics',
      '/apis/apps/v1',
    ];
    for (const path of paths)
      await rest.raw({ method: 'GET', path, headers: { accept: turn % 2 === 0 ? aggregated : 'application/json' } });
    // Large, and rarely requested.
    if (turn % 10 === 0) await rest.raw({ method: 'GET', path: '/openapi/v2' });
    await rest.raw({ method: 'GET', path: '/api/v1/pods', query: { limit: 50 }, headers: { accept: tables } });
  },
};

const tables = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
