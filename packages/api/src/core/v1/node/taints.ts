import {
  type ErrorList,
  FieldError,
  invalid,
  isValidLabelValue,
  type Path,
  validateLabelName,
} from '@coxswain/apimachinery';
import type { Taint } from '../../../generated/core/v1.ts';
import { internalForm } from '../internal-form/internal-form.ts';
import { validateTaintEffect } from '../pod/scheduling/tolerations.ts';

/** Validates taints, which must be unique by key and effect. */
export function validateTaints(taints: readonly Taint[], path: Path): ErrorList {
  const errors: ErrorList = [];
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const at = path.index(i);
    const { key = '', value = '', effect = '' } = taint;
    errors.push(...validateLabelName(key, at.child('key')));
    const messages = isValidLabelValue(value);
    if (messages.length > 0) errors.push(invalid(at.child('value'), value, messages.join(';')));
    errors.push(...validateTaintEffect(effect, false, at.child('effect')));
    const identity = `${effect} ${key}`;
    if (seen.has(identity)) {
      const detail = 'taints must be unique by key and effect pair';
      errors.push(new FieldError('FieldValueDuplicate', at, internalForm('Taint', taint), detail));
    }
    seen.add(identity);
  }
  return errors;
}
