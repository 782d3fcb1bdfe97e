/**
 * Domain names as text: absolute, with the dot at the end, and with `\.`, `\\` and `\DDD` for bytes that would not be read back otherwise. The root is `.`.
 */

/** Returns the name with a dot at the end. */
export const fqdn = (name: string): string => (name.endsWith('.') && !name.endsWith('\\.') ? name : `${name}.`);

/** Whether the name is the zone or below it. Both are in lower case. */
export function isInZone(name: string, zone: string): boolean {
  if (zone === '.') return true;
  if (!name.endsWith(zone)) return false;
  return name.length === zone.length || name[name.length - zone.length - 1] === '.';
}

/** Returns the longest of the zones that contains the name, or undefined. */
export function longestZone(zones: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (const zone of zones) {
    if (isInZone(name, zone) && (found === undefined || zone.length > found.length)) found = zone;
  }
  return found;
}

/** Returns the labels from left to right, still escaped. The root has none. */
export function labelsOf(name: string): string[] {
  if (name === '.' || name === '') return [];
  const labels: string[] = [];
  let start = 0;
  for (let at = 0; at < name.length; at++) {
    if (name[at] === '\\') at++;
    else if (name[at] === '.') {
      labels.push(name.slice(start, at));
      start = at + 1;
    }
  }
  if (start < name.length) labels.push(name.slice(start));
  return labels;
}

/** Joins names, such as a label and a zone. The root adds nothing. */
export function joinNames(...names: readonly string[]): string {
  const parts = names.filter((name) => name !== '.' && name !== '').map((name) => fqdn(name));
  return parts.length === 0 ? '.' : parts.join('');
}
