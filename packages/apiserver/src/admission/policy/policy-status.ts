import type { ValidatingAdmissionPolicy } from '@coxswain/api/admissionregistration/v1';
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import {
  GroupResource,
  type GroupVersionKind,
  type GroupVersionResource,
  newGenericServerResponse,
  stringifyJson,
} from '@coxswain/apimachinery';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Logger } from '@coxswain/apimachinery/log';
import type { InProcessTransport } from '../../http/in-process.ts';
import type { Listers } from '../../registry/lister.ts';
import { PolicyStatusController } from './status-controller.ts';

const group = 'admissionregistration.k8s.io';
const resource = 'validatingadmissionpolicies';
/** As in upstream's managedFields. */
const manager = 'validatingadmissionpolicy-status';

interface PolicyStatusOptions {
  readonly listers: Listers;
  /** With permission to write the status of policies. */
  readonly transport: InProcessTransport;
  /** Returns the kind of a served resource. */
  readonly kindFor: (resource: GroupVersionResource) => GroupVersionKind | undefined;
  readonly eventLoop: EventLoop;
  readonly logger: Logger;
}

/**
 * Creates the controller for the status of policies, which checks types against the resources that this server serves.
 */
export function policyStatusController({
  listers,
  transport,
  kindFor,
  eventLoop,
  logger,
}: PolicyStatusOptions): PolicyStatusController {
  return new PolicyStatusController({
    policies: listers.lister<ValidatingAdmissionPolicy>(group, resource),
    logger,
    check: async (policy) => {
      const definitions = listers.lister<CustomResourceDefinition>('apiextensions.k8s.io', 'customresourcedefinitions');
      await definitions.synced;
      const [{ checkTypes }, { servedType }] = await Promise.all([
        import('./type-checker.ts'),
        import('./served-types.ts'),
      ]);
      return checkTypes(policy, {
        kindsFor: (one) => [kindFor(one) ?? []].flat(),
        typeOf: (kind) => servedType(kind, definitions.list()),
        eventLoop,
      });
    },
    apply: async (name, status) => {
      const body = { apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicy', metadata: { name }, status };
      const response = await transport({
        method: 'PATCH',
        url: `/apis/${group}/v1/${resource}/${encodeURIComponent(name)}/status?fieldManager=${manager}&force=true`,
        headers: { 'content-type': 'application/apply-patch+yaml', accept: 'application/json' },
        body: Buffer.from(stringifyJson(body)),
      });
      // Also when the policy was deleted.
      if (response.status < 300 || response.status === 404) return;
      throw newGenericServerResponse({
        code: response.status,
        verb: 'patch',
        resource: GroupResource.of(group, resource),
        name,
        serverMessage: '',
      });
    },
  });
}
