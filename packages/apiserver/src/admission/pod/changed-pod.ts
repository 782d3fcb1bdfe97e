import type { Node, Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import type { AdmissionContext } from '../plugin-context.ts';

/** The name of the node of a pod whose spec an update changes; undefined for other updates. */
export function nodeOfChangedPod({ object, oldObject }: AdmissionAttributes): string | undefined {
  const { metadata, spec } = object as Pod;
  return metadata.generation === oldObject?.metadata?.generation ? undefined : spec?.nodeName || undefined;
}

/** The node as the cache has it. Throws Forbidden when there is none. */
export async function knownNode(
  attributes: AdmissionAttributes,
  { listers }: Pick<AdmissionContext, 'listers'>,
  name: string,
): Promise<Node> {
  const nodes = listers.lister<Node>('', 'nodes');
  await nodes.synced;
  const node = nodes.get('', name);
  if (!node) throw admissionForbidden(attributes, `node ${quote(name)} not found`);
  return node;
}
