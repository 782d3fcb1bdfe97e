import type { ObjectReference } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { EventOptions, EventSubject } from './event-recorder.ts';

/**
 * Returns a reference to the object. apiVersion and kind come from the object, otherwise from `kind`. References are
 * returned unchanged, except for the field path. Throws an Error when the kind is unknown.
 */
export function objectReference(
  subject: EventSubject,
  { kind: description, fieldPath }: Pick<EventOptions, 'kind' | 'fieldPath'> = {},
): ObjectReference {
  if (!isObject(subject)) return fieldPath === undefined ? subject : { ...subject, fieldPath };
  const kind = subject.kind ?? description?.kind;
  const apiVersion = subject.apiVersion ?? (description && apiVersionOf(description));
  if (!kind || !apiVersion) throw new Error('the kind of the object is not known: it has no apiVersion and kind');
  const { name, namespace, uid, resourceVersion } = subject.metadata ?? {};
  return {
    kind,
    apiVersion,
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(fieldPath !== undefined && { fieldPath }),
  };
}

const isObject = (subject: EventSubject): subject is KubernetesObject => 'metadata' in subject;

const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === '' ? version : `${group}/${version}`;
