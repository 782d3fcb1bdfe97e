import type { Container } from '@coxswain/api/core/v1';

/**
 * Returns upstream's hash of what makes a container another one when it changes: its name and image. Because both kubelets compute
 * the same hash, either can take over a node from the other without restarting its containers.
 */
export function containerHash({ name, image = '' }: Pick<Container, 'name' | 'image'>): string {
  // Upstream hashes the JSON as Go prints a slice of bytes.
  const bytes = new TextEncoder().encode(JSON.stringify({ image, name }));
  return fnv1a(`([]uint8)[${bytes.join(' ')}]`).toString(16);
}

function fnv1a(ascii: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < ascii.length; i++) hash = Math.imul(hash ^ ascii.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
