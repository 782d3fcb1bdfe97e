import { readFileSync } from 'node:fs';
import { datedBy, FakeClock } from '@coxswain/apimachinery/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type SeenAnswer } from './ask.ts';
import { createObjects } from './cluster-objects.ts';
import { queryGroups } from './queries.ts';
import { startTestCluster, startTestDns, type TestCluster } from './test-dns.ts';
import { startUpstreamServer, type UpstreamServer } from './upstream-server.ts';

const recorded: Readonly<Record<string, Readonly<Record<string, SeenAnswer>>>> = JSON.parse(
  readFileSync(new URL('./recorded/answers.json', import.meta.url), 'utf8'),
);

let cluster: TestCluster;
let upstream: UpstreamServer;
beforeAll(async () => {
  cluster = await startTestCluster();
  await createObjects(cluster.clients);
  upstream = await startUpstreamServer();
});
afterAll(async () => {
  await upstream.close();
  await cluster.stop();
});

describe.each(queryGroups)('with $title', ({ title, corefile, queries }) => {
  it('answers like CoreDNS, and the second time as well', async () => {
    const text = corefile
      .replaceAll('PORT', '53')
      .replaceAll('UPSTREAM', String(upstream.port))
      .replaceAll('CONNECTION', '');
    // The time stands still, so that no TTL counts down.
    const dns = await startTestDns(cluster.rest, text, { clock: datedBy(new FakeClock()) });
    try {
      const answers: Record<string, SeenAnswer> = {};
      for (const query of queries) answers[JSON.stringify(query)] = await ask(dns.port, query);
      expect(answers).toEqual(recorded[title]);
      const again: Record<string, SeenAnswer> = {};
      for (const query of queries) again[JSON.stringify(query)] = await ask(dns.port, query);
      expect(again).toEqual(recorded[title]);
    } finally {
      await dns.stop();
    }
  });
});
