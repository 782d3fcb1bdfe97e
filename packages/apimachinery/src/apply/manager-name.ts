import { byteLength } from '../validation/byte-length.ts';
import { consistsOf, printed } from '../validation/character-class.ts';
import { fieldManagerMaxLength } from '../validation/options.ts';

/**
 * Returns the manager of a write. By default it is the user agent up to the first slash, limited to printable characters and to
 * `fieldManagerMaxLength` bytes.
 */
export function managerOrUserAgent(manager: string | undefined, userAgent: string): string {
  if (manager) return manager;
  const [product = ''] = userAgent.split('/', 1);
  if (product.length <= fieldManagerMaxLength && consistsOf(product, printed)) return product;
  let name = '';
  let length = 0;
  for (const character of product) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue;
    length += byteLength(character);
    if (length > fieldManagerMaxLength) break;
    name += character;
  }
  return name;
}
