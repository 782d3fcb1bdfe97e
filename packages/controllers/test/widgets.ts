import type { CustomResourceDefinitionSpec } from '@coxswain/api/apiextensions/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { type CustomResourceInterface, customResource } from '@coxswain/client';
import type { TestCluster } from './test-cluster.ts';

/** A custom resource for tests. */
export interface Widget extends KubernetesObject {
  readonly spec?: { readonly size: number };
}

/** Returns the client for the widgets of a namespace. */
export const widgets = (
  { rest }: TestCluster,
  namespace = 'default',
  version = 'v1',
): CustomResourceInterface<Widget> =>
  customResource<Widget>(rest, {
    group: 'example.com',
    version,
    resource: 'widgets',
    kind: 'Widget',
    namespaced: true,
  })(namespace);

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

/** The versions of the definition. `storage` is the stored one. */
export const widgetVersions = (names: readonly string[], storage: string): CustomResourceDefinitionSpec['versions'] =>
  names.map((name) => ({ name, served: true, storage: name === storage, schema }));

/** Creates the definition. Resolves when it is established. */
export async function createWidgetDefinition(cluster: TestCluster, versions = ['v1']): Promise<void> {
  const definitions = cluster.clients.apiextensions.v1.customResourceDefinitions();
  await definitions.create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
      versions: widgetVersions(versions, versions[0]!),
    },
  });
  await cluster.until(async () =>
    (await definitions.get('widgets.example.com')).status?.conditions?.some(
      ({ type, status }) => type === 'Established' && status === 'True',
    ),
  );
}
