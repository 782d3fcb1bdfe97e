import type { CodecFactory } from '@coxswain/apimachinery';
import { cloneJson, parseYaml } from '@coxswain/apimachinery';
import type { Caller, Received } from './caller.ts';
import { EventReader } from './event-reader.ts';
import { Normalizer } from './normalizer.ts';
import { type Answer, type Call, Edited, type JsonObject, type Step } from './scenario.ts';

export interface PlayOptions {
  readonly call: Caller;
  readonly codecs: CodecFactory;
  /** The existing namespace for the requests, with a unique name. */
  readonly namespace: string;
  /** A resource whose early history is not in the server's watch cache. */
  readonly forgotten: string;
  /** Returns the token of the user, or of the administrator. */
  readonly token: (user?: string) => string;
  /** Waits until the server's caches are current. */
  readonly settle?: (what: true | 'policies' | 'discovery') => Promise<void>;
  /** Compacts the history of the server, if that has not happened already. */
  readonly forget?: () => Promise<void>;
  /** Called for every created object. */
  readonly created?: (path: string, object: JsonObject) => void;
}

/** Sends the requests of a scenario in order. Returns the compared part of each response. */
export async function play(steps: readonly Step[], options: PlayOptions): Promise<Answer[]> {
  return new Player(steps, options).play();
}

/** Headers that differ between responses, or that the transport adds. */
const passingHeaders = new Set([
  'date',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'audit-id',
  // The uids of the FlowSchema and the priority level of the request.
  'x-kubernetes-pf-flowschema-uid',
  'x-kubernetes-pf-prioritylevel-uid',
]);

class Player {
  readonly #steps: readonly Step[];
  readonly #options: PlayOptions;
  readonly #normalizer: Normalizer;
  readonly #answers = new Map<string, unknown>();
  readonly #watches = new Map<string, EventReader>();
  readonly #end = new AbortController();

  constructor(steps: readonly Step[], options: PlayOptions) {
    this.#steps = steps;
    this.#options = options;
    this.#normalizer = new Normalizer(JSON.stringify(steps), options.namespace);
  }

