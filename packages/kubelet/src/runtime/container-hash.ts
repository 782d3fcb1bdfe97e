import type { Container } from '@coxswain/api/core/v1';

/**
 * Returns upstream's hash of a container's name and image. A container whose hash changes is restarted. Because both kubelets compute the
 * same hash, either can take over a node from the other without restarting its containers.
 */
export function containerHash({ name, image = '' }: Pick<Container, 'name' | 'image'>): string {
  // Upstream hashes the JSON's bytes in the format in which Go prints a byte slice.
  const bytes = new TextEncoder().encode(JSON.stringify({ image, name }));
  return fnv1a(`([]uint8)[${bytes.join(' ')}]`).toString(16);
}

function fnv1a(ascii: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < ascii.length; i++) hash = Math.imul(hash ^ ascii.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
