import type { AdmissionPlugin } from '../admission.ts';
import { existingNamespace } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';

/** Rejects all writes in namespaces that do not exist. */
export function namespaceExists(context: Pick<AdmissionContext, 'listers' | 'client'>): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    async validate({ kind, namespace }) {
      if (namespace === '' || (kind.group === '' && kind.kind === 'Namespace')) return;
      await existingNamespace(context, namespace);
    },
  };
}