  async play(): Promise<Answer[]> {
    const answers: Answer[] = [];
    try {
      for (const step of this.#steps) {
        if ('events' in step) {
          const events = await this.#watches.get(step.events)!.read(step.count);
          const last = events.at(-1) as { object?: unknown } | undefined;
          this.#answers.set(step.events, last?.object);
          answers.push({ events: events.map((event) => this.#normalizer.value(event)) });
        } else if ('forget' in step) {
          await this.#options.forget?.();
          answers.push({});
        } else answers.push(await this.#send(step));
      }
    } catch (cause) {
      throw new Error(`step ${answers.length + 1}: ${JSON.stringify(this.#steps[answers.length])}: ${cause}`, {
        cause,
      });
    } finally {
      this.#end.abort();
    }
    return answers;
  }

  async #send(step: Call): Promise<Answer> {
    const { call, token, settle, created } = this.#options;
    if (step.settle) await settle?.(step.settle);
    const [method = '', ...address] = step.send.split(' ');
    const url = resourcePath(String(this.#filled(address.join(' '))), this.#options.namespace);
    const body = this.#body(step.body);
    const headers = {
      authorization: `Bearer ${token(step.user)}`,
      accept: 'application/json',
      'user-agent': 'requests/1',
      ...(body && { 'content-type': 'application/json' }),
      ...(this.#filled(step.headers ?? {}) as Record<string, string>),
    };
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
    const received = await call({ method, url, headers: sent, ...(body && { body }) }, this.#end.signal);
    if (step.watch && received.status === 200) {
      this.#watches.set(step.as!, new EventReader(received));
      return { status: 200, headers: this.#headers(received) };
    }
    const bytes = await allOf(received.body);
    const { value, layout } = this.#decoded(bytes, String(received.headers['content-type'] ?? ''));
    if (step.as) this.#answers.set(step.as, value);
    if (method === 'POST' && received.status === 201) created?.(url, value as JsonObject);
    return {
      status: received.status,
      headers: this.#headers(received),
      ...(layout && { layout }),
      ...(value !== undefined && { body: this.#normalizer.value(value) }),
    };
  }

  /** Returns the headers that must be the same on every server. */
  #headers({ headers }: Received): Record<string, string | string[]> {
    const kept: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (value === undefined || passingHeaders.has(name)) continue;
      const values = [value].flat().map((text) => this.#normalizer.header(String(text)));
      kept[name] = values.length === 1 ? values[0]! : values;
    }
    return kept;
  }

  #decoded(bytes: Buffer, contentType: string): { value: unknown; layout?: string } {
    if (bytes.length === 0) return { value: undefined };
    if (contentType.includes('protobuf')) {
      const { object } = this.#options.codecs.decode(bytes);
      return { value: cloneJson(object) };
    }
    const text = bytes.toString();
    if (contentType.includes('yaml')) return { value: parseYaml(bytes).value };
    if (!contentType.includes('json')) return { value: text };
    const layout = `${text.trimEnd().includes('\n') ? 'pretty' : 'line'}${text.endsWith('\n') ? '' : ' open'}`;
    return { value: JSON.parse(text), ...(layout !== 'line' && { layout }) };
  }

  #body(body: unknown): Buffer | undefined {
    if (body === undefined) return undefined;
    if (body instanceof Uint8Array) return Buffer.from(body);
    const filled = this.#filled(body);
    return Buffer.from(typeof filled === 'string' ? filled : JSON.stringify(filled));
  }

  /** Replaces placeholders in a value. */
  #filled(value: unknown): unknown {
    if (value instanceof Edited) return this.#edit(value);
    if (Array.isArray(value)) return value.map((item) => this.#filled(item));
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([key, item]) => [this.#filled(key), this.#filled(item)]);
      return Object.fromEntries(entries);
    }
    if (typeof value !== 'string') return value;
    const whole = /^\{\{([^{}]+)\}\}$/.exec(value);
    if (whole) return this.#part(whole[1]!);
    return value.replace(/\{\{([^{}]+)\}\}/g, (_, path: string) => String(this.#part(path)));
  }

  #part(path: string): unknown {
    if (path === 'ns') return this.#options.namespace;
    if (path === 'forgotten') return this.#options.forgotten;
    const [name = '', ...steps] = path.split('.');
    let value: unknown = this.#answers.get(name);
    for (const step of steps) value = (value as JsonObject | undefined)?.[step];
    if (value === undefined) throw new Error(`there is no ${path}`);
    return value;
  }

  #edit({ step, changes }: Edited): unknown {
    const object = structuredClone(this.#answers.get(step)) as JsonObject;
    for (const [path, value] of Object.entries(changes)) {
      const [, dotted, key] = /^([^[]*)(?:\[(.*)\])?$/.exec(path)!;
      const steps = [...dotted!.split('.'), ...(key === undefined ? [] : [key])];
      const last = steps.pop()!;
      let place = object;
      for (const name of steps) {
        place[name] ??= {};
        place = place[name] as JsonObject;
      }
      if (value === undefined) delete place[last];
      else place[last] = this.#filled(structuredClone(value));
    }
    return object;
  }
}

/** Returns the path for an address such as `apps/v1:deployments/x`. */
function resourcePath(address: string, namespace: string): string {
  const found = /^([^/:]+)(?:\/([^/:]+))?(::?)(.*)$/.exec(address);
  if (address.startsWith('/') || !found) return address;
  const [, first, version, colons, rest] = found;
  const prefix = version === undefined ? `/api/${first}` : `/apis/${first}/${version}`;
  return colons === '::' ? `${prefix}/${rest}` : `${prefix}/namespaces/${namespace}/${rest}`;
}

async function allOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
