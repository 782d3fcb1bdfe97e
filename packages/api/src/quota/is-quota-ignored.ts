import type { GroupResource } from '@coxswain/apimachinery';

/** What is not stored, and events. */
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

/** Whether no quota counts objects of the resource. */
export const isQuotaIgnored = (groupResource: GroupResource): boolean => ignored.has(`${groupResource}`);
