import { readFileSync } from 'node:fs';
import { systemClock } from '@coxswain/apimachinery/clock';
import { silentLogger } from '@coxswain/apimachinery/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { AuditPolicy } from '../../src/audit/audit-policy.ts';
import { parseAuditPolicy } from '../../src/audit/parse-audit-policy.ts';
import { inProcessCaller } from '../requests/caller.ts';
import { startTestServer, type TestServer, tokens } from '../test-server.ts';
import { play, type Stage } from './play.ts';
import type { Outcome } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { WebhookServer } from './webhook-server.ts';

const recorded: Readonly<Record<string, Outcome>> = JSON.parse(
  readFileSync(new URL('../recorded/webhooks.json', import.meta.url), 'utf8'),
);

let webhooks: WebhookServer;
let made: TestServer;
const lines: string[] = [];

beforeAll(async () => {
  webhooks = await new WebhookServer().start();
  const policy = new AuditPolicy(
    parseAuditPolicy(
      '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","omitStages":["RequestReceived"],"rules":[{"level":"RequestResponse"}]}',
      silentLogger,
    ),
  );
  const log = new AuditLog({
    clock: systemClock,
    output: {
      append: async (text) => {
        lines.push(...text.trimEnd().split('\n'));
      },
      close: async () => {},
    },
    format: 'json',
    mode: 'blocking',
    bufferSize: 1000,
    batchMaxSize: 1,
    batchMaxWaitMs: 0,
    logger: silentLogger,
  });
  made = await startTestServer(
    {},
    {
      audit: { policy, log },
      disabledAdmissionPlugins: ['ServiceAccount', 'Priority', 'DefaultTolerationSeconds'],
      runtimeConfig: new Map(),
    },
  );
});

afterAll(async () => {
  await made.server.stop();
  await webhooks.close();
});

async function annotations(auditId: string): Promise<Readonly<Record<string, string>>> {
  const line = lines.findLast((one) => one.includes(auditId));
  const { annotations: found = {} } = (line ? JSON.parse(line) : {}) as { annotations?: Record<string, string> };
  return Object.fromEntries(
    Object.entries(found).filter(([key]) => !/^(authorization\.k8s\.io|pod-security|apiserver\.latency)/.test(key)),
  );
}

type Fields = Record<string, unknown>;

/** Returns the recorded outcome with a changed object in the reviews. */
const withObject =
  (change: (object: Fields) => Fields) =>
  (outcome: Outcome): Outcome => ({
    ...outcome,
    asked: outcome.asked.map((one) => {
      const review = one.review as { request: { object: Fields } };
      return { ...one, review: { ...review, request: { ...review.request, object: change(review.request.object) } } };
    }),
  });

const withoutManagers = ({ metadata, ...object }: Fields): Fields => {
  const { managedFields: _, ...rest } = metadata as Fields;
  return { ...object, metadata: rest };
};

const notFollowed =
  (status: number) =>
  ({ asked }: Outcome): Outcome => {
    const message = `failed calling webhook "v.example.com": failed to call webhook: the server responded with the status code ${status} but did not return more information`;
    const body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `Internal error occurred: ${message}`,
      reason: 'InternalError',
      details: { causes: [{ message }] },
      code: 500,
    };
    const first = asked.filter(({ webhook }) => webhook === 'v');
    const headers = {
      accept: 'application/json, */*',
      'content-type': 'application/json',
      'user-agent': 'kube-apiserver-admission',
    };
    return { answers: [{ status: 500, body }], asked: first.map((one) => ({ ...one, headers })) };
  };

/** The differences of this server from the recorded outcomes. */
const differences: Readonly<Record<string, (recorded: Outcome) => Outcome>> = {
  // Bindings have no managedFields, because they are neither stored nor returned.
  'a binding is made': withObject(withoutManagers),
  'a token is asked for': withObject(({ status: _, ...object }) => object),
  // Differs from upstream: redirects of webhooks are not followed.
  'a redirect': notFollowed(302),
  'a redirect that keeps the method': notFollowed(307),
};

describe('requests to webhooks, and their effects, are the same as in the real server', () => {
  it.each(Object.keys(scenarios).map((sentence, index) => [sentence, index] as const))(
    '%s',
    async (sentence, index) => {
      const stage: Stage = {
        call: inProcessCaller(made.server.transport()),
        token: (user) => (user ? tokens.alice : tokens.admin),
        webhooks,
        namespace: `wh-${String(index).padStart(8, '0')}`,
        settle: async () => {},
        annotations,
      };
      const expected = differences[sentence]?.(recorded[sentence]!) ?? recorded[sentence];
      expect(await play(scenarios[sentence]!, stage)).toEqual(expected);
    },
  );
});
