import { DecodeError, type ObjectMeta, ownEntry, parseInt64, quote, setOwnEntry } from '@coxswain/apimachinery';

/** Annotations that hold fields of older versions that v1 no longer has, so that conversion keeps their values. */
export const rollbackToAnnotation = 'deprecated.deployment.rollback.to';
export const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

/** Returns the integer value of an annotation; undefined when it is absent. Throws DecodeError for any other value. */
export function integerAnnotation({ annotations }: ObjectMeta, key: string, context = ''): bigint | undefined {
  const text = ownEntry(annotations, key);
  if (text === undefined) return undefined;
  const value = parseInt64(text);
  if (value !== undefined) return value;
  const reason = /^[-+]?[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax';
  throw new DecodeError(`${context}strconv.ParseInt: parsing ${quote(text)}: ${reason}`);
}

/** Sets or, without a value, removes an annotation. */
export function setAnnotation(metadata: ObjectMeta, key: string, value: string | undefined): void {
  if (ownEntry(metadata.annotations, key) === value) return;
  const annotations: Record<string, string> = {};
  for (const [name, text] of Object.entries(metadata.annotations ?? {}))
    if (name !== key) setOwnEntry(annotations, name, text);
  if (value !== undefined) setOwnEntry(annotations, key, value);
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
  else delete metadata.annotations;
}
