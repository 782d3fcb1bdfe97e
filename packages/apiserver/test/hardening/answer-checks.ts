import { gunzipSync } from 'node:zlib';
import { parseYaml } from '@coxswain/apimachinery';
import type { Answer } from './clients.ts';
import type { HostileRequest } from './hostile-requests.ts';

/** Server errors (5xx) that clients may cause by design, as upstream. */
const byDesign: readonly RegExp[] = [
  // The server waits for a future resource version until it times out.
  /Too large resource version/,
  // The target of a proxied request does not exist.
  /no endpoints available for service|no preferred addresses found|error trying to reach service/,
];

/** Returns the problem of a response to any request, or undefined when there is none. `text` is in Latin-1. */
export function problemOf({ method, url }: HostileRequest, { status, headers, text }: Answer): string | undefined {
  if (status < 200 || status > 599) return `the status is ${status}`;
  // HEAD responses have no body to inspect. The same request with GET is checked.
  if (method === 'HEAD') return undefined;
  if (status >= 500 && !byDesign.some((reason) => reason.test(text))) return `the server failed with ${status}`;
  const [mediaType = ''] = String(headers['content-type'] ?? '').split(';');
  if (/[?&]watch/.test(url) || url.includes('/watch/')) return undefined;
  const isZipped = headers['content-encoding'] === 'gzip';
  const decoded = isZipped ? gunzipSync(Buffer.from(text, 'latin1')).toString('latin1') : text;
  switch (mediaType) {
    case 'application/json':
      return textProblem(decoded, status, JSON.parse);
    case 'application/yaml':
      return textProblem(decoded, status, (yaml) => parseYaml(yaml).value);
    case 'application/vnd.kubernetes.protobuf':
      return decoded.startsWith('k8s\0') ? undefined : 'it is no protobuf';
    case '':
      return text === '' ? undefined : 'it has no content type';
    default:
      return undefined;
  }
}

function textProblem(latin1: string, status: number, parse: (text: string) => unknown): string | undefined {
  try {
    const value = parse(Buffer.from(latin1, 'latin1').toString());
    return status >= 400 ? statusProblem(value, status) : undefined;
  } catch (error) {
    return `it cannot be read (${String(error)})`;
  }
}

function statusProblem(value: unknown, code: number): string | undefined {
  const { kind, apiVersion, status, code: said, message } = Object(value) as Record<string, unknown>;
  if (kind !== 'Status' || apiVersion !== 'v1' || status !== 'Failure') return 'the error is no Status';
  if (said !== code) return `the Status says ${String(said)}`;
  return typeof message === 'string' && message !== '' ? undefined : 'the Status says nothing';
}
