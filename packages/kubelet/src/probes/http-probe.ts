import type { HTTPGetAction } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Clock } from '@coxswain/client';
import { HttpGetError, httpGet } from '../actions/http-get.ts';
import { httpGetRequest } from '../actions/http-get-request.ts';
import { ProbeError, type ProbeRequest, type ProbeResult } from './prober.ts';

/** Passes with a status code of 200 to 299; with one of 300 to 399 there is a warning. */
export async function probeHttp(
  clock: Clock,
  action: HTTPGetAction,
  { container, podIP, probe, signal }: ProbeRequest,
): Promise<ProbeResult> {
  const request = httpGetRequest(action, { container, podIP, purpose: 'probe' });
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  try {
    const { statusCode, body } = await httpGet(request, { clock, timeoutMs, signal });
    // The body may be secret, so the event of a failure does not have it.
    if (statusCode < 200 || statusCode >= 400) {
      return { outcome: 'Failure', output: `HTTP probe failed with statuscode: ${statusCode}` };
    }
    if (statusCode < 300) return { outcome: 'Success', output: body };
    return { outcome: 'Warning', output: `Probe terminated redirects, Response body: ${body}` };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof HttpGetError) return { outcome: 'Failure', output: error.message };
    throw new ProbeError(messageOf(error), 'failure', { cause: error });
  }
}
