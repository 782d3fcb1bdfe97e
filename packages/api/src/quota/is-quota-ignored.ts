import type { GroupResource } from '@coxswain/apimachinery';

/** Resources that are not stored, and events. */
const ignored: ReadonlySet<string> = new Set([
  'bindings',
  'componentstatuses',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'events',
  'events.events.k8s.io',
]);

/** Reports whether quotas do not apply to the resource. */
export const isQuotaIgnored = (groupResource: GroupResource): boolean => ignored.has(`${groupResource}`);
