import { messageOf } from '@coxswain/apimachinery/errors';
import type { Dialer } from './dialer.ts';

const timeoutMs = 20_000;

/**
 * Requests `/healthz` of a component on this machine. Resolves to undefined when it is healthy, otherwise to upstream's message. The
 * server's certificate is not verified.
 */
export async function probeHealth(dialer: Dialer, port: number): Promise<string | undefined> {
  const host = '127.0.0.1';
  const path = '/healthz';
  try {
    const { status, body } = await dialer.dial(
      { scheme: 'https', host, port: String(port), trust: 'none' },
      { method: 'GET', path, headers: {}, signal: AbortSignal.timeout(timeoutMs) },
    );
    body.destroy();
    return status >= 200 && status < 400 ? undefined : `HTTP probe failed with statuscode: ${status}`;
  } catch (error) {
    return `Get "https://${host}:${port}${path}": ${messageOf(error)}`;
  }
}
