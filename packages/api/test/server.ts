import { request } from 'node:https';
import { GroupVersion } from '@coxswain/apimachinery';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import type { JsonObject } from './case.ts';

/* A client of a real kube-apiserver, for the programs that record its responses. */

const server = process.env.KUBE_APISERVER ?? 'https://127.0.0.1:6443';
const token = process.env.KUBE_TOKEN ?? '';

export interface Response {
  readonly code: number;
  readonly body: JsonObject;
  readonly warnings: string[];
}

export interface RawResponse {
  readonly code: number;
  readonly body: Buffer;
  readonly warnings: string[];
}

export function sendRaw(
  method: string,
  path: string,
  body?: unknown,
  accept = 'application/json',
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const call = request(new URL(path, server), { method, headers, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const header = response.headers.warning;
        const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
        const warnings = [...text.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)]
          .map(([, warning]) => warning!.replace(/\\(.)/g, '$1'))
          // The server adds this warning for a deprecated version, independent of the object.
          .filter((warning) => !/ is deprecated in v[0-9.]+\+/.test(warning ?? ''));
        resolve({ code: response.statusCode!, body: Buffer.concat(chunks), warnings });
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export async function send(method: string, path: string, body?: unknown, accept?: string): Promise<Response> {
  const { code, warnings, body: bytes } = await sendRaw(method, path, body, accept);
  const text = bytes.toString();
  return { code, warnings, body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : { message: text } };
}

/** Returns the URL paths of the object's collection and of the object. */
export function pathOf(object: JsonObject, namespace: string): { collection: string; item: string } {
  const gv = GroupVersion.parse(object.apiVersion as string);
  const resource = Catalogue.builtIn().kind(gv.withKind(object.kind as string))?.resource;
  if (!resource) throw new Error(`no resource serves ${object.kind} of ${object.apiVersion}`);
  const prefix = gv.group ? `/apis/${gv.group}/${gv.version}` : `/api/${gv.version}`;
  const meta = object.metadata as { name?: string; namespace?: string } | undefined;
  const scope = resource.namespaced ? `/namespaces/${meta?.namespace ?? namespace}` : '';
  const collection = `${prefix}${scope}/${resource.name}`;
  return { collection, item: `${collection}/${meta?.name}` };
}
