/** Throws one error with all messages, in the form that Kubernetes has for several: `[a, b]`. Does nothing if there is none. */
export function aggregateErrors(messages: readonly string[]): void {
  const unique = [...new Set(messages)];
  if (unique.length === 0) return;
  throw new Error(unique.length === 1 ? unique[0] : `[${unique.join(', ')}]`);
}
