import type { Pod, Toleration } from '@coxswain/api/core/v1';
import type { AdmissionPlugin } from '../admission.ts';

/** `--default-not-ready-toleration-seconds`, `--default-unreachable-toleration-seconds`. */
export interface TolerationSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

const fiveMinutes: TolerationSeconds = { notReady: 300, unreachable: 300 };

/** Adds default tolerations for nodes that are not ready or unreachable, after which pods are evicted. */
export function defaultTolerationSeconds(seconds: TolerationSeconds = fiveMinutes): AdmissionPlugin {
  const byDefault = [
    { key: 'node.kubernetes.io/not-ready', tolerationSeconds: seconds.notReady },
    { key: 'node.kubernetes.io/unreachable', tolerationSeconds: seconds.unreachable },
  ] as const;
  return {
    name: 'DefaultTolerationSeconds',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods'],
    admit({ object }) {
      const pod = object as Pod;
      if (!pod.spec) return;
      const { tolerations = [] } = pod.spec;
      const tolerates = (key: string): boolean =>
        tolerations.some((own) => (own.key === key || !own.key) && (own.effect === 'NoExecute' || !own.effect));
      const added: Toleration[] = byDefault
        .filter(({ key }) => !tolerates(key))
        .map(({ key, tolerationSeconds }) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }));
      if (added.length > 0) pod.spec = { ...pod.spec, tolerations: [...tolerations, ...added] };
    },
  };
}
