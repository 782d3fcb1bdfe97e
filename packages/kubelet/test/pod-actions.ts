import type { Container, Pod, PodSpec } from '@coxswain/api/core/v1';
import type { TestNodes } from './test-nodes.ts';

export const image = 'registry.example/web:1';
export const web: Container = { name: 'web', image };

type Script = Readonly<Record<string, string>>;

export const annotationsOf = (script: Script): Record<string, string> =>
  Object.fromEntries(Object.entries(script).map(([name, value]) => [`hollow.coxswain.dev/${name}`, value]));

/** Returns functions with which tests create and delete pods on the nodes and read the nodes' requests. */
export function podActions(nodes: () => TestNodes) {
  return {
    create: (name: string, spec: Partial<PodSpec> = {}, script: Script = {}): Promise<Pod> =>
      nodes().createPod({
        metadata: { name, annotations: annotationsOf(script) },
        spec: { containers: [web], ...spec },
      }),

    async remove(name: string, gracePeriodSeconds?: number): Promise<void> {
      await nodes()
        .clients.core.v1.pods('default')
        .delete(name, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds });
      await nodes().settle();
    },

    /** Returns the nodes' write requests for pods during the work. */
    async writesOf(work: () => Promise<unknown>): Promise<string[]> {
      const before = nodes().spy.requests.length;
      await work();
      return nodes()
        .spy.requests.slice(before)
        .filter((request) => !request.startsWith('GET') && request.includes('/pods/'));
    },
  };
}
