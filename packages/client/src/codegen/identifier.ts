/**
 * The name as a type name: `cron-tab` → `CronTab`, `x509` → `X509`. Never a reserved word, as it begins with a capital.
 */
export function typeName(name: string): string {
  const joined = name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return /^[A-Z]/.test(joined) ? joined : `X${joined}`;
}

/** The name as a property key, in quotes unless it is an identifier. */
export const propertyKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name));

/** The text as a single-quoted literal, escaped. */
export function stringLiteral(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return `'${inner}'`;
}
