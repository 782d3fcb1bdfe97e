import { byteLength } from '../validation/byte-length.ts';
import { fieldManagerMaxLength } from '../validation/options.ts';

/** The manager of a write that names none: what its user agent says before the first slash, printable and not too long. */
export function managerOrUserAgent(manager: string | undefined, userAgent: string): string {
  if (manager) return manager;
  let name = '';
  let length = 0;
  for (const character of userAgent.split('/', 1)[0] ?? '') {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue;
    length += byteLength(character);
    if (length > fieldManagerMaxLength) break;
    name += character;
  }
  return name;
}
