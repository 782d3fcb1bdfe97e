import { newTransport, RESTClient } from '@coxswain/client';
import type { Activity, Churn } from './activity.ts';

const resources = [
  '/api/v1/pods',
  '/api/v1/events',
  '/apis/apps/v1/replicasets',
  '/api/v1/configmaps',
  '/apis/batch/v1/jobs',
];
const watchMs = 8000;

/** Watches that are stopped regularly, that are not read, and whose connection is lost. */
export const watches: Activity = {
  name: 'watches',
  perMinute: 20,
  atOnce: 8,
  async run(churn, turn) {
    const path = resources[turn % resources.length] ?? '';
    const query = { watch: true, allowWatchBookmarks: true, timeoutSeconds: 60 };
    const ways = [read, ignore, lose];
    await ways[turn % ways.length]?.(churn, { path, query });
  },
};

interface Watched {
  readonly path: string;
  readonly query: object;
}

async function read({ rest, signal }: Churn, { path, query }: Watched): Promise<void> {
  const watch = await rest.watch<object>({ method: 'GET', path, query, signal });
  const timer = setTimeout(() => watch.stop(), watchMs);
  for await (const _ of watch);
  clearTimeout(timer);
}

async function ignore({ rest, sleep }: Churn, { path, query }: Watched): Promise<void> {
  const body = await rest.stream({ method: 'GET', path, query });
  await sleep(watchMs);
  body.cancel();
}

async function lose({ config, sleep }: Churn, { path, query }: Watched): Promise<void> {
  const own = new RESTClient(newTransport(config));
  try {
    const body = await own.stream({ method: 'GET', path, query });
    await sleep(watchMs);
    void body;
  } finally {
    await own.close();
  }
}
