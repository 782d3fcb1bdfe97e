import { DecodeError, type ObjectMeta, ownEntry, parseInt64, quote, setOwnEntry } from '@coxswain/apimachinery';

/** Fields that went away in v1 and live on as annotations, so that older versions of an object keep them. */
export const rollbackToAnnotation = 'deprecated.deployment.rollback.to';
export const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

/** The integer that an annotation holds; undefined when there is none. Throws DecodeError when it holds anything else. */
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
