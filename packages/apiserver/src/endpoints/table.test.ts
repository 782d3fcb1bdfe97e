import { Catalogue } from '@coxswain/api';
import type { Table } from '@coxswain/apimachinery';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer } from '../../test/test-server.ts';
import { servedResources } from '../discovery/index.ts';
import type { ApiServer } from '../server/api-server.ts';

let server: ApiServer;
const runtimeConfig = new Map([['api/all', 'true']]);
beforeAll(async () => {
  server = (await startTestServer({ listen: false }, { runtimeConfig })).server;
});
afterAll(() => server.stop());

async function table(path: string): Promise<Table> {
  const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const transport = server.transport({ username: 'admin', groups: ['system:masters', 'system:authenticated'] });
  const { body } = await transport({ method: 'GET', url: `${path}?limit=1`, headers: { accept } });
  return JSON.parse(Buffer.from(body as Uint8Array).toString());
}

/** Columns without a description upstream, too. */
const undescribed = ['leasecandidates BinaryVersion', 'leasecandidates EmulationVersion', 'runtimeclasses Handler'];

it('every column of a built-in kind has a description', async () => {
  const { features } = server.config;
  const silent = new Set<string>();
  let tables = 0;
  for (const { group, version, resources } of servedResources(Catalogue.builtIn(), runtimeConfig, features)) {
    const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    for (const { name, verbs } of resources.filter((resource) => resource.verbs.split(' ').includes('list'))) {
      const { columnDefinitions } = await table(`${base}/${name}`);
      expect(columnDefinitions?.length, `${name}: ${verbs}`).toBeGreaterThan(0);
      tables++;
      for (const { name: column, description } of columnDefinitions ?? [])
        if (description === '') silent.add(`${name} ${column}`);
    }
  }
  expect(tables).toBeGreaterThan(70);
  expect([...silent].sort()).toEqual(undescribed);
});
