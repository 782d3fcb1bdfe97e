import { newCodecFactory } from '@coxswain/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiServer } from '../../src/server/api-server.ts';
import { inProcessCaller } from './caller.ts';
import { comparedAnswers, differencePlaces, expectedAnswers } from './differences.ts';
import { play } from './player.ts';
import type { Answer, ServerName, Step } from './scenario.ts';
import { loadRecording, loadSuite, suiteNames } from './suites.ts';
import { startTestServer, tokens } from './test-server.ts';

const codecs = newCodecFactory();
const running = new Map<ServerName, ApiServer>();

beforeAll(async () => {
  for (const name of ['plain', 'default', 'strict'] as const) running.set(name, await startTestServer(name));
});
afterAll(async () => {
  await Promise.all([...running.values()].map((server) => server.stop()));
});

const definitions = '/customresourcedefinitions';
let namespaces = 0;

async function playHere(serverName: ServerName, steps: readonly Step[]): Promise<Answer[]> {
  const server = running.get(serverName)!;
  const call = inProcessCaller(server.transport());
  namespaces += 1;
  const namespace = `req-${namespaces.toString(16).padStart(8, '0')}`;
  const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' };
  const body = Buffer.from(JSON.stringify({ metadata: { name: namespace } }));
  const { signal } = new AbortController();
  await call({ method: 'POST', url: '/api/v1/namespaces', headers, body }, signal);
  const defined: string[] = [];
  // Waits for what the server does after a write, which is little and starts at once.
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
  };
  const answers = await play(steps, {
    call,
    codecs,
    namespace,
    // The cache of this resource is filled on its first request.
    forgotten: 'internal.apiserver.k8s.io/v1alpha1::storageversions',
    forget: async () => {
      const { store } = server.config;
      await store.compact(await store.currentRevision());
    },
    settle,
    created: (path, { metadata }) => {
      if (path.endsWith(definitions)) defined.push(`${path}/${(metadata as { name: string }).name}`);
    },
    token: (user) => (user === 'alice' ? tokens.alice : (user ?? tokens.admin)),
  });
  // Deletes definitions, which other scenarios would see in discovery.
  for (const url of defined) await call({ method: 'DELETE', url, headers }, signal);
  if (defined.length > 0) await settle();
  return answers;
}

const titled = (steps: readonly Step[], answers: readonly Answer[]): [string, Answer | undefined][] =>
  steps.map((step, index) => [`${index + 1} ${'send' in step ? step.send : Object.values(step)[0]}`, answers[index]]);

for (const name of suiteNames()) {
  const { scenarios, server = 'plain' } = await loadSuite(name);
  const recording = loadRecording(name);
  describe(`${name}: the same responses as from the real server`, () => {
    for (const [sentence, steps] of Object.entries(scenarios)) {
      it(sentence, async () => {
        const wanted = titled(steps, expectedAnswers(`${name}: ${sentence}`, recording[sentence] ?? []));
        const answered = titled(steps, comparedAnswers(`${name}: ${sentence}`, await playHere(server, steps)));
        for (const [index, one] of answered.entries()) expect.soft(one).toEqual(wanted[index]);
      });
    }
  });
}

it('all differences are at recorded steps', () => {
  const places = differencePlaces().flatMap(([at, steps]) => steps.map((step) => [at, step] as const));
  const lost = places.filter(([at, step]) => {
    const [name = '', sentence = ''] = at.split(/: (.*)/);
    return loadRecording(name)[sentence]?.[step - 1] === undefined;
  });
  expect(lost).toEqual([]);
});
