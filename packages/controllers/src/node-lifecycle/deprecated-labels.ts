/** Labels and their deprecated names, which must have the same values. */
const olderNames: readonly (readonly [string, string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
];

/** Returns the deprecated labels to set because they are missing or have another value, or undefined without any. */
export function labelsToUpdate(
  labels: Readonly<Record<string, string>> | null | undefined,
): Record<string, string> | undefined {
  const updates: Record<string, string> = {};
  for (const [name, older] of olderNames) {
    const value = labels?.[name];
    if (value !== undefined && labels?.[older] !== value) updates[older] = value;
  }
  return Object.keys(updates).length > 0 ? updates : undefined;
}
