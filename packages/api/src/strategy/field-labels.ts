import type { FieldLabelConversion } from '@coxswain/apimachinery';

/** Field selectors by these labels and no others; `refusal` words the error about one that is not among them. */
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
