import type { Container, Probe } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/client';
import type { RuntimeService } from '@coxswain/cri';
import { ContainerProber } from './container-prober.ts';
import type { ProbeResult } from './prober.ts';

export interface Probing {
  readonly probe: Probe;
  readonly container?: Omit<Container, 'name'>;
  readonly clock?: FakeClock;
  readonly signal?: AbortSignal;
  readonly podIP?: string;
  readonly execSync?: RuntimeService['execSync'];
}

const noExec: RuntimeService['execSync'] = () => Promise.reject(new Error('no command expected'));

/** Asks once, at 127.0.0.1 and by a clock that stands still unless another one is given. */
export const probeOnce = ({
  probe,
  container,
  clock = new FakeClock(),
  signal = new AbortController().signal,
  podIP = '127.0.0.1',
  execSync = noExec,
}: Probing): Promise<ProbeResult> =>
  new ContainerProber({ service: { execSync }, clock }).probe({
    kind: 'Readiness',
    probe,
    pod: { metadata: { name: 'p', namespace: 'default', uid: 'u' } },
    container: { name: 'web', ...container },
    containerId: 'c1',
    startedAtMs: 0,
    podIP,
    signal,
  });
