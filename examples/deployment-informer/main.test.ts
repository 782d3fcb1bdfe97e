import type { Deployment } from '@coxswain/api/apps/v1';
import { expect, it } from 'vitest';
import { startInProcess } from '../in-process.ts';
import { printDeployments } from './main.ts';

const web: Deployment = {
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

it('prints changes of Deployments', async () => {
  const { clients, stop } = await startInProcess();
  const deployments = clients.apps.v1.deployments('default');
  await deployments.create(web);

  const lines: string[] = [];
  const end = new AbortController();
  let onLine = (): void => {};
  const running = printDeployments(
    clients,
    (line) => {
      lines.push(line);
      onLine();
    },
    end.signal,
  );
  const lineComes = (line: string): Promise<void> =>
    new Promise((resolve) => {
      onLine = () => lines.includes(line) && resolve();
      onLine();
    });
  await lineComes('in sync: 1 with app=web');
  await deployments.patch('web', 'merge', { spec: { replicas: 5 } });
  await lineComes('updated default/web: 2 → 5 replicas');
  await deployments.delete('web', { propagationPolicy: 'Background' });
  await lineComes('deleted default/web');
  end.abort();
  await running;
  await stop();
  expect(lines).toEqual([
    'asked twice, one informer: true',
    'added default/web',
    'in sync: 1 with app=web',
    'updated default/web: 2 → 5 replicas',
    'deleted default/web',
  ]);
});
