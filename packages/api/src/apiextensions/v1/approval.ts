import { parseGoUrl } from '../../admissionregistration/v1/go-url.ts';

export const approvalAnnotation = 'api-approved.kubernetes.io';

/** The approval of an API in a protected group, as the annotation `api-approved.kubernetes.io` states it. */
export type ApprovalState = 'approved' | 'bypassed' | 'missing' | 'invalid';

/** Reports whether APIs of the group need the approval of the Kubernetes project. */
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
