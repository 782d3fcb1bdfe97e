import { newRequestEntityTooLarge } from '@coxswain/apimachinery';

/** etcd's limit of a request, and so of an object. It applies to all stores. */
const maxObjectBytes = 1.5 * 1024 * 1024;

/** Throws RequestEntityTooLarge. Differs from upstream, where etcd refuses the write and the client gets a 500. */
export function assertObjectSize(stored: Uint8Array): void {
  if (stored.length > maxObjectBytes) throw newRequestEntityTooLarge(`limit is ${maxObjectBytes}`);
}
