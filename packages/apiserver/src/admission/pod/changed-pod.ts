import type { Node, Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import type { AdmissionContext } from '../plugin-context.ts';

/** The node name of a pod whose spec was changed by an update; undefined for other updates. */
export function nodeOfChangedPod({ object, oldObject }: AdmissionAttributes): string | undefined {
  const { metadata, spec } = object as Pod;
  return metadata.generation === oldObject?.metadata?.generation ? undefined : spec?.nodeName || undefined;
}

/** Returns the node from the cache. Throws Forbidden when it does not exist. */
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
