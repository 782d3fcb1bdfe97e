import type { GRPCAction } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { formatDuration } from '@coxswain/apimachinery/time';
import { type Clock, sleep } from '@coxswain/client';
import { versionInfo } from '@coxswain/component-base/version';
import { hasRpcCode, RpcError } from '@coxswain/grpc';
import { signed, struct, text } from '@coxswain/grpc/protobuf';
import { DeadlineExceeded, withDeadline } from '../actions/deadline.ts';
import { dial } from '../actions/dial.ts';
import { type GrpcSession, startGrpc } from '../actions/grpc-call.ts';
import { hostPort } from '../actions/host-port.ts';
import type { ProbeRequest, ProbeResult } from './prober.ts';

const path = '/grpc.health.v1.Health/Check';
const userAgent = `kube-probe/${versionInfo.major}.${versionInfo.minor}`;

const HealthCheckRequest = struct<{ readonly service: string }>(() => ({ service: text(1) }));
const HealthCheckResponse = struct<{ readonly status: number }>(() => ({ status: signed(1) }));
const servingStatuses: readonly string[] = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** As Go's client waits between attempts to connect, without its jitter. */
const firstRetryMs = 1000;
const retryFactor = 1.6;

/** Passes if the server's health service says that it is serving. */
export async function probeGrpc(
  clock: Clock,
  { port, service }: GRPCAction,
  { podIP, probe, signal }: ProbeRequest,
): Promise<ProbeResult> {
  const timeoutSeconds = probe.timeoutSeconds ?? 1;
  const timeout = formatDuration(timeoutSeconds * 1e9);
  const address = hostPort(podIP, port);
  let isConnected = false;
  const failure = (output: string): ProbeResult => ({ outcome: 'Failure', output });
  try {
    const limits = { clock, timeoutMs: timeoutSeconds * 1000, signal };
    const status = await withDeadline(limits, async (within) => {
      const { session, close } = await connect({ clock, host: podIP, port, signal: within });
      isConnected = true;
      try {
        const message = HealthCheckRequest.encode({ service: service ?? '' });
        return HealthCheckResponse.decode(await session.call({ path, message, userAgent }, within)).status;
      } finally {
        close();
      }
    });
    const name = servingStatuses[status] ?? String(status);
    if (name !== 'SERVING') return failure(`service unhealthy (responded with ${quote(name)})`);
    return { outcome: 'Success', output: 'service healthy' };
  } catch (error) {
    signal.throwIfAborted();
    if (!isConnected) {
      return failure(
        `timeout: failed to connect service ${quote(address)} within ${timeout}: context deadline exceeded`,
      );
    }
    if (error instanceof DeadlineExceeded || hasRpcCode(error, 'DeadlineExceeded')) {
      return failure(`timeout: health rpc did not complete within ${timeout}`);
    }
    if (hasRpcCode(error, 'Unimplemented')) {
      const reason = `error: this server does not implement the grpc health protocol (grpc.health.v1.Health)`;
      return failure(`${reason}: ${error.details}`);
    }
    if (error instanceof RpcError) return failure(`error: health rpc probe failed: ${error.message}`);
    throw error;
  }
}

interface Target {
  readonly clock: Clock;
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Tries until it succeeds or the signal is aborted. */
async function connect({ clock, host, port, signal }: Target): Promise<{ session: GrpcSession; close(): void }> {
  for (let retryMs = firstRetryMs; ; retryMs *= retryFactor) {
    let close = (): void => {};
    try {
      const socket = await dial(host, port, signal);
      close = () => socket.destroy();
      return { session: await startGrpc(socket, hostPort(host, port), signal), close };
    } catch {
      close();
      signal.throwIfAborted();
    }
    await sleep(clock, retryMs, signal);
  }
}
