import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApiServer, startApiServer } from '../../src/options/start-api-server.ts';
import { inProcessCaller } from '../requests/caller.ts';
import { requestCases, reviewCases, tokenCases } from './cases.ts';
import { type Call, type Played, play, prepare } from './play.ts';
import { writeFiles } from './setup.ts';
import { TestIssuer } from './test-issuer.ts';

let directory: string;
let issuer: TestIssuer;
let server: RunningApiServer;
let played: Played;
let recorded: Played;
const logged: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'access-'));
  issuer = await new TestIssuer().start();
  prepare(issuer);
  const files = await writeFiles(directory, issuer);
  const { logger } = recordLogs({ onLine: (line) => logged.push(line.replaceAll('\\"', '"')) });
  server = await startApiServer(
    {
      memory: true,
      tokenAuthFile: files.tokens,
      authenticationConfig: files.authenticationConfig,
      authenticationTokenWebhookConfigFile: files.tokenWebhook,
      authorizationConfig: files.authorizationConfig,
      apiAudiences: ['kube'],
    },
    { logger },
  );
  const caller = inProcessCaller(server.transport());
  const call: Call = async (method, url, token, body) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const sent = { method, url, headers, ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }) };
    const received = await caller(sent, AbortSignal.timeout(60_000));
    const chunks: Uint8Array[] = [];
    for await (const chunk of received.body) chunks.push(chunk);
    return { status: received.status, text: Buffer.concat(chunks).toString() };
  };
  recorded = JSON.parse(await readFile(new URL('../recorded/access.json', import.meta.url), 'utf8')) as Played;
  played = await play(call, issuer);
}, 60_000);

afterAll(async () => {
  await server.stop();
  await issuer.close();
  await rm(directory, { recursive: true });
});

/** Upstream does not accept a list of strings returned by a CEL function. Ours does. */
const differing = 'roles to be split';

describe('a TokenReview has the same result as upstream', () => {
  const same = Object.keys(tokenCases).filter((name) => name !== differing);
  it.each(same)('%s', (name) => expect(played.tokens[name]).toEqual(recorded.tokens[name]));

  it('except for groups returned by a CEL function', () => {
    const user = { username: 'x', groups: ['a', 'b', 'system:authenticated'] };
    expect(played.tokens[differing]).toEqual({ authenticated: true, user, audiences: ['kube'] });
  });
});

describe('a SubjectAccessReview has the same result as upstream', () => {
  it.each(Object.keys(reviewCases))('%s', (name) => expect(played.reviews[name]).toEqual(recorded.reviews[name]));
});

describe('a request has the same authorization result as upstream', () => {
  it.each(Object.keys(requestCases))('%s', (name) => expect(played.requests[name]).toEqual(recorded.requests[name]));
});

it('logs no tokens', () => {
  expect(logged.length).toBeGreaterThan(0);
  expect(logged.filter((line) => /eyJ|open sesame|Bearer/.test(line))).toEqual([]);
});
