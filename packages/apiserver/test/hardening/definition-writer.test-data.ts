/**
 * A server over a directory that creates and deletes definitions and their objects as fast as it can, until it is killed. It prints
 * acknowledged writes as lines: `defined G`, `stored G` (in its second version), `made G N`, `deleting G` or `gone G`.
 */
import { writeSync } from 'node:fs';
import { openLmdbStore } from '@coxswain/storage';
import { atsUrl, definitionOf, definitionsUrl, TestApi, versionOf } from '../../src/crd/custom-resources.test-data.ts';
import { startTestServer } from '../test-server.ts';

const [path = '', prefix = ''] = process.argv.slice(2);
const tell = (...words: readonly string[]): void => {
  writeSync(1, `${words.join(' ')}\n`);
};

const { server } = await startTestServer({ store: await openLmdbStore({ path }) });
const api = TestApi.of(server);

async function write(writer: number): Promise<void> {
  for (let round = 0; ; round++) {
    const group = `${prefix}-${writer}-${round}.dev`;
    const url = `${definitionsUrl}/ats.${group}`;
    await api.define(definitionOf(group, [versionOf('v1', true, 'a')]));
    tell('defined', group);
    for (let i = 0; i < 5; i++) {
      if (i === 3) {
        const versions = [versionOf('v1', false, 'a'), versionOf('v2', true, 'a', 'b')];
        const [status] = await api.send('PATCH', url, { spec: { versions } }, 'application/merge-patch+json');
        if (status === 200) tell('stored', group);
      }
      const object = { apiVersion: `${group}/v1`, kind: 'At', metadata: { name: `n${i}` }, spec: { a: 'x' } };
      const [status] = await api.send('POST', atsUrl(group, 'v1'), object);
      if (status === 201) tell('made', group, `n${i}`);
    }
    if (round % 2 === 0) continue;
    tell('deleting', group);
    await api.send('DELETE', url);
    await api.until(url, ({ code }) => code === 404);
    tell('gone', group);
  }
}

await Promise.all([0, 1, 2].map(write));
