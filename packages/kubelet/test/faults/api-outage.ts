import { type Transport, TransportError } from '@coxswain/client';
import type { KubeletParts } from '../real-node.ts';

/** Stands between a kubelet and its API server. While it lasts, connections are refused, and those that are open are broken. */
export class ApiOutage implements KubeletParts {
  #end: AbortController | undefined = new AbortController();

  begin(): void {
    this.#end?.abort(new TransportError('read ECONNRESET', { code: 'ECONNRESET' }));
    this.#end = undefined;
  }

  end(): void {
    this.#end ??= new AbortController();
  }

  transport(transport: Transport): Transport {
    return {
      send: async (request) => {
        if (!this.#end)
          throw new TransportError('connect ECONNREFUSED', { code: 'ECONNREFUSED', mayHaveBeenSent: false });
        const signal = AbortSignal.any([this.#end.signal, ...(request.signal ? [request.signal] : [])]);
        return await transport.send({ ...request, signal });
      },
      openWebSocket: (request) => transport.openWebSocket(request),
      close: () => transport.close(),
    };
  }
}
