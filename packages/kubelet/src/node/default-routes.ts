const anyIPv4 = '0'.repeat(8);
const anyIPv6 = '0'.repeat(32);

/** Returns the names of the interfaces of default routes, in order, from the text of `/proc/net/route`. */
export const ipv4DefaultRoutes = (text: string): string[] =>
  fieldsOf(text).flatMap(([name = '', destination]) => (destination === anyIPv4 ? [name] : []));

/** The same of `/proc/net/ipv6_route`. Routes without a gateway only say that there is nothing. */
export const ipv6DefaultRoutes = (text: string): string[] =>
  fieldsOf(text).flatMap((fields) => {
    const [destination, , , , gateway] = fields;
    return destination === anyIPv6 && gateway !== anyIPv6 ? [fields[9] ?? ''] : [];
  });

const fieldsOf = (text: string): string[][] => text.split('\n').map((line) => line.trim().split(/\s+/));
