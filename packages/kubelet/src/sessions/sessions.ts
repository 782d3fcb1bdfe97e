import { fromStatus, messageOf } from '@coxswain/apimachinery/errors';
import {
  type ApiRequest,
  type ApiResponse,
  isUpgradeRequest,
  jsonErrorResponse,
  readQuery,
  textResponse,
  tunnel,
} from '@coxswain/component-base/http';
import { hasRpcCode } from '@coxswain/grpc';
import type { SessionHost, SessionTarget } from './session-host.ts';
import { openSpdy } from './spdy-transport.ts';
import { readPorts, readStreamOptions, type StreamOptions } from './stream-options.ts';
import { openStreaming } from './streaming-server.ts';
import { attachUrl, containerNotFound, execUrl, portForwardUrl, runningContainer } from './streaming-url.ts';
import { translateStreams } from './translate-streams.ts';
import { proxyUpgrade, refusal } from './upgrade-proxy.ts';
import { acceptWebSocket, offeredProtocols } from './web-socket.ts';

/** The protocol in which clients can end stdin. Runtimes do not know it, so it is translated to SPDY. */
const withStreamClose = 'v5.channel.k8s.io';
/** Begins the names of subprotocols that carry SPDY in a WebSocket. */
const spdyPrefix = 'SPDY/3.1+';

/** Runs a command in a container, with the streams that the client asks for. */
export async function exec(host: SessionHost, request: ApiRequest, target: SessionTarget): Promise<ApiResponse> {
  const command = readQuery(request.search).getAll('command');
  return await openCommand(host, request, 'exec', (streams) => execUrl(host, target, command, streams, request.signal));
}

/** Connects to the streams of a container's first process. */
export async function attach(host: SessionHost, request: ApiRequest, target: SessionTarget): Promise<ApiResponse> {
  return await openCommand(host, request, 'attach', (streams) => attachUrl(host, target, streams, request.signal));
}

/** Connects to ports of a pod. */
export async function portForward(
  host: SessionHost,
  request: ApiRequest,
  { pod }: Pick<SessionTarget, 'pod'>,
): Promise<ApiResponse> {
  const offered = offeredProtocols(request);
  const tunneled = offered?.filter((name) => name.startsWith(spdyPrefix) && name.endsWith('.k8s.io')) ?? [];
  let ports: number[];
  try {
    ports = offered && tunneled.length === 0 ? readPorts(readQuery(request.search)) : [];
  } catch (error) {
    return textResponse(400, messageOf(error));
  }
  return await answered(request, async () => {
    const url = await portForwardUrl(host, pod, ports, request.signal);
    if (tunneled.length === 0) return async () => await proxyUpgrade(request, url);
    host.onWebSocket?.('portforward');
    return async () => await tunnelSpdy(request, url, tunneled);
  });
}

/** Runs a command and returns what it has printed. Only for debugging: clients use `exec`. */
export async function run(host: SessionHost, request: ApiRequest, target: SessionTarget): Promise<ApiResponse> {
  const cmd = (readQuery(request.search).get('cmd') ?? '').split(' ');
  const { runtime } = host;
  try {
    const containerId = await runningContainer(runtime, target, request.signal);
    if (containerId === undefined) throw containerNotFound(target);
    const { stdout, stderr, exitCode } = await runtime.service.execSync(
      { containerId, cmd },
      { signal: request.signal },
    );
    if (exitCode !== 0) {
      const text = Buffer.from(stderr).toString();
      throw new Error(`command '${cmd.join(' ')}' exited with ${exitCode}: ${text}`);
    }
    const body = Buffer.concat([stdout, stderr]);
    return body.length === 0
      ? { status: 200, headers: {} }
      : { status: 200, headers: { 'content-type': 'application/json' }, body };
  } catch (error) {
    return textResponse(500, messageOf(error));
  }
}

async function openCommand(
  host: SessionHost,
  request: ApiRequest,
  subresource: string,
  urlOf: (streams: StreamOptions) => Promise<URL>,
): Promise<ApiResponse> {
  let streams: StreamOptions;
  try {
    streams = readStreamOptions(readQuery(request.search));
  } catch (error) {
    return textResponse(400, messageOf(error));
  }
  return await answered(request, async () => {
    const url = await urlOf(streams);
    if (!offeredProtocols(request)?.includes(withStreamClose)) return async () => await proxyUpgrade(request, url);
    host.onWebSocket?.(subresource);
    return async () =>
      acceptWebSocket(request, { protocol: withStreamClose, reads: 'messages' }, (client) => {
        void translateStreams(client, streams, (signal) => openSpdy(url, host.clock, signal));
      });
  });
}

/** Carries the runtime's SPDY in the messages of a WebSocket. */
async function tunnelSpdy(request: ApiRequest, url: URL, offered: readonly string[]): Promise<ApiResponse> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': offered.map((name) => name.slice(spdyPrefix.length)),
  };
  const answer = await openStreaming(url, { method: 'POST', headers, signal: request.signal });
  const { connection } = answer;
  if (!connection) return refusal(answer);
  const chosen = [answer.headers['x-stream-protocol-version'] ?? ''].flat()[0] ?? '';
  const protocol = chosen === '' ? '' : `${spdyPrefix}${chosen}`;
  return acceptWebSocket(request, { protocol, reads: 'bytes' }, (client) =>
    tunnel(client, new Uint8Array(), connection),
  );
}

/** Answers with the runtime's refusal, or what `open` returns once the client has asked for an upgrade. */
async function answered(request: ApiRequest, prepare: () => Promise<() => Promise<ApiResponse>>): Promise<ApiResponse> {
  let open: () => Promise<ApiResponse>;
  try {
    open = await prepare();
  } catch (error) {
    return runtimeRefusal(error, request);
  }
  if (!isUpgradeRequest(request)) return textResponse(500, 'Upgrade request required\n');
  try {
    return await open();
  } catch (error) {
    return textResponse(500, `${messageOf(error)}\n`);
  }
}

/** Seconds after which a runtime with too many sessions under way may be asked again; upstream's. */
const retryAfter = '60';

function runtimeRefusal(error: unknown, request: ApiRequest): ApiResponse {
  const message = messageOf(error);
  if (hasRpcCode(error, 'Unimplemented')) return notImplemented(error.details, request);
  if (hasRpcCode(error, 'NotFound')) return textResponse(404, message);
  if (!hasRpcCode(error, 'ResourceExhausted')) return textResponse(500, message);
  const answer = textResponse(429, message);
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

/**
 * Differs from upstream, which answers in plain text. kubectl before v1.36 tries to read an answer as a Status in YAML: a text with a colon
 * becomes an empty one, and it prints `Error from server:` and nothing after it.
 */
const notImplemented = (message: string, request: ApiRequest): ApiResponse =>
  jsonErrorResponse(
    fromStatus({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 501 }),
    request,
  );
