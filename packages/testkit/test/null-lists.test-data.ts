import { Catalogue } from '@coxswain/api';
import { GroupVersionKind } from '@coxswain/apimachinery';
import type { ResponseBody, Transport, TransportResponse } from '@coxswain/client';
import { withNullLists } from '../../apimachinery/src/schema/null-lists.test-data.ts';

/** The same of an object of any built-in kind, or of a list of such; all else stays as it is. */
export function objectWithNullLists(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return value;
  const schema = Catalogue.builtIn().kind(GroupVersionKind.fromApiVersionAndKind(apiVersion, kind))?.schema;
  if (!schema) return value;
  const changed = withNullLists(schema, value);
  // The client makes sure that a list has items.
  return isObject(changed) && Array.isArray(value.items) ? { ...changed, items: changed.items } : changed;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Every JSON answer of a server, and every event of its watches, with null for lists that are not there. */
export function answeringNullLists(transport: Transport): Transport {
  return {
    async send(request) {
      const response = await transport.send(request);
      return isJson(response)
        ? { ...response, headers: withoutLength(response), body: new NulledBody(response.body) }
        : response;
    },
    openWebSocket: (request) => transport.openWebSocket(request),
    close: () => transport.close(),
  };
}

const isJson = ({ status, headers }: TransportResponse): boolean =>
  status < 300 && String(headers['content-type']).startsWith('application/json');

function withoutLength({ headers }: TransportResponse): TransportResponse['headers'] {
  const { 'content-length': _, ...rest } = headers;
  return rest;
}

class NulledBody implements ResponseBody {
  readonly #inner: ResponseBody;

  constructor(inner: ResponseBody) {
    this.#inner = inner;
  }

  async bytes(): Promise<Uint8Array> {
    return nulledLine(decoder.decode(await this.#inner.bytes()));
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    let rest = '';
    for await (const chunk of this.#inner.chunks()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield nulledLine(line);
    }
    if (rest) yield nulledLine(rest);
  }

  cancel(): void {
    this.#inner.cancel();
  }
}

/** An object, or an event of one. */
function nulledLine(line: string): Uint8Array {
  const value: unknown = JSON.parse(line);
  const changed =
    isObject(value) && 'object' in value && 'type' in value
      ? { ...value, object: objectWithNullLists(value.object) }
      : objectWithNullLists(value);
  return encoder.encode(`${JSON.stringify(changed)}\n`);
}
