import type { Binding, Node, Pod } from '@coxswain/api/core/v1';
import type { AdmissionPlugin } from '../admission.ts';
import type { AdmissionContext } from '../plugin-context.ts';

const copied = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** Copies the zone and region labels of the node to its pods, so that the downward API can expose them. */
export function podTopologyLabels({
  listers,
  features,
}: Pick<AdmissionContext, 'listers' | 'features'>): AdmissionPlugin {
  const topologyOf = async (nodeName: string): Promise<Record<string, string>> => {
    const nodes = listers.lister<Node>('', 'nodes');
    await nodes.synced;
    const labels = nodes.get('', nodeName)?.metadata.labels ?? {};
    return Object.fromEntries(Object.entries(labels).filter(([key]) => copied.includes(key)));
  };
  return {
    name: 'PodTopologyLabels',
    operations: ['CREATE'],
    resources: features.enabled('PodTopologyLabelsAdmission') ? ['pods', 'pods/binding'] : [],
    async admit({ object, subresource }) {
      if (!object) return;
      const nodeName = subresource === '' ? (object as Pod).spec?.nodeName : boundTo(object as Binding);
      if (!nodeName) return;
      const labels = await topologyOf(nodeName);
      if (Object.keys(labels).length === 0) return;
      object.metadata = { ...object.metadata, labels: { ...object.metadata?.labels, ...labels } };
    },
  };
}

const boundTo = ({ target }: Binding): string | undefined => (target.kind === 'Node' ? target.name : undefined);
