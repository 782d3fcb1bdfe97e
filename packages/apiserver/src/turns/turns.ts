export { Turns } from '@coxswain/apimachinery/turns';

/** Whether it takes so long to work on an object, or its bytes, that others should have their turn in between. Most objects are smaller. */
export const isLarge = (bytes: Uint8Array): boolean => bytes.length > 16 * 1024;
