import { Catalogue } from '@coxswain/api';
import { GroupVersionKind } from '@coxswain/apimachinery';
import type { ResponseBody, Transport, TransportResponse } from '@coxswain/client';
import { withNullLists } from '../../apimachinery/src/schema/null-lists.test-data.ts';

/**
 * Returns an object of a built-in kind, or a list of them, with null for unset lists; returns other values unchanged.
 */
export function objectWithNullLists(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return value;
  const schema = Catalogue.builtIn().kind(GroupVersionKind.fromApiVersionAndKind(apiVersion, kind))?.schema;
  if (!schema) return value;
  const changed = withNullLists(schema, value);
  // `items` stays: the client itself replaces a null there.
  return isObject(changed) && Array.isArray(value.items) ? { ...changed, items: changed.items } : changed;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Wraps a transport so that every JSON response, and every watch event, has null for unset lists. */
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

/** Changes an object, or the object of a watch event. */
function nulledLine(line: string): Uint8Array {
  const value: unknown = JSON.parse(line);
  const changed =
    isObject(value) && 'object' in value && 'type' in value
      ? { ...value, object: objectWithNullLists(value.object) }
      : objectWithNullLists(value);
  return encoder.encode(`${JSON.stringify(changed)}\n`);
}
