import { parseGoUrl } from '../../admissionregistration/v1/go-url.ts';

export const approvalAnnotation = 'api-approved.kubernetes.io';

/** Whether somebody approved of an API in a group that belongs to Kubernetes. */
export type ApprovalState = 'approved' | 'bypassed' | 'missing' | 'invalid';

/** Groups in which an API needs the approval of the Kubernetes project. */
export function isProtectedGroup(group: string | undefined): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group ?? '');
}

export function approvalState(annotations: Readonly<Record<string, string>> | undefined): ApprovalState {
  const annotation = annotations?.[approvalAnnotation];
  if (!annotation) return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  try {
    const { scheme, host } = parseGoUrl(annotation);
    return scheme !== '' && host !== '' ? 'approved' : 'invalid';
  } catch {
    return 'invalid';
  }
}
