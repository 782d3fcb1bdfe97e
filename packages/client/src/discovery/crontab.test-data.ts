import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import type { RESTClient } from '../rest/rest-client.ts';

/** A CustomResourceDefinition with the status and scale subresources. */
export const cronTabDefinition = (group: string): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `crontabs.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { replicas: { type: 'integer' }, cronSpec: { type: 'string' } },
              },
              status: {
                type: 'object',
                properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
});

/** Creates the definition and waits until its Established condition is True. */
export async function defineCronTabs(rest: RESTClient, group: string): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const watch = await rest.watch<CustomResourceDefinition>({ method: 'GET', path, query: { watch: true } });
  await rest.request({ method: 'POST', path, body: cronTabDefinition(group) });
  for await (const { type, object } of watch) {
    if (type !== 'ADDED' && type !== 'MODIFIED') continue;
    if (object.spec.group !== group) continue;
    if (object.status?.conditions?.some((it) => it.type === 'Established' && it.status === 'True')) break;
  }
}
