import { newRequestEntityTooLarge } from '@coxswain/apimachinery';

/** What etcd takes in one request, and so what one object may be, whatever the store. */
const maxObjectBytes = 1.5 * 1024 * 1024;

/** Differs from upstream, where it is etcd that refuses and the client gets a 500. */
export function assertObjectSize(stored: Uint8Array): void {
  if (stored.length > maxObjectBytes) throw newRequestEntityTooLarge(`limit is ${maxObjectBytes}`);
}
