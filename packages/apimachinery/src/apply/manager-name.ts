import { byteLength } from '../validation/byte-length.ts';
import { consistsOf, printed } from '../validation/character-class.ts';
import { fieldManagerMaxLength } from '../validation/options.ts';

/** The manager of a write that names none: what its user agent says before the first slash, printable and not too long. */
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
