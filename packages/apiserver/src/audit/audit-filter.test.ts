import { Duplex } from 'node:stream';
import { newCodecFactory, newScheme } from '@coxswain/api';
import { newConflict } from '@coxswain/apimachinery';
import { systemClock } from '@coxswain/apimachinery/clock';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { recordLogs, silentLogger } from '@coxswain/apimachinery/log';
import type { ApiRequest, ApiResponse } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import type { StateHandler } from '../filters/index.ts';
import { RequestState } from '../filters/request-state.ts';
import { inProcessTransport } from '../http/in-process.ts';
import { AuditLog, type AuditLogMode } from './audit-log.ts';
import { AuditPolicy } from './audit-policy.ts';
import { parseAuditPolicy } from './parse-audit-policy.ts';
import { withAudit, withFailedAuthenticationAudit } from './with-audit.ts';

const policy = new AuditPolicy(
  parseAuditPolicy(
    '{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: RequestResponse}]}',
    recordLogs({ onLine: (line) => expect.unreachable(line) }).logger,
  ),
);
const formats = { codecs: newCodecFactory(), scheme: newScheme() };

/** Sends a request through the filter, and returns its audit events, its response and its error. */
async function audited(
  request: { method?: string; url: string; signal?: AbortSignal },
  answer: StateHandler,
  { mode = 'blocking', broken = false, failedAuthentication = false } = {},
) {
  const events: Record<string, unknown>[] = [];
  const output = {
    append: async (text: string) => {
      if (broken) throw new Error('no room');
      events.push(
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      );
    },
    close: async () => {},
  };
  const log = new AuditLog({
    clock: systemClock,
    output,
    mode: mode as AuditLogMode,
    format: 'json',
    bufferSize: 10,
    batchMaxSize: 1,
    batchMaxWaitMs: 0,
    logger: silentLogger,
  });
  const options = { policy, log, ...formats, now: () => new Date(0) };
  const filter = failedAuthentication ? withFailedAuthenticationAudit(options) : withAudit(options);
  let result: ApiResponse | undefined;
  let error: unknown;
  const handler = async (received: ApiRequest): Promise<ApiResponse> => {
    const state = new RequestState(received, received.path, { uuid: () => 'id', eventLoop: systemEventLoop });
    if (!failedAuthentication) state.user = { username: 'alice' };
    return filter(answer)(state);
  };
  try {
    result = await inProcessTransport(handler)({ method: 'GET', ...request });
  } catch (thrown) {
    error = thrown;
  }
  const settle = async (): Promise<typeof events> => {
    await new Promise((resolve) => setImmediate(resolve));
    return events;
  };
  return { events, result, error, settle };
}

const stages = (events: readonly Record<string, unknown>[]): unknown[] => events.map(({ stage }) => stage);
const pods = '/api/v1/namespaces/default/pods';

describe('the audit filter', () => {
  it('records an unexpected error as a panic', async () => {
    const failure = new TypeError('x is not a function');
    const { events, error } = await audited({ url: pods }, () => Promise.reject(failure));
    expect(error).toBe(failure);
    expect(stages(events)).toEqual(['RequestReceived', 'Panic']);
    expect(events[1]?.responseStatus).toEqual({
      metadata: {},
      status: 'Failure',
      reason: 'InternalError',
      message: "APIServer panic'd: x is not a function",
      code: 500,
    });
  });

  it('records an API error as the client receives it', async () => {
    const conflict = newConflict({ group: '', resource: 'pods' } as never, 'a', new Error('changed'));
    const { events, error } = await audited({ url: `${pods}/a` }, () => Promise.reject(conflict));
    expect(error).toBe(conflict);
    expect(events[1]).toMatchObject({ stage: 'ResponseComplete', responseStatus: { code: 409, reason: 'Conflict' } });
  });

  it('fails a request in strict mode when its event cannot be written', async () => {
    const answer = (): never => expect.unreachable();
    const { error } = await audited({ url: pods }, answer, { mode: 'blocking-strict', broken: true });
    expect(error).toMatchObject({ code: 500, message: expect.stringContaining('failed to store audit event') });
  });

  it('serves the request in the other modes when its event cannot be written', async () => {
    const answer = async (): Promise<ApiResponse> => ({ status: 200, headers: {} });
    expect((await audited({ url: pods }, answer, { broken: true })).result).toMatchObject({ status: 200 });
  });

  it('records the impersonated user and the permission it was allowed by', async () => {
    const { events } = await audited({ url: pods }, async (state) => {
      state.impersonator = state.user;
      state.user = { username: 'bob' };
      state.impersonationConstraint = 'impersonate:user-info';
      return { status: 200, headers: {} };
    });
    expect(events[1]).toMatchObject({
      user: { username: 'alice' },
      impersonatedUser: { username: 'bob' },
      authenticationMetadata: { impersonationConstraint: 'impersonate:user-info' },
    });
    expect(events[0]).not.toHaveProperty('impersonatedUser');
  });

  it('records the completion of an upgraded connection when its socket closes', async () => {
    const { events, result, settle } = await audited({ url: `${pods}/a/exec` }, async () => ({
      status: 101,
      headers: {},
      body: { upgrade: (socket) => void socket.resume() },
    }));
    expect(stages(events)).toEqual(['RequestReceived', 'ResponseStarted']);
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    if (result?.body && 'upgrade' in result.body) result.body.upgrade(socket, new Uint8Array(0));
    socket.destroy();
    expect(stages(await settle())).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
    expect(events[2]).toMatchObject({ responseStatus: { code: 101 } });
  });

  it('records the completion of a HEAD request without reading the body', async () => {
    const answer: StateHandler = async () => ({
      status: 200,
      headers: {},
      body: { stream: () => expect.unreachable() },
    });
    expect(stages((await audited({ method: 'HEAD', url: pods }, answer)).events)).toEqual([
      'RequestReceived',
      'ResponseComplete',
    ]);
  });

  it('records the completion when the client disconnects before the body is sent', async () => {
    const gone = new AbortController();
    const answer: StateHandler = async () => ({ status: 200, headers: {}, body: { stream: () => {} } });
    const { events, settle } = await audited({ url: pods, signal: gone.signal }, answer);
    expect(stages(events)).toEqual(['RequestReceived']);
    gone.abort();
    expect(stages(await settle())).toEqual(['RequestReceived', 'ResponseComplete']);
  });

  it('records a request before authentication only when it fails with Unauthorized', async () => {
    const answer: StateHandler = async () => ({ status: 200, headers: {} });
    expect((await audited({ url: pods }, answer, { failedAuthentication: true })).events).toEqual([]);
  });
});
