import { recordLogs } from '@coxswain/apimachinery/log';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { textResponse } from '@coxswain/component-base/http';
import { expect, it } from 'vitest';
import { RequestState } from './request-state.ts';
import { withRequestLog } from './with-request-log.ts';

const state = (): RequestState =>
  new RequestState(
    {
      method: 'GET',
      path: '/api/v1/pods',
      search: 'limit=5',
      headers: { 'user-agent': 'kubectl' },
      connection: { remoteAddress: '192.0.2.1', protocol: 'HTTP/2.0', clientCertificates: [] },
      signal: new AbortController().signal,
      readBody: async () => new Uint8Array(),
      async *streamBody() {},
    },
    '/api/v1/pods',
    { uuid: () => 'audit-1', eventLoop: systemEventLoop },
  );

async function linesOf(verbosity: number) {
  const { logger, lines } = recordLogs({ verbosity });
  let nowMs = 0;
  const filter = withRequestLog(logger, () => nowMs);
  await filter(async () => {
    nowMs += 7;
    return textResponse(200, 'ok');
  })(state());
  return lines;
}

it('logs requests as upstream does', async () => {
  expect(await linesOf(3)).toEqual([
    'info "HTTP" verb="LIST" URI="/api/v1/pods?limit=5" latencyMs=7 userAgent="kubectl" audit-ID="audit-1" srcIP="192.0.2.1" resp=200',
  ]);
});

it('logs none below verbosity 3', async () => expect(await linesOf(2)).toEqual([]));
