import { quote } from '../strconv/quote.ts';

/** Translates one term of a field selector from a version's names to the hub's. Throws for a field that cannot be selected by. */
export type FieldLabelConversion = (label: string, value: string) => { label: string; value: string };

/** Accepts the fields by which every kind can be selected. */
export const defaultFieldLabelConversion: FieldLabelConversion = (label, value) => {
  if (label === 'metadata.name' || label === 'metadata.namespace') return { label, value };
  throw new Error(
    `${quote(label)} is not a known field selector: only ${quote('metadata.name')}, ${quote('metadata.namespace')}`,
  );
};
