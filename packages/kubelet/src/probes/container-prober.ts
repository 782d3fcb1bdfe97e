import type { Clock } from '@coxswain/client';
import type { RuntimeService } from '@coxswain/cri';
import { podText } from '../pods/pod-events.ts';
import { probeExec } from './exec-probe.ts';
import { probeGrpc } from './grpc-probe.ts';
import { probeHttp } from './http-probe.ts';
import type { ProbeRequest, ProbeResult, Prober } from './prober.ts';
import { probeTcp } from './tcp-probe.ts';

export interface ContainerProberOptions {
  readonly service: Pick<RuntimeService, 'execSync'>;
  readonly clock: Clock;
}

/** Asks real containers: runs commands in them, and connects to their pods from the node's network. */
export class ContainerProber implements Prober {
  readonly #options: ContainerProberOptions;

  constructor(options: ContainerProberOptions) {
    this.#options = options;
  }

  async probe(request: ProbeRequest): Promise<ProbeResult> {
    const { service, clock } = this.#options;
    const { exec, httpGet, tcpSocket, grpc } = request.probe;
    request.signal.throwIfAborted();
    if (exec) return await probeExec(service, exec, request);
    if (httpGet) return await probeHttp(clock, httpGet, request);
    if (tcpSocket) return await probeTcp(clock, tcpSocket, request);
    if (grpc) return await probeGrpc(clock, grpc, request);
    throw new Error(`missing probe handler for ${podText(request.pod)}:${request.container.name}`);
  }
}
