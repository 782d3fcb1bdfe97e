import { recordLogs } from '@coxswain/apimachinery/log';
import { expect, it } from 'vitest';
import { startCluster } from '../src/index.ts';
import { templated } from './strange-objects.test-data.ts';
import { StrangeServer } from './strange-server.test-data.ts';

/** V8's messages for a null used as a list or an object. */
const mistake = /TypeError|is not iterable|Cannot (?:read properties|convert undefined)/;

/** Returns the stacks of errors that only a bug in a component can cause, including causes and collected errors. */
function mistakesIn(message: string, error: unknown): string[] {
  if (!(error instanceof Error)) return mistake.test(message) ? [message] : [];
  const inner = [error.cause, ...(error instanceof AggregateError ? error.errors : [])];
  if (error instanceof TypeError) return [`${message}: ${error.stack}`];
  const within = inner.filter((each) => each !== undefined).flatMap((each) => mistakesIn(message, each));
  return within.length > 0 || !mistake.test(error.message) ? within : [`${message}: ${error.stack}`];
}

/** One group at a time: controllers of different kinds would compete for the same pods. */
const groups: readonly ((kind: string) => boolean)[] = [
  ...templated.map((wanted) => (kind: string) => kind === wanted),
  (kind) => kind === 'Pod',
  (kind) => kind !== 'Pod' && !templated.includes(kind),
];

it('controllers, scheduler and kubelet accept null for any list or map of any kind', async () => {
  const mistakes: string[] = [];
  const { logger } = recordLogs({
    onLine: (_, { severity, message, error, fields }) => {
      if (severity !== 'info') mistakes.push(...mistakesIn(message, error ?? fields.err));
    },
  });
  // A fixed seed gives the same objects every time; PROPERTY_SEED selects others.
  const strange = new StrangeServer(Number(process.env.PROPERTY_SEED ?? 36));
  await using cluster = await startCluster({
    clock: 'frozen',
    now: '2030-01-01T00:00:30Z',
    logger,
    intercept: (transport, caller) => (caller === 'users' ? transport : strange.wrap(transport)),
  });
  for (const group of groups) {
    strange.enter(group);
    await cluster.settle();
    strange.change();
    await cluster.settle();
    strange.leave();
    await cluster.settle();
  }
  expect(mistakes).toEqual([]);
  expect(strange.written).toEqual([]);
  // Half of the built-in kinds are only used by the API server.
  expect(strange.told.size).toBeGreaterThan(50);

  const labels = { app: 'later' };
  await cluster.apply([
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'later', namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'later', namespace: 'default' },
      spec: { selector: labels, ports: [{ port: 80 }] },
    },
  ]);
  await cluster.untilPodsRunning('app=later');
  await cluster.advance('10s');
  const { core, discovery } = cluster.clients;
  expect((await core.v1.pods('default').list({ labelSelector: 'app=later' })).items).toHaveLength(2);
  const slices = await discovery.v1
    .endpointSlices('default')
    .list({ labelSelector: 'kubernetes.io/service-name=later' });
  expect(slices.items[0]?.endpoints).toHaveLength(2);
});
