import type { Namespace } from '@coxswain/api/core/v1';
import { isAlreadyExists } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import type { AdmissionContext } from '../plugin-context.ts';

/** Creates missing namespaces for objects that are created in them. */
export function namespaceAutoProvision({
  listers,
  client,
}: Pick<AdmissionContext, 'listers' | 'client'>): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    operations: ['CREATE'],
    async admit(attributes) {
      const { kind, namespace, dryRun } = attributes;
      if (dryRun || namespace === '' || (kind.group === '' && kind.kind === 'Namespace')) return;
      const namespaces = listers.lister<Namespace>('', 'namespaces');
      await namespaces.synced;
      if (namespaces.get('', namespace)) return;
      try {
        await client.create<Namespace>('', 'namespaces', {
          kind: 'Namespace',
          apiVersion: 'v1',
          metadata: { name: namespace },
        });
      } catch (error) {
        if (isAlreadyExists(error)) return;
        throw admissionForbidden(attributes, messageOf(error));
      }
    },
  };
}
