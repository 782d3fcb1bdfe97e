import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { TransportError } from '@coxswain/client';
import type { SeenRequest, SpyingTransport } from '../spying-transport.ts';

/** What happens to a write of the controllers: it fails, fails with a conflict, or succeeds but the response is lost. */
export type Fault = 'refuse' | 'conflict' | 'lose';

const isWrite = ({ method, url }: SeenRequest): boolean => method !== 'GET' && !/\/events(\/|\?|$)/.test(url);

/** Injects faults between the controllers and the API server. */
export class Faults {
  #next: Fault[] = [];
  #isCutOff = false;
  readonly #held = new Map<string, { readonly gate: Promise<void>; readonly open: () => void }>();
  /** The number of pods created without a response since the last time without faults. */
  lostPods = 0;

  constructor(spy: SpyingTransport) {
    spy.plan = (request) => this.#before(request);
    spy.afterwards = (request) => this.#after(request);
    spy.heldBack = ({ url }) => this.#held.get(resourceOf(url))?.gate;
  }

  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  get areOver(): boolean {
    return this.#next.length === 0 && !this.#isCutOff && this.#held.size === 0;
  }

  /** Applies the fault to the next `count` writes. */
  add(fault: Fault, count: number): void {
    this.#next = Array.from({ length: count }, () => fault);
  }

  /** Makes all requests fail. */
  cutOff(): void {
    this.#isCutOff = true;
  }

  /** Stops delivering watch events of a resource. */
  hold(resource: string): void {
    if (this.#held.has(resource)) return;
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#held.set(resource, { gate, open });
  }

  end(): void {
    this.#next = [];
    this.#isCutOff = false;
    this.letGo();
  }

  /** Delivers all delayed events. */
  letGo(): void {
    for (const [resource, { open }] of [...this.#held]) {
      this.#held.delete(resource);
      open();
    }
  }

  #before(request: SeenRequest): void {
    if (this.#isCutOff) throw new TransportError('cut off', { code: 'ENETUNREACH' });
    if (!isWrite(request)) return;
    const [fault] = this.#next;
    if (fault === undefined || fault === 'lose') return;
    this.#next.shift();
    if (fault === 'conflict' && request.method !== 'POST') {
      throw newConflict(GroupResource.of('', resourceOf(request.url)), 'it', new Error('by chance'));
    }
    throw newInternalError(new Error('by chance'));
  }

  #after(request: SeenRequest): void {
    if (!isWrite(request) || this.#next[0] !== 'lose') return;
    this.#next.shift();
    if (request.method === 'POST' && resourceOf(request.url) === 'pods') this.lostPods++;
    throw new TransportError('the answer is lost', { code: 'ECONNRESET' });
  }
}

/** Returns the resource in a URL, such as `pods` for `/api/v1/namespaces/one/pods?watch=true`. */
function resourceOf(url: string): string {
  const [path = ''] = url.split('?');
  const parts = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  return (parts[0] === 'namespaces' && parts.length > 2 ? parts[2] : parts[0]) ?? '';
}
