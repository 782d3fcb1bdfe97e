import type { FieldLabelConversion } from '@coxswain/apimachinery';

/** Returns a conversion that accepts these field labels only. `refusal` returns the error message for an unknown label. */
export function selectBy(
  labels: readonly string[],
  refusal = (label: string): string => `field label not supported: ${label}`,
): FieldLabelConversion {
  const known = new Set(labels);
  return (label, value) => {
    if (!known.has(label)) throw new Error(refusal(label));
    return { label, value };
  };
}
