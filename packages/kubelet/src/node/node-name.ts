/** Returns the name of the node, in lower case: `override`, or else the name of the host. Throws an Error if it is empty. */
export function nodeNameOf(override: string, hostname: string): string {
  const name = (override || hostname).trim();
  if (name === '') throw new Error('empty hostname is invalid');
  return name.toLowerCase();
}
