import { newInternalError } from '@coxswain/apimachinery/errors';
import { expect, it } from 'vitest';
import { TestCluster } from '../../../test/test-cluster.ts';
import type { ControllerDefinition } from '../controller/controller.ts';

const there = { group: 'apps', version: 'v1', resource: 'deployments' };
const missing = { group: 'apps', version: 'v1', resource: 'gadgets' };
const idle = { run: async () => {} };

it('discovery is retried when it fails; only controllers whose needed resources are missing do not start', async () => {
  const started: string[] = [];
  const definition = (name: string, rest: Partial<ControllerDefinition>): ControllerDefinition => ({
    name,
    aliases: [],
    ...rest,
    create: ({ isServed }) => {
      started.push(`${name} ${isServed(there)} ${isServed(missing)}`);
      return idle;
    },
  });
  const cluster = await TestCluster.start({
    controllers: [
      definition('plain', {}),
      definition('can', { needs: [there] }),
      definition('cannot', { needs: [there, missing] }),
      definition('may', { uses: [missing] }),
    ],
  });
  await cluster.settle();
  expect(started).toEqual(['plain true false', 'can true false', 'may true false']);
  expect(cluster.log).toEqual([
    'info "Skipping controller: the server lacks resources" controller="cannot" missing=["apps/v1 gadgets"]',
  ]);

  await cluster.stopControllers();
  started.length = 0;
  let failures = 2;
  cluster.spy.plan = () => {
    if (failures-- > 0) throw newInternalError(new Error('no'));
  };
  cluster.startControllers();
  await cluster.settle();
  expect(started).toEqual([]);
  await cluster.advance(2000, 1000);
  expect(started).toHaveLength(3);
  await cluster.stop();
});
